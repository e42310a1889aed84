/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a sized fabric as rows, each with its unit and formula. */
#pragma once

#include "study/size.h"
#include "study/size_bill.h"
#include "study/size_failures.h"

enum { SIZE_ROWS_MAX = 160, SIZE_TEXT_BYTES = 200 };

struct size_row {
    const char *section;
    char name[SIZE_PART_BYTES];
    struct price_range value;   /* least and most; equal: a single figure */
    const char *unit;           /* "": a count */
    char text[SIZE_TEXT_BYTES]; /* instead of the value, if it is not empty */
    char formula[SIZE_TEXT_BYTES];
};

struct size_report {
    struct size_row rows[SIZE_ROWS_MAX];
    uint32_t count;
    const char *section; /* of the rows that are added next */
};

/* Adds a row and returns it; the formula is a format. */
__attribute__((format(printf, 5, 6))) struct size_row *size_report_add(struct size_report *,
    const char *name, double value, const char *unit, const char *formula, ...);

/* What to build: counts, paths, latency, packets, cost, hall, growth and spares. */
void size_report_fabric(struct size_report *, const struct size_fabric *, const struct size_site *,
    const struct size_bill *, uint64_t more_gpus);
/* What its chips keep. */
void size_report_chips(struct size_report *, const struct size_fabric *);

/* The least time of a full packet from one NIC to another over `switches`, in seconds. */
double size_latency_s(const struct size_fabric *, const struct size_site *, uint32_t switches);

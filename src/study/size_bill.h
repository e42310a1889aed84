/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a sized fabric, what they cost and the power that they need. */
#pragma once

#include "files/files.h"
#include "study/size.h"

enum { SIZE_PARTS_MAX = 24, SIZE_PART_BYTES = 80 };

/* The hall. */
struct size_site {
    uint32_t gpus_per_rack;
    uint32_t switches_per_rack;
    double rack_watts;              /* of a rack of switches */
    double cable_m[SIZE_TIERS_MAX]; /* usual lengths, from NIC to tier 0, from tier 0 to 1, ... */
    bool has_copper;                /* between NICs and leaves */
};
/* 72 GPUs or 16 switches in a rack of 40 kW, cables of 5, 50, 100 and 100 m. */
void size_site_init(struct size_site *);

struct size_part {
    char name[SIZE_PART_BYTES];
    uint64_t count;
    struct price_range usd; /* of one */
    struct price_range watts;
    const char *formula;
};

struct size_bill {
    struct size_part parts[SIZE_PARTS_MAX];
    uint32_t count;
    uint64_t gpu_racks;
    uint64_t switch_racks;
    double longest_m; /* the longest cable, if the hall is a square */
    struct price_range usd;
    struct price_range watts;
};

void size_bill_make(const struct size_fabric *, const struct size_site *, const struct prices *,
    struct size_bill *);

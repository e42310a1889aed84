/* SPDX-License-Identifier: Apache-2.0 */
/* Price files: what the parts of a fabric cost and how much power they need, as ranges, with
 * sources (mrc-plan(1)). */
#pragma once

#include "files/yaml.h"

#define PRICE_FILE_VERSION 1

enum price_part {
#define PRICE(ID, key, unit, has_power, meaning) PRICE_##ID,
#include "files/prices.def"
    PRICE_COUNT,
};

struct price_range {
    double least;
    double most;
};

struct price {
    struct price_range usd;
    struct price_range watts;
    uint64_t per_bps; /* 0: for a piece */
    const char *source;
};

/* Texts belong to the `struct yaml` of the file. */
struct prices {
    struct price parts[PRICE_COUNT];
};

/* The text of experiments/prices/resellers.yaml, embedded at build time by tools/embed. */
extern const char price_file_default[];
extern const char *const price_file_keys[PRICE_COUNT + 1];

/* Reads a price file; NULL: the built-in one. Every entry must be there. */
bool price_file_read(struct yaml *, const char *path, struct prices *);

/* Returns what a part of this rate costs and needs; the rate of a piece is ignored. */
struct price_range price_usd(const struct price *, double bps);
struct price_range price_watts(const struct price *, double bps);

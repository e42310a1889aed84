/* SPDX-License-Identifier: Apache-2.0 */
/* What a search may choose from: one of several topologies, and a value for each of several keys.
 * Points are numbers only, so everything here is the same on every machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"

enum { SEARCH_AXES_MAX = 24, SEARCH_VALUES_MAX = 16 };

/* A key of the experiment and the values that it may have. */
struct search_axis {
    const char *key;
    const char *values[SEARCH_VALUES_MAX]; /* the first is NULL: what the experiment has */
    uint32_t value_count;                  /* that one included */
};

struct search_space {
    uint32_t topology_count;
    uint32_t axis_count;
    struct search_axis axes[SEARCH_AXES_MAX];
};

/* Topology 0 and values 0 are the usual ones. Values behind the axes are 0. */
struct search_point {
    uint32_t topology;
    uint8_t values[SEARCH_AXES_MAX];
};

/* Parts of the space. */
enum search_part {
    SEARCH_TOPOLOGY,   /* any topology, usual values */
    SEARCH_PARAMETERS, /* the usual topology, any values */
    SEARCH_JOINT,      /* everything */
    SEARCH_PART_COUNT,
};

/* Returns the number of points, at most UINT64_MAX / 2. */
uint64_t search_space_size(const struct search_space *, enum search_part);
/* Returns the point with this number, less than the size; 0 is the usual one. */
struct search_point search_space_at(const struct search_space *, enum search_part, uint64_t number);
/* Returns a random point, with usual values at most of its axes. */
struct search_point search_space_draw(const struct search_space *, enum search_part, struct prng *);
/* Returns a point that differs in one or two choices. */
struct search_point search_space_near(
    const struct search_space *, enum search_part, const struct search_point *, struct prng *);

bool search_space_same(const struct search_point *, const struct search_point *);
bool search_space_has(enum search_part, const struct search_point *);
/* Returns whether a value is not the usual one. */
bool search_space_is_tuned(const struct search_point *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The capacity of a running simulation. */
#pragma once

#include <jansson.h>

#include "capacity/capacity.h"
#include "measure/measure.h"

/* Why the capacity is unknown. */
enum result_capacity_gap {
    RESULT_CAPACITY_KNOWN,
    RESULT_CAPACITY_UNWANTED,
    RESULT_CAPACITY_FLOWS,
    RESULT_CAPACITY_MEMORY,
    RESULT_CAPACITY_UNSOLVED,
    RESULT_CAPACITY_GAP_COUNT,
};

struct result_capacity {
    struct allocator memory;
    struct capacity_track track;
    struct measure_capacity measured; /* for the record; without pairs: unknown */
    struct measure_pair *pairs;
    enum result_capacity_gap gap;
    struct capacity_limits *phase_limits; /* at the end of each phase */
    const struct measure_plan *plan;
};

/* The simulation is set up and has not begun. */
void result_capacity_open(
    struct result_capacity *, const struct allocator *, struct sim *, const struct measure_plan *);
void result_capacity_close(struct result_capacity *);

/* Returns when the simulation should stop next. */
uint64_t result_capacity_stop_ps(const struct result_capacity *);
/* Called when it has stopped. */
void result_capacity_look(struct result_capacity *, struct measure_record *);

/* Returns the method and the limits of the rate, in sentences. */
json_t *result_capacity_json(const struct result_capacity *);
/* Returns the limits of one phase. */
json_t *result_capacity_phase_json(const struct result_capacity *, uint32_t phase);

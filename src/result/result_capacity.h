/* SPDX-License-Identifier: Apache-2.0 */
/* What a running simulation could carry at best. */
#pragma once

#include <jansson.h>

#include "capacity/capacity.h"
#include "measure/measure.h"

struct result_capacity {
    struct capacity_track track;
    struct measure_capacity measured; /* for the record; no pairs: not known */
    struct measure_pair *pairs;
    const char *reason;                   /* why it is not known; NULL: it is */
    struct capacity_limits *phase_limits; /* at the end of each phase */
    const struct measure_plan *plan;
};

/* The simulation was set up and has not begun. */
void result_capacity_open(struct result_capacity *, struct sim *, const struct measure_plan *);
void result_capacity_close(struct result_capacity *);

/* Where the simulation should stop next. */
uint64_t result_capacity_stop_ps(const struct result_capacity *);
/* It has stopped. */
void result_capacity_look(struct result_capacity *, struct measure_record *);

/* How it was found out, and what limits the rate, in sentences. */
json_t *result_capacity_json(const struct result_capacity *);
/* Of one phase. */
json_t *result_capacity_phase_json(const struct result_capacity *, uint32_t phase);

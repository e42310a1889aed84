/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric that carries probes and nothing else, for localisation at any size. Probes pass the
 * tables of switches and the faults of links like all packets. There are no queues: probes are of
 * the control class and never wait for data. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "map/map.h"
#include "network/network.h"

struct sim_probing_config {
    const struct plan *fabric;
    uint64_t seed;
    const struct fault *faults; /* must have passed fault_check() */
    uint32_t fault_count;
    const struct fault_generator *generators;
    uint32_t generator_count;
    uint64_t period_ps;
    uint64_t period_count; /* faults after this many periods do not happen */
    uint32_t round_periods;
};

struct sim_probing;

/* With an arena without memory, only measures, and returns NULL. */
struct sim_probing *sim_probing_init(struct arena *, const struct sim_probing_config *);

/* Sends the probes of a round, reports them, and closes the round of the map. */
void sim_probing_round(struct sim_probing *);

const struct map *sim_probing_map(const struct sim_probing *);

struct sim_probing_totals {
    uint64_t probes;
    uint64_t hops; /* one probe over one link */
    uint64_t lost;
};
struct sim_probing_totals sim_probing_totals(const struct sim_probing *);

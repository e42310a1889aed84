/* SPDX-License-Identifier: Apache-2.0 */
/* What every direction of every link of a fabric carries while some faults are in force. */
#pragma once

#include "base/arena.h"
#include "capacity/capacity.h"

enum link_way {
    LINK_UP, /* NIC to T0, T0 to T1 */
    LINK_DOWN,
    LINK_WAY_COUNT,
};

struct link_rate {
    double bps;  /* wire; what is lost on the way is taken off. 0: out */
    double kept; /* share of packets that arrive */
};

/* A path that is out although its links work: a fault of one EV on a host link. */
struct link_rates_path {
    uint32_t nic;
    enum link_way way;
    uint32_t ev;
    bool is_dead; /* or just lossy */
};

struct link_rates {
    const struct plan *fabric;
    struct link_rate *host;   /* by NIC, plane, way */
    struct link_rate *uplink; /* by plane, T0, T1, way */
    struct link_rates_path *paths;
    uint32_t path_count;
};

/* Measures with an arena without memory. */
void link_rates_init(struct link_rates *, struct arena *, const struct plan *,
    const struct fault *const *in_force, uint32_t in_force_count);

static inline struct link_rate *link_rates_host(
    const struct link_rates *rates, uint32_t nic, uint32_t plane, enum link_way way)
{
    return &rates->host[((size_t)nic * rates->fabric->topology.config.plane_count + plane) * 2 +
                        way];
}

static inline struct link_rate *link_rates_uplink(
    const struct link_rates *rates, uint32_t plane, uint32_t t0, uint32_t t1, enum link_way way)
{
    const struct topology_config *config = &rates->fabric->topology.config;

    return &rates->uplink[(((size_t)plane * config->t0_count + t0) * config->t1_count + t1) * 2 +
                          way];
}

/* What a fault leaves of a link direction that it covers. */
void link_rates_harm(struct link_rate *, const struct fault *);

/* MRC leaves a path that loses as much as this. */
bool link_rates_is_lossy(const struct link_rate *);

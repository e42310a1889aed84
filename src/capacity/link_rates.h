/* SPDX-License-Identifier: Apache-2.0 */
/* What every direction of every link of a fabric carries while some faults are in force. */
#pragma once

#include "base/arena.h"
#include "capacity/capacity.h"

enum link_way {
    LINK_UP, /* from the lower end to the upper one */
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
    struct link_rate *links; /* by number and way */
    struct link_rates_path *paths;
    uint32_t path_count;
};

/* Measures with an arena without memory. */
void link_rates_init(struct link_rates *, struct arena *, const struct plan *,
    const struct fault *const *in_force, uint32_t in_force_count);

static inline struct link_rate *link_rates_of(
    const struct link_rates *rates, size_t link, enum link_way way)
{
    return &rates->links[2 * link + way];
}

/* What a fault leaves of a link direction that it covers. */
void link_rates_harm(struct link_rate *, const struct fault *);

/* MRC leaves a path that loses as much as this. */
bool link_rates_is_lossy(const struct link_rate *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The rate of every direction of every link of a fabric while faults are in force. Only links with
 * a fault take memory and time: a fabric has millions of links, of which few flows use few. */
#pragma once

#include "base/arena.h"
#include "capacity/capacity.h"

enum link_way {
    LINK_UP, /* from the lower end to the upper end */
    LINK_DOWN,
    LINK_WAY_COUNT,
};

struct link_rate {
    double bps;  /* wire rate without lost packets; 0: down */
    double kept; /* share of packets that arrive */
};

/* A path that is down although its links work: a fault of one EV on a host link. */
struct link_rates_path {
    uint32_t nic;
    enum link_way way;
    uint32_t ev;
    bool is_dead; /* false: only lossy */
};

/* A link with a fault. */
struct link_rates_harmed {
    size_t link; /* its number, plus 1; 0: a free place */
    struct link_rate ways[LINK_WAY_COUNT];
};

struct link_rates {
    const struct plan *fabric;
    size_t host_links;                /* links with lower numbers are those of NICs */
    struct link_rates_harmed *harmed; /* open addressing */
    uint32_t harmed_count;
    uint32_t place_count; /* a power of two; 0: no link has a fault */
    struct link_rates_path *paths;
    uint32_t path_count;
};

/* With an arena without memory it only measures. */
void link_rates_init(struct link_rates *, struct arena *, const struct plan *,
    const struct fault *const *in_force, uint32_t in_force_count);

struct link_rate link_rates_of(const struct link_rates *, size_t link, enum link_way);

/* Returns true if all links of a kind have the same rate. */
bool link_rates_are_usual(const struct link_rates *);

/* Applies a fault to the rate of a link direction that it affects. */
void link_rates_harm(struct link_rate *, const struct fault *);

/* Returns true if MRC avoids a path with this loss, if its siblings lose less. */
bool link_rates_is_lossy(const struct link_rate *);
/* Returns true if MRC avoids a path of which only `kept` of the packets arrive, even if all paths
 * of the plane lose as many. */
bool link_rates_loses_much(double kept);

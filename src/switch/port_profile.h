/* SPDX-License-Identifier: Apache-2.0 */
/* The common properties of ports of one kind: rate, limits, marking, trimming, and counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_time.h"
#include "base/counter_description.h"
#include "switch/port_queue.h"

struct port_limit {
    uint32_t bytes;
    uint32_t packets; /* 0: limited only by the pool */
};

struct port_config {
    uint64_t rate_bps; /* of the wire, at least 1 Mb/s */
    struct port_limit data;
    struct port_limit control; /* bytes 0: twice the data limit */
    uint32_t red_min_bytes;    /* RED: no marks up to this queue length ... */
    uint32_t red_max_bytes;    /* ... always from this length on; in between, the probability is
                                  proportional */
    uint16_t trimmed_bytes;    /* length of a trimmed packet */
    uint16_t framing_bytes;    /* on the wire around each packet */
    bool marks;
    bool trims;
    bool faces_host; /* trims to DSCP_TRIMMED_LASTHOP */
};

/* Shared by the ports of one kind in one switch. */
struct port_profile {
    struct port_config config;
    struct port_limit limits[PORT_QUEUE_COUNT]; /* those of `config`, by queue */
    struct port_pool *pool;
    uint64_t byte_time;    /* at the rate of `config` */
    uint64_t framing_time; /* of the framing, in the same unit */
};

void port_profile_init(struct port_profile *, const struct port_config *, struct port_pool *);

/* Returns the time of a packet on the wire. */
static inline uint64_t port_transmission_ps(const struct port_profile *profile, uint32_t bytes)
{
    return (profile->byte_time * bytes + profile->framing_time) >> BYTE_TIME_SHIFT;
}

enum port_counter {
#define COUNTER(id, name, help) PORT_COUNTER_##id,
#include "switch/port_counters.def"
#undef COUNTER
    PORT_COUNTER_COUNT,
    PORT_COUNTERS_OFTEN = PORT_COUNTER_TRIMMED_ARRIVING,
    PORT_COUNTERS_SELDOM = PORT_COUNTER_COUNT - PORT_COUNTERS_OFTEN,
};

/* Packets that are trimmed or dropped are counted elsewhere: a simulated fabric has millions of
 * ports, and most of them do neither. */
struct port_counters {
    uint64_t often[PORT_COUNTERS_OFTEN];
    uint64_t *seldom; /* PORT_COUNTERS_SELDOM values */
};

_Static_assert(sizeof(struct port_counters) == 64, "one cache line");

/* Returns counters for this number of ports, all of them zero. */
struct port_counters *port_counters_take(struct arena *, uint32_t port_count);

static inline uint64_t port_counter(const struct port_counters *counters, enum port_counter which)
{
    return which < PORT_COUNTERS_OFTEN ? counters->often[which]
                                       : counters->seldom[which - PORT_COUNTERS_OFTEN];
}

extern const struct counter_description port_counter_descriptions[PORT_COUNTER_COUNT];

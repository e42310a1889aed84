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
};

struct port_counters {
    uint64_t value[PORT_COUNTER_COUNT];
};

extern const struct counter_description port_counter_descriptions[PORT_COUNTER_COUNT];

/* SPDX-License-Identifier: Apache-2.0 */
/* One egress port: two queues before one wire (docs/fabric.md §10). Control goes first; data gets
 * congestion marks when it leaves, and is cut to its headers when it does not fit.
 *
 * A port has no events of its own. It knows when its wire is free and is worked off by whoever
 * holds it: before a packet enters at a time t, every transmission that begins by t must have been
 * taken out with port_transmit(). The result is exact to the picosecond, however seldom anybody
 * looks.
 *
 * A port does not hold packets. It queues entries that name them by a handle of the owner's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/counters.h"
#include "base/prng.h"
#include "wire/drop.h"
#include "wire/dscp.h"

#define PORT_NEVER_PS UINT64_MAX

struct port_entry {
    uint32_t handle;
    uint16_t length_bytes;
    uint8_t class; /* enum dscp_class */
    uint8_t ecn;   /* enum ecn */
};

/* The packet buffer that ports of a switch share: as many entries as can wait in all of them
 * together. */
struct port_pool {
    struct port_slot *slots;
    uint32_t slot_count;
    uint32_t used_count;
    uint32_t touched_count; /* slots from here on were never used */
    uint32_t free_head;
};

/* Takes its memory from the arena; with a measuring arena the pool cannot be used. */
void port_pool_init(struct port_pool *, struct arena *, uint32_t slot_count);

enum port_queue_kind {
    PORT_DATA,    /* all other classes */
    PORT_CONTROL, /* DSCP_CONTROL and what was trimmed, here or before */
    PORT_QUEUE_COUNT,
};

struct port_limit {
    uint32_t bytes;
    uint32_t packets; /* 0: as many as the pool has room for */
};

struct port_config {
    uint64_t rate_bps; /* of the wire, at least 1 Mb/s */
    struct port_limit data;
    struct port_limit control; /* bytes 0: twice the data limit */
    uint32_t red_min_bytes;    /* RED: never marks up to this queue length ... */
    uint32_t red_max_bytes;    /* ... always from this one on, in between in proportion */
    uint16_t trimmed_bytes;    /* length of a packet once trimmed */
    bool marks;                /* not on ports that face hosts */
    bool trims;
    bool faces_host; /* trims to DSCP_TRIMMED_LASTHOP */
};

/* Shared by the ports of one kind in one switch. */
struct port_profile {
    struct port_config config;
    struct port_pool *pool;
    uint64_t byte_time; /* 2^-16 ps: exact for every rate that divides 8 Tb/s */
};

void port_profile_init(struct port_profile *, const struct port_config *, struct port_pool *);

static inline uint64_t port_transmission_ps(const struct port_profile *profile, uint32_t bytes)
{
    return profile->byte_time * bytes >> 16;
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

struct port_queue {
    uint32_t head; /* slots of the pool, linked */
    uint32_t tail;
    uint32_t count;
    uint32_t bytes;
};

struct port {
    const struct port_profile *profile;
    struct port_counters *counters;
    uint64_t free_ps; /* the wire is free from then on */
    struct prng prng;
    struct port_queue queues[PORT_QUEUE_COUNT];
};

_Static_assert(sizeof(struct port) == 64, "a simulated fabric has millions: one cache line each");

/* Keeps pointers to profile and counters; ports may share their counters. */
void port_init(struct port *, const struct port_profile *, struct port_counters *, struct prng);

enum port_verdict {
    PORT_QUEUED,
    PORT_TRIMMED_ARRIVING, /* it waits in the control queue, `cut` says as what */
    PORT_TRIMMED_TAIL,     /* it is queued; the one before it, `cut`, went to the control queue */
    PORT_DROPPED,          /* the arriving one, for `reason` */
    PORT_VERDICT_COUNT,
};

struct port_outcome {
    enum port_verdict verdict;
    enum drop_reason reason;
    struct port_entry cut; /* whom to cut, to which length, and its new class */
};

struct port_outcome port_enqueue(struct port *, struct port_entry, uint64_t now_ps);

/* Counts a packet that this port drops: for DROP_PORT_DOWN, or one of the reasons above. */
struct port_outcome port_drop(struct port *, enum drop_reason);

/* When the next transmission begins; PORT_NEVER_PS: nothing waits. */
static inline uint64_t port_next_ps(const struct port *port)
{
    bool is_empty = port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count == 0;

    return is_empty ? PORT_NEVER_PS : port->free_ps;
}

/* The far end takes nothing before `until_ps`: what waits here waits that long. Before: as
 * port_enqueue(). */
static inline void port_hold(struct port *port, uint64_t until_ps)
{
    if (port->free_ps < until_ps)
        port->free_ps = until_ps;
}

struct port_transmission {
    struct port_entry entry; /* its ecn may have become ECN_CE: the owner's packet must follow */
    uint64_t start_ps;
    uint64_t end_ps; /* its last bit leaves, the wire is free */
};

/* The next packet that is sent if its transmission begins by `now_ps`; false when none does. */
bool port_transmit(struct port *, uint64_t now_ps, struct port_transmission *out);

/* The packet that would be next, without sending it; false: nothing waits. */
bool port_take_out(struct port *, struct port_entry *out);

/* Invariants in full: aborts by assert. */
void port_check(const struct port *);

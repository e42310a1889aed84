/* SPDX-License-Identifier: Apache-2.0 */
/* One egress port: two queues and one wire (docs/fabric.md §10). Control packets leave first. Data
 * packets are marked when they leave, and trimmed to their headers if they do not fit.
 *
 * A port has no events. It knows when its wire is free, and its owner drives it: before a packet
 * enters at time t, the owner must have taken out every transmission that begins by t with
 * port_transmit(). The result is exact to the picosecond, however rarely the owner calls.
 *
 * A port does not hold packets. It queues entries that refer to packets by a handle of the owner.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prng.h"
#include "switch/port_profile.h"
#include "switch/port_queue.h"
#include "wire/drop.h"
#include "wire/dscp.h"

#define PORT_NEVER_PS UINT64_MAX

struct port {
    const struct port_profile *profile;
    struct port_counters *counters;
    uint64_t free_ps; /* the wire is free from this time on */
    struct prng prng;
    struct port_queue queues[PORT_QUEUE_COUNT];
};

_Static_assert(
    sizeof(struct port) == 64, "one cache line: a simulated fabric has millions of ports");

/* Keeps pointers to profile and counters; ports may share their counters. */
void port_init(struct port *, const struct port_profile *, struct port_counters *, struct prng);

enum port_verdict {
    PORT_QUEUED,
    PORT_TRIMMED_ARRIVING, /* in the control queue; `cut` has its new form */
    PORT_TRIMMED_TAIL,     /* queued; the packet before it, `cut`, moved to the control queue */
    PORT_DROPPED,          /* the arriving packet, for `reason` */
    PORT_VERDICT_COUNT,
};

struct port_outcome {
    enum port_verdict verdict;
    enum drop_reason reason;
    struct port_entry cut; /* the packet to trim, its new length and its new class */
};

/* Counts a packet that this port trims or drops. */
void port_count_seldom(struct port *, enum port_counter);

/* Counts a packet that this port drops: for DROP_PORT_DOWN, or one of the reasons above. */
struct port_outcome port_drop(struct port *, enum drop_reason);

/* Returns the start of the next transmission, or PORT_NEVER_PS if nothing waits. */
static inline uint64_t port_next_ps(const struct port *port)
{
    bool is_empty = port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count == 0;

    return is_empty ? PORT_NEVER_PS : port->free_ps;
}

/* ---- input ----------------------------------------------------------------------------------- */

static inline enum port_queue_kind port_queue_of(uint8_t class)
{
    uint32_t control = UINT32_C(1) << DSCP_CONTROL | UINT32_C(1) << DSCP_TRIMMED |
                       UINT32_C(1) << DSCP_TRIMMED_LASTHOP;

    return control >> class & 1 ? PORT_CONTROL : PORT_DATA;
}

static inline bool port_has_room(
    const struct port *port, enum port_queue_kind kind, uint32_t length_bytes)
{
    const struct port_limit *limit = &port->profile->limits[kind];
    const struct port_queue *queue = &port->queues[kind];

    return queue->bytes + length_bytes <= limit->bytes && queue->count < limit->packets &&
           port_pool_has_room(port->profile->pool);
}

static inline void port_note_depth(
    struct port *port, enum port_queue_kind kind, uint32_t depth_bytes)
{
    uint64_t *depth_bytes_max =
        &port->counters->often[kind == PORT_DATA ? PORT_COUNTER_DATA_DEPTH_BYTES_MAX
                                                 : PORT_COUNTER_CONTROL_DEPTH_BYTES_MAX];

    if (depth_bytes > *depth_bytes_max)
        *depth_bytes_max = depth_bytes;
}

/* There must be room. */
static inline void port_push(
    struct port *port, enum port_queue_kind kind, const struct port_entry *entry)
{
    port_queue_push(&port->queues[kind], port->profile->pool, entry);
    port_note_depth(port, kind, port->queues[kind].bytes);
}

/* Handles a packet for which there is no room: it or another packet is trimmed, or it is dropped.
 */
struct port_outcome port_overflow(struct port *, struct port_entry);

/* As port_begin(), for an owner that knows what port_next_ps() returns. */
static inline void port_begin_before(struct port *port, uint64_t next_ps, uint64_t now_ps)
{
    assert(next_ps > now_ps);
    if (next_ps == PORT_NEVER_PS && port->free_ps < now_ps)
        port->free_ps = now_ps;
}

/* The wire of an idle port is free from now on. */
static inline void port_begin(struct port *port, uint64_t now_ps)
{
    port_begin_before(port, port_next_ps(port), now_ps);
}

/* A constant `kind` lets the compiler specialise the code. */
static inline __attribute__((always_inline)) struct port_outcome port_admit_to(
    struct port *port, enum port_queue_kind kind, const struct port_entry *arriving)
{
    if (__builtin_expect(!port_has_room(port, kind, arriving->length_bytes), false))
        return port_overflow(port, *arriving);
    port_push(port, kind, arriving);
    return (struct port_outcome){ .verdict = PORT_QUEUED };
}

/* As port_admit(), for an owner that knows what port_next_ps() returns. */
static inline __attribute__((always_inline)) struct port_outcome port_admit_before(
    struct port *port, const struct port_entry *arriving, uint64_t next_ps, uint64_t now_ps)
{
    port_begin_before(port, next_ps, now_ps);
    if (port_queue_of(arriving->class) == PORT_DATA)
        return port_admit_to(port, PORT_DATA, arriving);
    return port_admit_to(port, PORT_CONTROL, arriving);
}

/* As port_enqueue(), with a pointer, so that the entry is copied in one piece. */
static inline __attribute__((always_inline)) struct port_outcome port_admit(
    struct port *port, const struct port_entry *arriving, uint64_t now_ps)
{
    return port_admit_before(port, arriving, port_next_ps(port), now_ps);
}

static inline struct port_outcome port_enqueue(
    struct port *port, struct port_entry arriving, uint64_t now_ps)
{
    return port_admit(port, &arriving, now_ps);
}

/* As port_admit(), if the data queue may at most have `limit_bytes` at this time. */
struct port_outcome port_admit_within(
    struct port *, const struct port_entry *, uint64_t limit_bytes, uint64_t now_ps);

/* The far end takes nothing before `until_ps`: the queued packets wait until then. Requires the
 * same as port_enqueue(). */
static inline void port_hold(struct port *port, uint64_t until_ps)
{
    if (port->free_ps < until_ps)
        port->free_ps = until_ps;
}

/* Returns the packet that leaves next. There must be one. */
static inline const struct port_entry *port_next(const struct port *port)
{
    bool is_control = port->queues[PORT_CONTROL].count > 0;

    return &port->profile->pool->slots[port->queues[is_control ? PORT_CONTROL : PORT_DATA].head]
                .entry;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* RED, by the bytes that stay behind in the data queue, which must be red_min_bytes or more. */
bool port_red(struct port *, uint32_t behind_bytes);

static inline bool port_marks(struct port *port, const struct port_entry *leaving)
{
    const struct port_config *config = &port->profile->config;
    uint32_t behind_bytes = port->queues[PORT_DATA].bytes;

    return config->marks && behind_bytes >= config->red_min_bytes && leaving->ecn != ECN_NOT_ECT &&
           leaving->ecn != ECN_CE && port_red(port, behind_bytes);
}

static inline void port_mark(struct port *port, struct port_entry *leaving)
{
    leaving->ecn = ECN_CE;
    port->counters->often[PORT_COUNTER_MARKED]++;
    port->profile->pool->marked++;
}

static inline void port_count_sent(
    struct port *port, enum port_queue_kind kind, uint32_t length_bytes)
{
    uint64_t *counters = port->counters->often;
    bool is_control = kind == PORT_CONTROL;

    counters[is_control ? PORT_COUNTER_CONTROL_PACKETS : PORT_COUNTER_DATA_PACKETS]++;
    counters[is_control ? PORT_COUNTER_CONTROL_BYTES : PORT_COUNTER_DATA_BYTES] += length_bytes;
    port->free_ps += port_transmission_ps(port->profile, length_bytes);
}

static inline struct port_entry *port_send_control(struct port *port)
{
    struct port_entry *entry = port_queue_pop(&port->queues[PORT_CONTROL], port->profile->pool);

    port_count_sent(port, PORT_CONTROL, entry->length_bytes);
    return entry;
}

static inline struct port_entry *port_send_data(struct port *port)
{
    struct port_entry *entry = port_queue_pop(&port->queues[PORT_DATA], port->profile->pool);

    if (port_marks(port, entry))
        port_mark(port, entry);
    port_count_sent(port, PORT_DATA, entry->length_bytes);
    return entry;
}

/* Returns the next packet if one waits. Its transmission begins at free_ps before the call and ends
 * at free_ps after it. The entry stays valid until the next packet enters. */
static inline const struct port_entry *port_send(struct port *port)
{
    return port->queues[PORT_CONTROL].count > 0 ? port_send_control(port) : port_send_data(port);
}

struct port_transmission {
    struct port_entry entry; /* its ecn may be ECN_CE now: the owner must mark its packet */
    uint64_t start_ps;
    uint64_t end_ps; /* its last bit leaves and the wire is free */
};

/* Returns the next packet whose transmission begins by `now_ps`. Returns false if there is none. */
bool port_transmit(struct port *, uint64_t now_ps, struct port_transmission *out);

/* Removes the next packet without sending it. Returns false if nothing waits. */
bool port_take_out(struct port *, struct port_entry *out);

/* The same for data packets only. */
bool port_take_data(struct port *, struct port_entry *out);

/* Checks all invariants with assert(). */
void port_check(const struct port *);

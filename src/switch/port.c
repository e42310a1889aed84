/* SPDX-License-Identifier: Apache-2.0 */
/* Queueing, marking and trimming at an egress port (docs/fabric.md §10). */
#include "switch/port.h"

#include <assert.h>

#define RATE_BPS_MIN 1000000

const struct counter_description port_counter_descriptions[PORT_COUNTER_COUNT] = {
#define COUNTER(id, name, help) [PORT_COUNTER_##id] = { #name, help },
#include "switch/port_counters.def"
#undef COUNTER
};

/* ---- the pool ------------------------------------------------------------------------------- */

void port_pool_init(struct port_pool *pool, struct arena *arena, uint32_t slot_count)
{
    *pool = (struct port_pool){
        .slots =
            arena_take(arena, slot_count, sizeof(struct port_slot), _Alignof(struct port_slot)),
        .slot_count = slot_count,
        .free_head = PORT_SLOT_NONE,
    };
}

uint32_t port_pool_used_count(const struct port_pool *pool)
{
    uint32_t count = pool->touched_count;

    for (uint32_t slot = pool->free_head; slot != PORT_SLOT_NONE; slot = pool->slots[slot].next)
        count--;
    return count;
}

/* ---- counters ------------------------------------------------------------------------------- */

struct port_counters *port_counters_take(struct arena *arena, uint32_t port_count)
{
    struct port_counters *counters =
        arena_take(arena, port_count, sizeof(*counters), _Alignof(struct port_counters));
    uint64_t *seldom = arena_take(
        arena, (size_t)port_count * PORT_COUNTERS_SELDOM, sizeof(*seldom), _Alignof(uint64_t));

    for (uint32_t i = 0; counters && i < port_count; i++)
        counters[i].seldom = &seldom[(size_t)i * PORT_COUNTERS_SELDOM];
    return counters;
}

void port_count_seldom(struct port *port, enum port_counter counter)
{
    assert(counter >= PORT_COUNTERS_OFTEN);
    port->counters->seldom[counter - PORT_COUNTERS_OFTEN]++;
}

/* ---- admission ------------------------------------------------------------------------------ */

#define CLASS(class) (UINT32_C(1) << (class))

static bool is_trimmable(uint8_t class)
{
    return (CLASS(DSCP_TRIMMABLE) | CLASS(DSCP_TRIMMABLE_RETX)) >> class & 1;
}

/* Returns the reason why there is no room. */
static enum drop_reason refusal(
    const struct port *port, enum port_queue_kind kind, uint32_t length_bytes)
{
    const struct port_limit *limit = &port->profile->limits[kind];
    const struct port_queue *queue = &port->queues[kind];

    if (queue->bytes + length_bytes <= limit->bytes && queue->count < limit->packets)
        return DROP_BUFFER_FULL;
    return kind == PORT_DATA ? DROP_DATA_QUEUE_FULL : DROP_CONTROL_QUEUE_FULL;
}

static enum port_counter drop_counter(enum drop_reason reason)
{
    switch (reason) {
    case DROP_DATA_QUEUE_FULL:
        return PORT_COUNTER_DROPPED_DATA_QUEUE;
    case DROP_CONTROL_QUEUE_FULL:
        return PORT_COUNTER_DROPPED_CONTROL_QUEUE;
    case DROP_PORT_DOWN:
        return PORT_COUNTER_DROPPED_PORT_DOWN;
    default:
        assert(reason == DROP_BUFFER_FULL);
        return PORT_COUNTER_DROPPED_BUFFER;
    }
}

struct port_outcome port_drop(struct port *port, enum drop_reason reason)
{
    port_count_seldom(port, drop_counter(reason));
    return (struct port_outcome){ .verdict = PORT_DROPPED, .reason = reason };
}

static struct port_entry trimmed(const struct port_config *config, struct port_entry whole)
{
    uint16_t length_bytes =
        whole.length_bytes < config->trimmed_bytes ? whole.length_bytes : config->trimmed_bytes;

    return (struct port_entry){ .handle = whole.handle,
        .length_bytes = length_bytes,
        .class = config->faces_host ? DSCP_TRIMMED_LASTHOP : DSCP_TRIMMED,
        .ecn = whole.ecn };
}

/* Trimming the tail must make room for the arriving packet, or the data queue would exceed its
 * limit. */
static bool tail_can_yield(const struct port_queue *data, uint64_t limit_bytes,
    struct port_entry tail, struct port_entry arriving)
{
    return is_trimmable(tail.class) &&
           data->bytes - tail.length_bytes + arriving.length_bytes <= limit_bytes;
}

/* The data queue is full: trims either the arriving packet or the last one in the queue, at random.
 * If the trimmed packet does not fit either, the arriving packet is dropped. */
static struct port_outcome trim_packet(
    struct port *port, struct port_entry arriving, uint64_t limit_bytes)
{
    const struct port_config *config = &port->profile->config;
    struct port_queue *data = &port->queues[PORT_DATA];
    struct port_entry *tail = &port->profile->pool->slots[data->tail].entry;
    bool tail_yields = data->count > 0 && tail_can_yield(data, limit_bytes, *tail, arriving) &&
                       prng_chance(&port->prng, UINT32_C(1) << 31);
    struct port_entry cut = trimmed(config, tail_yields ? *tail : arriving);

    if (!port_has_room(port, PORT_CONTROL, cut.length_bytes))
        return port_drop(port, refusal(port, PORT_CONTROL, cut.length_bytes));
    if (tail_yields) {
        data->bytes = data->bytes - tail->length_bytes + arriving.length_bytes;
        *tail = arriving;
    }
    port_push(port, PORT_CONTROL, &cut);
    port->profile->pool->trimmed++;
    port_count_seldom(
        port, tail_yields ? PORT_COUNTER_TRIMMED_TAIL : PORT_COUNTER_TRIMMED_ARRIVING);
    return (struct port_outcome){
        .verdict = tail_yields ? PORT_TRIMMED_TAIL : PORT_TRIMMED_ARRIVING, .cut = cut
    };
}

struct port_outcome port_overflow(struct port *port, struct port_entry arriving)
{
    bool may_trim = port->profile->config.trims && is_trimmable(arriving.class);
    enum drop_reason reason = refusal(port, port_queue_of(arriving.class), arriving.length_bytes);

    if (reason == DROP_DATA_QUEUE_FULL && may_trim)
        return trim_packet(port, arriving, port->profile->config.data.bytes);
    return port_drop(port, reason);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct port_outcome port_admit_within(
    struct port *port, const struct port_entry *arriving, uint64_t limit_bytes, uint64_t now_ps)
{
    bool fits = port_queue_of(arriving->class) == PORT_CONTROL ||
                port->queues[PORT_DATA].bytes + arriving->length_bytes <= limit_bytes;

    if (fits)
        return port_admit(port, arriving, now_ps);
    if (!port->profile->config.trims || !is_trimmable(arriving->class))
        return port_drop(port, DROP_DATA_QUEUE_FULL);
    port_begin(port, now_ps);
    return trim_packet(port, *arriving, smaller(limit_bytes, port->profile->config.data.bytes));
}

/* ---- transmission --------------------------------------------------------------------------- */

bool port_red(struct port *port, uint32_t behind_bytes)
{
    const struct port_config *config = &port->profile->config;
    uint64_t above_bytes = behind_bytes - config->red_min_bytes;
    uint64_t span_bytes = config->red_max_bytes - config->red_min_bytes;

    if (behind_bytes >= config->red_max_bytes)
        return true;
    if (above_bytes == 0)
        return false;
    /* random < floor(2^32 above / span), without a division */
    return ((prng_next(&port->prng) >> 32) + 1) * span_bytes <= above_bytes << 32;
}

bool port_transmit(struct port *port, uint64_t now_ps, struct port_transmission *out)
{
    if (port_next_ps(port) > now_ps)
        return false;
    out->start_ps = port->free_ps;
    out->entry = *port_send(port);
    out->end_ps = port->free_ps;
    return true;
}

bool port_take_out(struct port *port, struct port_entry *out)
{
    if (port_next_ps(port) == PORT_NEVER_PS)
        return false;
    *out = *port_queue_pop(
        &port->queues[port->queues[PORT_CONTROL].count > 0 ? PORT_CONTROL : PORT_DATA],
        port->profile->pool);
    return true;
}

bool port_take_data(struct port *port, struct port_entry *out)
{
    if (port->queues[PORT_DATA].count == 0)
        return false;
    *out = *port_queue_pop(&port->queues[PORT_DATA], port->profile->pool);
    return true;
}

/* ---- set-up and invariants ------------------------------------------------------------------- */

void port_profile_init(
    struct port_profile *profile, const struct port_config *config, struct port_pool *pool)
{
    assert(config->rate_bps >= RATE_BPS_MIN);
    assert(config->red_min_bytes <= config->red_max_bytes);
    assert(!config->trims || config->trimmed_bytes > 0);
    *profile = (struct port_profile){
        .config = *config,
        .pool = pool,
        .byte_time = byte_time_at(config->rate_bps),
    };
    profile->framing_time = profile->byte_time * config->framing_bytes;
    if (config->control.bytes == 0)
        profile->config.control.bytes = 2 * config->data.bytes;
    if (config->data.packets == 0)
        profile->config.data.packets = UINT32_MAX;
    if (config->control.packets == 0)
        profile->config.control.packets = UINT32_MAX;
    profile->limits[PORT_DATA] = profile->config.data;
    profile->limits[PORT_CONTROL] = profile->config.control;
}

void port_init(struct port *port, const struct port_profile *profile,
    struct port_counters *counters, struct prng prng)
{
    *port = (struct port){ .profile = profile, .counters = counters, .prng = prng };
}

static void check_queue(const struct port *port, enum port_queue_kind kind)
{
    const struct port_limit *limit = &port->profile->limits[kind];
    const struct port_queue *queue = &port->queues[kind];
    uint32_t slot = queue->head;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < queue->count; i++) {
        const struct port_slot *here = &port->profile->pool->slots[slot];

        assert(slot < port->profile->pool->touched_count);
        assert(port_queue_of(here->entry.class) == kind);
        assert(i + 1 < queue->count || slot == queue->tail);
        bytes += here->entry.length_bytes;
        slot = here->next;
    }
    assert(bytes == queue->bytes);
    assert(queue->bytes <= limit->bytes);
    assert(queue->count <= limit->packets);
}

void port_check(const struct port *port)
{
    const struct port_pool *pool = port->profile->pool;

    check_queue(port, PORT_DATA);
    check_queue(port, PORT_CONTROL);
    assert(pool->slots);
    assert(pool->touched_count <= pool->slot_count);
    assert(port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count <= pool->touched_count);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Queueing, marking and trimming at an egress port (docs/fabric.md §10). */
#include "switch/port.h"

#include <assert.h>

#define SLOT_NONE        UINT32_MAX
#define BYTE_PS_AT_1_BPS UINT64_C(8000000000000)
#define RATE_BPS_MIN     1000000
#define BYTE_TIME_SHIFT  16

struct port_slot {
    struct port_entry entry;
    uint32_t next;
};

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
        .free_head = SLOT_NONE,
    };
}

static bool pool_is_exhausted(const struct port_pool *pool)
{
    return pool->used_count == pool->slot_count;
}

/* Last in, first out: the slot used last is in the cache still. */
static uint32_t pool_take(struct port_pool *pool)
{
    uint32_t slot = pool->free_head;

    pool->used_count++;
    if (slot == SLOT_NONE)
        return pool->touched_count++;
    pool->free_head = pool->slots[slot].next;
    return slot;
}

static void pool_give_back(struct port_pool *pool, uint32_t slot)
{
    pool->slots[slot].next = pool->free_head;
    pool->free_head = slot;
    pool->used_count--;
}

/* ---- queues --------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    enum port_counter packets, bytes, depth_bytes_max;
} counters_of[PORT_QUEUE_COUNT] = {
    [PORT_DATA]    = { PORT_COUNTER_DATA_PACKETS,    PORT_COUNTER_DATA_BYTES,    PORT_COUNTER_DATA_DEPTH_BYTES_MAX },
    [PORT_CONTROL] = { PORT_COUNTER_CONTROL_PACKETS, PORT_COUNTER_CONTROL_BYTES, PORT_COUNTER_CONTROL_DEPTH_BYTES_MAX },
};
/* clang-format on */

static void count(struct port *port, enum port_counter counter)
{
    port->counters->value[counter]++;
}

/* The pool has a slot left: refusal() says so. */
static inline void push(struct port *port, enum port_queue_kind kind, struct port_entry entry)
{
    struct port_pool *pool = port->profile->pool;
    struct port_queue *queue = &port->queues[kind];
    uint64_t *depth_max = &port->counters->value[counters_of[kind].depth_bytes_max];
    uint32_t slot = pool_take(pool);

    pool->slots[slot] = (struct port_slot){ .entry = entry, .next = SLOT_NONE };
    if (queue->count++ == 0)
        queue->head = slot;
    else
        pool->slots[queue->tail].next = slot;
    queue->tail = slot;
    queue->bytes += entry.length_bytes;
    if (queue->bytes > *depth_max)
        *depth_max = queue->bytes;
}

static inline struct port_entry pop(struct port *port, enum port_queue_kind kind)
{
    struct port_pool *pool = port->profile->pool;
    struct port_queue *queue = &port->queues[kind];
    uint32_t slot = queue->head;
    struct port_entry entry = pool->slots[slot].entry;

    queue->head = pool->slots[slot].next;
    queue->count--;
    queue->bytes -= entry.length_bytes;
    pool_give_back(pool, slot);
    return entry;
}

/* ---- admission ------------------------------------------------------------------------------ */

#define CLASS(class) (UINT32_C(1) << (class))

static bool is_control(uint8_t class)
{
    return (CLASS(DSCP_CONTROL) | CLASS(DSCP_TRIMMED) | CLASS(DSCP_TRIMMED_LASTHOP)) >> class & 1;
}

static bool is_trimmable(uint8_t class)
{
    return (CLASS(DSCP_TRIMMABLE) | CLASS(DSCP_TRIMMABLE_RETX)) >> class & 1;
}

static enum drop_reason refusal(
    const struct port *port, enum port_queue_kind kind, uint32_t length_bytes)
{
    const struct port_config *config = &port->profile->config;
    const struct port_limit *limit = kind == PORT_DATA ? &config->data : &config->control;
    const struct port_queue *queue = &port->queues[kind];

    if (queue->bytes + length_bytes > limit->bytes || queue->count >= limit->packets)
        return kind == PORT_DATA ? DROP_DATA_QUEUE_FULL : DROP_CONTROL_QUEUE_FULL;
    return pool_is_exhausted(port->profile->pool) ? DROP_BUFFER_FULL : DROP_NONE;
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
    count(port, drop_counter(reason));
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

/* Trimming the tail must make room for the arriving packet, or the data limit would not hold. */
static bool tail_can_yield(const struct port_config *config, const struct port_queue *data,
    struct port_entry tail, struct port_entry arriving)
{
    return is_trimmable(tail.class) &&
           data->bytes - tail.length_bytes + arriving.length_bytes <= config->data.bytes;
}

/* The data queue is full: the arriving packet or the youngest one waiting loses its payload, by the
 * toss of a coin. Where no trimmed packet fits either, the arriving one is lost. */
static struct port_outcome trim(struct port *port, struct port_entry arriving)
{
    const struct port_config *config = &port->profile->config;
    struct port_queue *data = &port->queues[PORT_DATA];
    struct port_entry *tail =
        data->count > 0 ? &port->profile->pool->slots[data->tail].entry : NULL;
    bool tail_yields = tail && tail_can_yield(config, data, *tail, arriving) &&
                       prng_chance(&port->prng, UINT32_C(1) << 31);
    struct port_entry cut = trimmed(config, tail_yields ? *tail : arriving);
    enum drop_reason reason = refusal(port, PORT_CONTROL, cut.length_bytes);

    if (reason != DROP_NONE)
        return port_drop(port, reason);
    if (tail_yields) {
        data->bytes = data->bytes - tail->length_bytes + arriving.length_bytes;
        *tail = arriving;
    }
    push(port, PORT_CONTROL, cut);
    count(port, tail_yields ? PORT_COUNTER_TRIMMED_TAIL : PORT_COUNTER_TRIMMED_ARRIVING);
    return (struct port_outcome){
        .verdict = tail_yields ? PORT_TRIMMED_TAIL : PORT_TRIMMED_ARRIVING, .cut = cut
    };
}

/* Apart from the code for packets that fit, which is to stay short. */
__attribute__((noinline)) static struct port_outcome did_not_fit(
    struct port *port, struct port_entry arriving, enum drop_reason reason)
{
    bool may_trim = port->profile->config.trims && is_trimmable(arriving.class);

    if (reason == DROP_DATA_QUEUE_FULL && may_trim)
        return trim(port, arriving);
    return port_drop(port, reason);
}

struct port_outcome port_enqueue(struct port *port, struct port_entry arriving, uint64_t now_ps)
{
    enum port_queue_kind kind = is_control(arriving.class) ? PORT_CONTROL : PORT_DATA;
    enum drop_reason reason = refusal(port, kind, arriving.length_bytes);
    uint64_t next_ps = port_next_ps(port);

    assert(next_ps > now_ps);
    if (next_ps == PORT_NEVER_PS && port->free_ps < now_ps)
        port->free_ps = now_ps;
    if (reason != DROP_NONE)
        return did_not_fit(port, arriving, reason);
    push(port, kind, arriving);
    return (struct port_outcome){ .verdict = PORT_QUEUED };
}

/* ---- transmission --------------------------------------------------------------------------- */

/* RED by the bytes that a packet leaves behind in the data queue. */
static bool marks(struct port *port, struct port_entry leaving)
{
    const struct port_config *config = &port->profile->config;
    uint32_t behind_bytes = port->queues[PORT_DATA].bytes;
    uint64_t above_bytes;
    uint64_t span_bytes;

    if (!config->marks || leaving.ecn == ECN_NOT_ECT || leaving.ecn == ECN_CE)
        return false;
    if (behind_bytes >= config->red_max_bytes)
        return true;
    if (behind_bytes <= config->red_min_bytes)
        return false;
    above_bytes = behind_bytes - config->red_min_bytes;
    span_bytes = config->red_max_bytes - config->red_min_bytes;
    /* random < floor(2^32 above / span), without dividing */
    return ((prng_next(&port->prng) >> 32) + 1) * span_bytes <= above_bytes << 32;
}

bool port_transmit(struct port *port, uint64_t now_ps, struct port_transmission *out)
{
    enum port_queue_kind kind = port->queues[PORT_CONTROL].count > 0 ? PORT_CONTROL : PORT_DATA;

    if (port_next_ps(port) > now_ps)
        return false;
    out->entry = pop(port, kind);
    if (kind == PORT_DATA && marks(port, out->entry)) {
        out->entry.ecn = ECN_CE;
        count(port, PORT_COUNTER_MARKED);
    }
    count(port, counters_of[kind].packets);
    port->counters->value[counters_of[kind].bytes] += out->entry.length_bytes;
    out->start_ps = port->free_ps;
    port->free_ps += port_transmission_ps(port->profile, out->entry.length_bytes);
    out->end_ps = port->free_ps;
    return true;
}

bool port_take_out(struct port *port, struct port_entry *out)
{
    if (port_next_ps(port) == PORT_NEVER_PS)
        return false;
    *out = pop(port, port->queues[PORT_CONTROL].count > 0 ? PORT_CONTROL : PORT_DATA);
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
        .byte_time = (BYTE_PS_AT_1_BPS << BYTE_TIME_SHIFT) / config->rate_bps,
    };
    if (config->control.bytes == 0)
        profile->config.control.bytes = 2 * config->data.bytes;
    if (config->data.packets == 0)
        profile->config.data.packets = UINT32_MAX;
    if (config->control.packets == 0)
        profile->config.control.packets = UINT32_MAX;
}

void port_init(struct port *port, const struct port_profile *profile,
    struct port_counters *counters, struct prng prng)
{
    *port = (struct port){ .profile = profile, .counters = counters, .prng = prng };
}

static void check_queue(const struct port *port, enum port_queue_kind kind)
{
    const struct port_config *config = &port->profile->config;
    const struct port_limit *limit = kind == PORT_DATA ? &config->data : &config->control;
    const struct port_queue *queue = &port->queues[kind];
    uint32_t slot = queue->head;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < queue->count; i++) {
        const struct port_slot *here = &port->profile->pool->slots[slot];

        assert(slot < port->profile->pool->touched_count);
        assert(is_control(here->entry.class) == (kind == PORT_CONTROL));
        assert((here->next == SLOT_NONE) == (i + 1 == queue->count));
        assert(here->next != SLOT_NONE || slot == queue->tail);
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
    assert(pool->used_count <= pool->touched_count);
    assert(pool->touched_count <= pool->slot_count);
    assert(port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count <= pool->used_count);
}

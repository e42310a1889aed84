/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of an egress port under random traffic. */
#include "spec.h"

#include <stdbool.h>
#include <string.h>

#include "switch/switch.h"

enum {
    ARRIVALS = 400,
    SLOTS_MAX = 256,
};

enum fate {
    UNBORN,
    WAITING_AS_DATA,
    WAITING_AS_CONTROL,
    SENT,
    DROPPED,
};

struct world {
    _Alignas(16) uint8_t memory[SLOTS_MAX * 12];
    struct port_pool pool;
    struct port_profile profile;
    struct port_counters counters;
    uint64_t rare[PORT_COUNTERS_SELDOM];
    struct port port;
    struct prng prng;
    uint8_t fate[ARRIVALS]; /* enum fate, by handle */
    uint64_t arrived_ps[ARRIVALS];
    uint16_t length_bytes[ARRIVALS];
    uint64_t wire_free_ps;
    uint32_t sent_count;
    uint64_t hash; /* of every transmission: packet, time, state */
};

static struct port_config random_config(struct prng *prng)
{
    uint32_t limit_bytes = 2000 + prng_below(prng, 60000);
    uint32_t red_max_bytes = 1 + prng_below(prng, limit_bytes);
    struct port_config config = { .data.bytes = limit_bytes, .red_max_bytes = red_max_bytes };

    config.rate_bps = UINT64_C(1000000000) * (1 + prng_below(prng, 800));
    config.data.packets = prng_below(prng, 40);
    config.control.bytes = prng_below(prng, 5000);
    config.control.packets = prng_below(prng, 40);
    config.red_min_bytes = prng_below(prng, red_max_bytes);
    config.trimmed_bytes = (uint16_t)(64 + prng_below(prng, 200));
    config.marks = prng_below(prng, 2);
    config.trims = prng_below(prng, 4) > 0;
    config.faces_host = prng_below(prng, 2);
    return config;
}

static void set_up(struct world *world, uint64_t seed)
{
    struct arena arena;
    struct port_config config;

    memset(world, 0, sizeof(*world));
    world->prng = prng_stream(seed, 1);
    config = random_config(&world->prng);
    arena_init(&arena, world->memory, sizeof(world->memory));
    port_pool_init(&world->pool, &arena, 8 + prng_below(&world->prng, SLOTS_MAX - 8));
    port_profile_init(&world->profile, &config, &world->pool);
    world->counters.seldom = world->rare;
    port_init(&world->port, &world->profile, &world->counters, prng_stream(seed, 2));
}

static struct port_entry random_packet(struct world *world, uint32_t handle)
{
    uint8_t class = (uint8_t)prng_below(&world->prng, DSCP_CLASS_COUNT);
    bool is_large = class != DSCP_CONTROL && !dscp_is_trimmed((enum dscp_class) class);
    struct port_entry entry = { .handle = handle };

    if (prng_below(&world->prng, 2))
        class = is_large ? DSCP_TRIMMABLE : class;
    entry.class = class;
    entry.length_bytes = (uint16_t)(60 + prng_below(&world->prng, is_large ? 4200 : 100));
    entry.ecn = (uint8_t)prng_below(&world->prng, 4);
    return entry;
}

static bool waits_before(const struct world *world, uint32_t handle, enum fate fate)
{
    for (uint32_t i = 0; i < handle; i++)
        if (world->fate[i] == fate)
            return true;
    return false;
}

static bool any_waits(const struct world *world, enum fate fate)
{
    return waits_before(world, ARRIVALS, fate);
}

/* One transmission left: control first, data in order, no gap on the wire and no overlap. */
static void judge_transmission(struct world *world, const struct port_transmission *sent)
{
    uint32_t handle = sent->entry.handle;
    uint64_t earliest_ps = world->arrived_ps[handle] > world->wire_free_ps
                               ? world->arrived_ps[handle]
                               : world->wire_free_ps;

    EXPECT(world->fate[handle] == WAITING_AS_DATA || world->fate[handle] == WAITING_AS_CONTROL);
    if (world->fate[handle] == WAITING_AS_DATA) {
        EXPECT(!any_waits(world, WAITING_AS_CONTROL));
        EXPECT(!waits_before(world, handle, WAITING_AS_DATA));
    }
    EXPECT_EQ(sent->entry.length_bytes, world->length_bytes[handle]);
    EXPECT_GE(sent->start_ps, earliest_ps);
    EXPECT_EQ(sent->start_ps,
        sent->start_ps > world->wire_free_ps ? world->arrived_ps[handle] : world->wire_free_ps);
    EXPECT_EQ(sent->end_ps - sent->start_ps,
        port_transmission_ps(&world->profile, sent->entry.length_bytes));
    world->fate[handle] = SENT;
    world->sent_count++;
    world->wire_free_ps = sent->end_ps;
    world->hash =
        (world->hash ^ sent->start_ps ^ (uint64_t)handle << 40 ^ (uint64_t)sent->entry.ecn << 60) *
        UINT64_C(0x9e3779b97f4a7c15);
}

static void work_off(struct world *world, uint64_t now_ps)
{
    struct port_transmission sent;

    while (port_transmit(&world->port, now_ps, &sent)) {
        judge_transmission(world, &sent);
        port_check(&world->port);
    }
}

static void note_cut(struct world *world, struct port_entry cut)
{
    EXPECT_EQ(cut.class, world->profile.config.faces_host ? DSCP_TRIMMED_LASTHOP : DSCP_TRIMMED);
    EXPECT_LE(cut.length_bytes, world->length_bytes[cut.handle]);
    EXPECT_LE(cut.length_bytes, world->profile.config.trimmed_bytes);
    world->length_bytes[cut.handle] = cut.length_bytes;
    world->fate[cut.handle] = WAITING_AS_CONTROL;
}

static void arrive(struct world *world, struct port_entry entry, uint64_t now_ps)
{
    bool is_control = entry.class == DSCP_CONTROL || dscp_is_trimmed((enum dscp_class)entry.class);
    struct port_outcome outcome = port_enqueue(&world->port, entry, now_ps);

    world->arrived_ps[entry.handle] = now_ps;
    world->length_bytes[entry.handle] = entry.length_bytes;
    world->fate[entry.handle] = is_control ? WAITING_AS_CONTROL : WAITING_AS_DATA;
    switch (outcome.verdict) {
    case PORT_DROPPED:
        EXPECT_NE(outcome.reason, DROP_NONE);
        world->fate[entry.handle] = DROPPED;
        break;
    case PORT_TRIMMED_ARRIVING:
        EXPECT_EQ(outcome.cut.handle, entry.handle);
        note_cut(world, outcome.cut);
        break;
    case PORT_TRIMMED_TAIL:
        EXPECT_NE(outcome.cut.handle, entry.handle);
        EXPECT_EQ(world->fate[outcome.cut.handle], WAITING_AS_DATA);
        note_cut(world, outcome.cut);
        break;
    default:
        break;
    }
    port_check(&world->port);
}

/* Bursts and pauses; `looks` more times a step somebody looks at the port in between. */
static void run(struct world *world, uint32_t looks)
{
    uint64_t now_ps = 0;

    for (uint32_t handle = 0; handle < ARRIVALS; handle++) {
        struct port_entry entry = random_packet(world, handle);
        uint64_t gap_ps = prng_below(&world->prng, 3) ? 0 : prng_below(&world->prng, 500000);

        for (uint32_t i = 1; i <= looks; i++)
            work_off(world, now_ps + gap_ps * i / (looks + 1));
        now_ps += gap_ps;
        work_off(world, now_ps);
        arrive(world, entry, now_ps);
    }
    work_off(world, PORT_NEVER_PS - 1);
}

static uint64_t dropped(const struct world *world)
{
    return port_counter(&world->counters, PORT_COUNTER_DROPPED_DATA_QUEUE) +
           port_counter(&world->counters, PORT_COUNTER_DROPPED_CONTROL_QUEUE) +
           port_counter(&world->counters, PORT_COUNTER_DROPPED_BUFFER);
}

PROPERTY("every packet leaves once, in order, or is dropped for a counted reason", 500)
{
    static struct world world;

    set_up(&world, seed);
    run(&world, 0);
    EXPECT_EQ(world.sent_count + dropped(&world), ARRIVALS);
    EXPECT_EQ(port_counter(&world.counters, PORT_COUNTER_DATA_PACKETS) +
                  port_counter(&world.counters, PORT_COUNTER_CONTROL_PACKETS),
        world.sent_count);
    EXPECT_EQ(port_pool_used_count(&world.pool), 0);
    EXPECT_EQ(port_next_ps(&world.port), PORT_NEVER_PS);
}

PROPERTY("queries do not change what a port does", 200)
{
    static struct world seldom;
    static struct world often;

    set_up(&seldom, seed);
    set_up(&often, seed);
    run(&seldom, 0);
    run(&often, 7);
    EXPECT_EQ(seldom.hash, often.hash);
    EXPECT_MEM_EQ(seldom.counters.often, often.counters.often, sizeof(seldom.counters.often));
    EXPECT_MEM_EQ(seldom.rare, often.rare, sizeof(seldom.rare));
}

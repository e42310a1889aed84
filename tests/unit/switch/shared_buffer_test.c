/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer that the ports of a switch share: dynamic limits, cells, trims and drops. */
#include "spec.h"

#include <string.h>

#include "switch/switch.h"

enum {
    PORTS = 5,
    SLOTS = 4096,
    FULL_BYTES = 1000,
    BUFFER_BYTES = 1000000,
};

#define WAIT_PS UINT64_C(1000000)

struct bench {
    _Alignas(16) uint8_t memory[SLOTS * sizeof(struct port_slot) + 64];
    struct port_pool pool;
    struct port_profile profile;
    struct port_counters counters;
    uint64_t seldom[PORT_COUNTERS_SELDOM];
    struct port ports[PORTS];
    struct shared_buffer buffer;
};

/* The wires are busy until WAIT_PS. */
static void set_up(struct bench *bench, bool trims, uint32_t cell_bytes, int32_t alpha_log2)
{
    struct port_config config = { .rate_bps = UINT64_C(100000000000),
        .data = { .bytes = 1 << 30 },
        .trimmed_bytes = 100,
        .trims = trims };
    struct arena arena;

    arena_init(&arena, bench->memory, sizeof(bench->memory));
    memset(bench->seldom, 0, sizeof(bench->seldom));
    bench->counters = (struct port_counters){ .seldom = bench->seldom };
    port_pool_init(&bench->pool, &arena, SLOTS);
    port_profile_init(&bench->profile, &config, &bench->pool);
    for (uint32_t i = 0; i < PORTS; i++) {
        port_init(&bench->ports[i], &bench->profile, &bench->counters, prng_stream(7, i));
        port_hold(&bench->ports[i], WAIT_PS);
    }
    shared_buffer_init(&bench->buffer,
        &(struct shared_buffer_config){
            .size_bytes = BUFFER_BYTES, .cell_bytes = cell_bytes, .alpha_log2 = alpha_log2 });
}

static enum port_verdict put(struct bench *bench, uint32_t port, enum dscp_class class)
{
    struct port_entry entry = {
        .length_bytes = FULL_BYTES, .class = (uint8_t) class, .ecn = ECN_NOT_ECT
    };
    enum port_verdict verdict =
        shared_buffer_admit(&bench->buffer, &bench->ports[port], &entry, 0).verdict;

    port_check(&bench->ports[port]);
    return verdict;
}

/* Fills `count` ports in turn until none takes more. Returns the bytes of the first queue. */
static uint32_t fill(struct bench *bench, uint32_t count)
{
    bool any = true;

    while (any) {
        any = false;
        for (uint32_t i = 0; i < count; i++)
            any |= put(bench, i, DSCP_TRIMMABLE) == PORT_QUEUED;
    }
    return bench->ports[0].queues[PORT_DATA].bytes;
}

static void expect_near(uint64_t value, uint64_t wanted)
{
    EXPECT_GE(value, wanted - 2 * FULL_BYTES);
    EXPECT_LE(value, wanted + 2 * FULL_BYTES);
}

SPEC("n full queues have alpha / (1 + n alpha) of the buffer each")
{
    static struct bench bench;

    for (int32_t alpha_log2 = -3; alpha_log2 <= 3; alpha_log2++)
        for (uint32_t n = 1; n <= PORTS; n++) {
            double alpha = alpha_log2 < 0 ? 1.0 / (1 << -alpha_log2) : 1 << alpha_log2;

            set_up(&bench, false, 0, alpha_log2);
            expect_near(fill(&bench, n), (uint64_t)(BUFFER_BYTES * alpha / (1 + n * alpha)));
        }
}

SPEC("a packet occupies whole cells until it has left")
{
    static struct bench bench;
    struct port_transmission sent;

    set_up(&bench, false, 254, 0);
    put(&bench, 0, DSCP_TRIMMABLE);
    EXPECT_EQ(bench.buffer.used_bytes, 4 * 254);
    EXPECT(port_transmit(&bench.ports[0], WAIT_PS, &sent));
    shared_buffer_release(&bench.buffer, sent.entry.length_bytes);
    EXPECT_EQ(bench.buffer.used_bytes, 0);
    EXPECT_EQ(bench.buffer.peak_bytes, 4 * 254);
}

SPEC("a packet over the dynamic limit is trimmed, or dropped if it must not be trimmed")
{
    static struct bench bench;

    set_up(&bench, true, 0, 0);
    fill(&bench, 1);
    EXPECT_NE(put(&bench, 0, DSCP_TRIMMABLE), PORT_QUEUED);
    EXPECT_NE(put(&bench, 0, DSCP_TRIMMABLE), PORT_DROPPED);
    EXPECT_EQ(put(&bench, 0, DSCP_NO_TRIM), PORT_DROPPED);
    EXPECT_EQ(put(&bench, 1, DSCP_NO_TRIM), PORT_QUEUED);
}

PROPERTY("what is used is the sum of what waits, whatever is trimmed, dropped or sent", 50)
{
    static struct bench bench;
    struct prng prng = prng_stream(seed, 0);
    uint64_t now_ps = 0;

    set_up(&bench, prng_below(&prng, 2) == 0, 0, (int32_t)prng_below(&prng, 6) - 3);
    for (uint32_t step = 0; step < 3000; step++) {
        uint32_t port = prng_below(&prng, PORTS);
        struct port_transmission sent;
        uint64_t waiting_bytes = 0;

        now_ps += prng_below(&prng, 20000);
        for (uint32_t i = 0; i < PORTS; i++)
            while (port_transmit(&bench.ports[i], now_ps, &sent))
                shared_buffer_release(&bench.buffer, sent.entry.length_bytes);
        shared_buffer_admit(&bench.buffer, &bench.ports[port],
            &(struct port_entry){ .length_bytes = (uint16_t)(100 + prng_below(&prng, 4000)),
                .class = DSCP_TRIMMABLE },
            now_ps);
        for (uint32_t i = 0; i < PORTS; i++)
            waiting_bytes +=
                bench.ports[i].queues[PORT_DATA].bytes + bench.ports[i].queues[PORT_CONTROL].bytes;
        EXPECT_EQ(waiting_bytes, bench.buffer.used_bytes);
    }
}

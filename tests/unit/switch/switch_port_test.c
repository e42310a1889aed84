/* SPDX-License-Identifier: Apache-2.0 */
/* One egress port: order, time, marks, trims and drops. */
#include "spec.h"

#include <stdbool.h>
#include <string.h>

#include "switch/switch.h"

enum {
    FULL_BYTES = 4000, /* at 80 ps a byte: 320 ns */
    LIMIT_BYTES = 10 * FULL_BYTES,
    SLOTS_MAX = 64,
};

#define FULL_PS UINT64_C(320000)

static const struct port_config uplink = {
    .rate_bps = UINT64_C(100000000000),
    .data = { .bytes = LIMIT_BYTES },
    .red_min_bytes = 2 * FULL_BYTES,
    .red_max_bytes = 8 * FULL_BYTES,
    .trimmed_bytes = 128,
    .marks = true,
    .trims = true,
};

struct bench {
    _Alignas(16) uint8_t memory[2048];
    struct port_pool pool;
    struct port_profile profile;
    struct port_counters counters;
    uint64_t seldom[PORT_COUNTERS_SELDOM];
    struct port port;
};

static void set_up(struct bench *bench, const struct port_config *config, uint32_t slot_count)
{
    struct arena arena;

    arena_init(&arena, bench->memory, sizeof(bench->memory));
    memset(bench->seldom, 0, sizeof(bench->seldom));
    bench->counters = (struct port_counters){ .seldom = bench->seldom };
    port_pool_init(&bench->pool, &arena, slot_count);
    port_profile_init(&bench->profile, config, &bench->pool);
    port_init(&bench->port, &bench->profile, &bench->counters, prng_stream(7, 0));
}

static struct port_entry packet(uint32_t handle, enum dscp_class class)
{
    return (struct port_entry){ .handle = handle,
        .length_bytes = class == DSCP_CONTROL || dscp_is_trimmed(class) ? 100 : FULL_BYTES,
        .class = (uint8_t) class,
        .ecn = class == DSCP_CONTROL ? ECN_NOT_ECT : ECN_ECT0 };
}

static struct port_outcome put(struct bench *bench, struct port_entry entry)
{
    struct port_outcome outcome = port_enqueue(&bench->port, entry, 0);

    port_check(&bench->port);
    return outcome;
}

/* Handle 0 takes the wire until FULL_PS; `count` more, numbered from 1, wait behind it. */
static void occupy(struct bench *bench, uint32_t count, enum dscp_class class)
{
    struct port_transmission first;

    put(bench, packet(0, class));
    EXPECT(port_transmit(&bench->port, 0, &first));
    for (uint32_t i = 1; i <= count; i++)
        EXPECT_EQ(put(bench, packet(i, class)).verdict, PORT_QUEUED);
}

static struct port_transmission next(struct bench *bench)
{
    struct port_transmission transmission;

    EXPECT(port_transmit(&bench->port, PORT_NEVER_PS - 1, &transmission));
    port_check(&bench->port);
    return transmission;
}

static uint64_t counted(const struct bench *bench, enum port_counter counter)
{
    return port_counter(&bench->counters, counter);
}

SPEC("a packet leaves at once if the wire is free, otherwise when it becomes free")
{
    struct bench bench;
    struct port_transmission transmission;

    set_up(&bench, &uplink, SLOTS_MAX);
    port_enqueue(&bench.port, packet(1, DSCP_TRIMMABLE), 5000);
    EXPECT(port_transmit(&bench.port, 5000, &transmission));
    EXPECT_EQ(transmission.start_ps, 5000);
    EXPECT_EQ(transmission.end_ps, 5000 + FULL_PS);
    port_enqueue(&bench.port, packet(2, DSCP_TRIMMABLE), 6000);
    EXPECT_EQ(port_next_ps(&bench.port), 5000 + FULL_PS);
    EXPECT(!port_transmit(&bench.port, 4999 + FULL_PS, &transmission));
    EXPECT(port_transmit(&bench.port, 9 * FULL_PS, &transmission));
    EXPECT_EQ(transmission.entry.handle, 2);
    EXPECT_EQ(transmission.start_ps, 5000 + FULL_PS);
    EXPECT_EQ(port_next_ps(&bench.port), PORT_NEVER_PS);
}

SPEC("a packet that passes an idle port leaves it as if it had been queued and sent")
{
    static const enum dscp_class classes[] = { DSCP_TRIMMABLE, DSCP_CONTROL, DSCP_NO_TRIM };
    struct bench queued;
    struct bench passed;
    uint64_t now_ps = 5000;

    set_up(&queued, &uplink, SLOTS_MAX);
    set_up(&passed, &uplink, SLOTS_MAX);
    for (uint32_t i = 0; i < 3; i++, now_ps += 2 * FULL_PS) {
        struct port_entry entry = packet(i, classes[i]);
        struct port_transmission transmission;

        port_enqueue(&queued.port, entry, now_ps);
        EXPECT(port_transmit(&queued.port, now_ps, &transmission));
        EXPECT(port_pass_is_open(&passed.port, &entry, now_ps));
        EXPECT_EQ(port_pass(&passed.port, &entry, now_ps), transmission.end_ps);
        EXPECT_EQ(passed.port.free_ps, queued.port.free_ps);
        EXPECT_MEM_EQ(passed.counters.often, queued.counters.often, sizeof(passed.counters.often));
        EXPECT_MEM_EQ(passed.seldom, queued.seldom, sizeof(passed.seldom));
        port_check(&passed.port);
    }
}

SPEC(
    "no packet passes a busy wire, waiting packets, a full pool, or a port that marks every packet")
{
    struct port_entry entry = packet(9, DSCP_TRIMMABLE);
    struct port_config config = uplink;
    struct bench bench;

    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 0, DSCP_TRIMMABLE);
    EXPECT(!port_pass_is_open(&bench.port, &entry, FULL_PS - 1));
    EXPECT(port_pass_is_open(&bench.port, &entry, FULL_PS));
    put(&bench, packet(1, DSCP_TRIMMABLE));
    EXPECT(!port_pass_is_open(&bench.port, &entry, FULL_PS));

    set_up(&bench, &uplink, 0);
    EXPECT(!port_pass_is_open(&bench.port, &entry, 0));

    config.red_min_bytes = 0;
    config.red_max_bytes = 0;
    set_up(&bench, &config, SLOTS_MAX);
    EXPECT(!port_pass_is_open(&bench.port, &entry, 0));
    config.marks = false;
    set_up(&bench, &config, SLOTS_MAX);
    EXPECT(port_pass_is_open(&bench.port, &entry, 0));
}

SPEC("a byte takes eight bit times: exact for usual rates, to a millionth for any")
{
    struct bench bench;
    struct port_config config = uplink;

    config.rate_bps = UINT64_C(800000000000);
    set_up(&bench, &config, SLOTS_MAX);
    EXPECT_EQ(port_transmission_ps(&bench.profile, 4184), 41840);
    config.rate_bps = UINT64_C(50000000000);
    set_up(&bench, &config, SLOTS_MAX);
    EXPECT_EQ(port_transmission_ps(&bench.profile, 65535), 65535 * 160);
    config.rate_bps = UINT64_C(777777777777);
    set_up(&bench, &config, SLOTS_MAX);
    EXPECT_GE(port_transmission_ps(&bench.profile, 65535), 674073);
    EXPECT_LE(port_transmission_ps(&bench.profile, 65535), 674075);
    config.rate_bps = 1000000;
    set_up(&bench, &config, SLOTS_MAX);
    EXPECT_EQ(port_transmission_ps(&bench.profile, 65535), UINT64_C(65535) * 8000000);
}

SPEC("control overtakes waiting data, not the packet on the wire, and keeps its own order")
{
    struct bench bench;

    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 2, DSCP_TRIMMABLE);
    put(&bench, packet(11, DSCP_CONTROL));
    put(&bench, packet(12, DSCP_TRIMMED));
    put(&bench, packet(13, DSCP_TRIMMED_LASTHOP));
    EXPECT_EQ(next(&bench).start_ps, FULL_PS);
    EXPECT_EQ(next(&bench).entry.handle, 12);
    EXPECT_EQ(next(&bench).entry.handle, 13);
    EXPECT_EQ(next(&bench).entry.handle, 1);
    EXPECT_EQ(next(&bench).entry.handle, 2);
    EXPECT_EQ(port_next_ps(&bench.port), PORT_NEVER_PS);
}

SPEC("a full data queue trims the arriving packet or the tail, each half of the time")
{
    struct bench bench;
    struct port_config config = uplink;
    uint32_t tail = 10;

    config.control.bytes = 1000000;
    set_up(&bench, &config, SLOTS_MAX);
    occupy(&bench, 10, DSCP_TRIMMABLE);
    for (uint32_t handle = 100; handle < 1100; handle++) {
        struct port_outcome outcome = put(&bench, packet(handle, DSCP_TRIMMABLE));
        bool is_tail = outcome.verdict == PORT_TRIMMED_TAIL;
        struct port_transmission header;

        EXPECT_EQ(outcome.cut.handle, is_tail ? tail : handle);
        EXPECT_EQ(outcome.cut.length_bytes, 128);
        EXPECT_EQ(outcome.cut.class, DSCP_TRIMMED);
        tail = is_tail ? handle : tail;
        bench.port.free_ps = 0;
        EXPECT(port_transmit(&bench.port, 0, &header));
        EXPECT_EQ(header.entry.handle, outcome.cut.handle);
    }
    EXPECT_EQ(
        counted(&bench, PORT_COUNTER_TRIMMED_TAIL) + counted(&bench, PORT_COUNTER_TRIMMED_ARRIVING),
        1000);
    EXPECT_GE(counted(&bench, PORT_COUNTER_TRIMMED_TAIL), 440);
    EXPECT_LE(counted(&bench, PORT_COUNTER_TRIMMED_TAIL), 560);
}

SPEC("a port that faces a host trims to TRIMMED_LASTHOP")
{
    struct bench bench;
    struct port_config config = uplink;

    config.faces_host = true;
    set_up(&bench, &config, SLOTS_MAX);
    occupy(&bench, 10, DSCP_TRIMMABLE_RETX);
    EXPECT_EQ(put(&bench, packet(11, DSCP_TRIMMABLE)).cut.class, DSCP_TRIMMED_LASTHOP);
}

SPEC("a packet marked before it is trimmed keeps its mark")
{
    struct bench bench;
    struct port_entry marked = packet(11, DSCP_TRIMMABLE);

    marked.ecn = ECN_CE;
    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 10, DSCP_NO_TRIM);
    EXPECT_EQ(put(&bench, marked).cut.ecn, ECN_CE);
}

SPEC("a packet shorter than a trimmed one keeps its length when it is trimmed")
{
    struct bench bench;
    struct port_config config = uplink;
    struct port_entry tiny = packet(1, DSCP_TRIMMABLE);

    config.data.bytes = 50;
    config.control.bytes = 1000;
    tiny.length_bytes = 90;
    set_up(&bench, &config, SLOTS_MAX);
    EXPECT_EQ(put(&bench, tiny).verdict, PORT_TRIMMED_ARRIVING);
    EXPECT_EQ(next(&bench).entry.length_bytes, 90);
}

SPEC("data that must not be trimmed, and foreign traffic, are dropped when the queue is full")
{
    struct bench bench;

    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 10, DSCP_TRIMMABLE);
    EXPECT_EQ(put(&bench, packet(11, DSCP_NO_TRIM)).verdict, PORT_DROPPED);
    EXPECT_EQ(put(&bench, packet(12, DSCP_OTHER)).reason, DROP_DATA_QUEUE_FULL);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DROPPED_DATA_QUEUE), 2);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_TRIMMED_TAIL), 0);
}

SPEC("a port that does not trim drops the arriving packet")
{
    struct bench bench;
    struct port_config config = uplink;

    config.trims = false;
    set_up(&bench, &config, SLOTS_MAX);
    occupy(&bench, 10, DSCP_TRIMMABLE);
    EXPECT_EQ(put(&bench, packet(11, DSCP_TRIMMABLE)).reason, DROP_DATA_QUEUE_FULL);
}

SPEC("a packet at the tail that must not be trimmed is kept")
{
    struct bench bench;

    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 10, DSCP_NO_TRIM);
    for (uint32_t handle = 11; handle < 31; handle++)
        EXPECT_EQ(put(&bench, packet(handle, DSCP_TRIMMABLE)).verdict, PORT_TRIMMED_ARRIVING);
}

SPEC("a packet at the tail that is too short to make room is kept")
{
    struct bench bench;
    struct port_entry tail = packet(10, DSCP_TRIMMABLE);

    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 9, DSCP_TRIMMABLE);
    for (uint32_t i = 0; i < 8; i++) {
        tail.length_bytes = 500;
        EXPECT_EQ(put(&bench, tail).verdict, PORT_QUEUED);
    }
    for (uint32_t handle = 11; handle < 31; handle++)
        EXPECT_EQ(put(&bench, packet(handle, DSCP_TRIMMABLE)).verdict, PORT_TRIMMED_ARRIVING);
}

SPEC("a full control queue drops control, trimmed packets and packets that would be trimmed")
{
    struct bench bench;
    struct port_config config = uplink;

    config.control.bytes = 250;
    set_up(&bench, &config, SLOTS_MAX);
    occupy(&bench, 10, DSCP_TRIMMABLE);
    EXPECT_EQ(put(&bench, packet(11, DSCP_CONTROL)).verdict, PORT_QUEUED);
    EXPECT_EQ(put(&bench, packet(12, DSCP_TRIMMED)).verdict, PORT_QUEUED);
    EXPECT_EQ(put(&bench, packet(13, DSCP_CONTROL)).reason, DROP_CONTROL_QUEUE_FULL);
    EXPECT_EQ(put(&bench, packet(14, DSCP_TRIMMED)).reason, DROP_CONTROL_QUEUE_FULL);
    EXPECT_EQ(put(&bench, packet(15, DSCP_TRIMMABLE)).reason, DROP_CONTROL_QUEUE_FULL);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DROPPED_CONTROL_QUEUE), 3);
    EXPECT_EQ(bench.port.queues[PORT_DATA].count, 10);
}

SPEC("by default the control queue holds twice the bytes of the data queue")
{
    struct bench bench;

    set_up(&bench, &uplink, SLOTS_MAX);
    EXPECT_EQ(bench.profile.config.control.bytes, 2 * LIMIT_BYTES);
}

SPEC("a queue can be limited to a number of packets")
{
    struct bench bench;
    struct port_config config = uplink;

    config.trims = false;
    config.data.packets = 3;
    config.control.packets = 1;
    set_up(&bench, &config, SLOTS_MAX);
    occupy(&bench, 3, DSCP_TRIMMABLE);
    EXPECT_EQ(put(&bench, packet(4, DSCP_TRIMMABLE)).reason, DROP_DATA_QUEUE_FULL);
    EXPECT_EQ(put(&bench, packet(5, DSCP_CONTROL)).verdict, PORT_QUEUED);
    EXPECT_EQ(put(&bench, packet(6, DSCP_CONTROL)).reason, DROP_CONTROL_QUEUE_FULL);
}

SPEC("ports share one buffer; when it is full every packet is dropped, and slots are returned")
{
    struct bench bench;
    struct port second;

    set_up(&bench, &uplink, 4);
    port_init(&second, &bench.profile, &bench.counters, prng_stream(7, 1));
    occupy(&bench, 3, DSCP_TRIMMABLE);
    EXPECT_EQ(port_enqueue(&second, packet(9, DSCP_CONTROL), 0).verdict, PORT_QUEUED);
    EXPECT_EQ(put(&bench, packet(10, DSCP_TRIMMABLE)).reason, DROP_BUFFER_FULL);
    EXPECT_EQ(put(&bench, packet(11, DSCP_CONTROL)).reason, DROP_BUFFER_FULL);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DROPPED_BUFFER), 2);
    next(&bench);
    bench.port.free_ps = 1;
    EXPECT_EQ(put(&bench, packet(12, DSCP_CONTROL)).verdict, PORT_QUEUED);
    EXPECT_EQ(port_pool_used_count(&bench.pool), 4);
}

/* How many of `count` packets are marked that leave `behind_bytes` in the data queue. */
static uint32_t marked_of(
    const struct port_config *config, uint32_t count, uint32_t behind_bytes, enum ecn ecn)
{
    struct bench bench;
    uint32_t marked = 0;

    set_up(&bench, config, SLOTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        struct port_entry leaving = packet(1, DSCP_TRIMMABLE);
        struct port_entry behind = packet(2, DSCP_TRIMMABLE);
        struct port_transmission transmission;

        leaving.ecn = (uint8_t)ecn;
        behind.length_bytes = (uint16_t)behind_bytes;
        bench.port.free_ps = 1;
        put(&bench, leaving);
        if (behind_bytes > 0)
            put(&bench, behind);
        transmission = next(&bench);
        marked += transmission.entry.ecn == ECN_CE;
        while (port_transmit(&bench.port, PORT_NEVER_PS - 1, &transmission))
            ;
    }
    return marked;
}

SPEC("data is marked when it leaves: never below the lower threshold, always from the upper one on")
{
    EXPECT_EQ(marked_of(&uplink, 200, 0, ECN_ECT0), 0);
    EXPECT_EQ(marked_of(&uplink, 200, 2 * FULL_BYTES, ECN_ECT0), 0);
    EXPECT_EQ(marked_of(&uplink, 200, 8 * FULL_BYTES, ECN_ECT0), 200);
    EXPECT_EQ(marked_of(&uplink, 200, 8 * FULL_BYTES, ECN_ECT1), 200);
}

SPEC("between the thresholds the share of marks grows with the queue")
{
    uint32_t quarter = marked_of(&uplink, 4000, 7 * FULL_BYTES / 2, ECN_ECT0);
    uint32_t half = marked_of(&uplink, 4000, 5 * FULL_BYTES, ECN_ECT0);

    EXPECT_GE(quarter, 880);
    EXPECT_LE(quarter, 1120);
    EXPECT_GE(half, 1860);
    EXPECT_LE(half, 2140);
}

SPEC("equal thresholds mark either none or all packets")
{
    struct port_config config = uplink;

    config.red_min_bytes = config.red_max_bytes = 4 * FULL_BYTES;
    EXPECT_EQ(marked_of(&config, 50, 4 * FULL_BYTES - 1, ECN_ECT0), 0);
    EXPECT_EQ(marked_of(&config, 50, 4 * FULL_BYTES, ECN_ECT0), 50);
}

SPEC("packets that cannot carry a mark, and packets at ports that do not mark, are not marked")
{
    struct port_config config = uplink;

    EXPECT_EQ(marked_of(&uplink, 50, 9 * FULL_BYTES, ECN_NOT_ECT), 0);
    config.marks = false;
    EXPECT_EQ(marked_of(&config, 50, 9 * FULL_BYTES, ECN_ECT0), 0);
}

SPEC("control is not marked, for any length of the queues")
{
    struct bench bench;
    struct port_entry capable = packet(11, DSCP_CONTROL);

    capable.ecn = ECN_ECT0;
    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 10, DSCP_TRIMMABLE);
    put(&bench, capable);
    EXPECT_EQ(next(&bench).entry.ecn, ECN_ECT0);
}

SPEC("a port counts what it sent by class, and its longest queues")
{
    struct bench bench;

    set_up(&bench, &uplink, SLOTS_MAX);
    occupy(&bench, 9, DSCP_TRIMMABLE);
    put(&bench, packet(10, DSCP_CONTROL));
    put(&bench, packet(11, DSCP_CONTROL));
    for (uint32_t i = 0; i < 11; i++)
        next(&bench);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DATA_PACKETS), 10);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DATA_BYTES), 10 * FULL_BYTES);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_CONTROL_PACKETS), 2);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_CONTROL_BYTES), 200);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_DATA_DEPTH_BYTES_MAX), 9 * FULL_BYTES);
    EXPECT_EQ(counted(&bench, PORT_COUNTER_CONTROL_DEPTH_BYTES_MAX), 200);
    EXPECT_GE(counted(&bench, PORT_COUNTER_MARKED), 1);
}

SPEC("every counter has a name and a description")
{
    for (uint32_t i = 0; i < PORT_COUNTER_COUNT; i++) {
        EXPECT_GT(strlen(port_counter_descriptions[i].name), 0);
        EXPECT_GT(strlen(port_counter_descriptions[i].help), 0);
    }
}

SPEC("a measuring arena counts the bytes of a buffer")
{
    struct arena arena;
    struct port_pool pool;

    arena_init(&arena, NULL, 0);
    port_pool_init(&pool, &arena, 1000);
    EXPECT_EQ(arena.used_bytes, 12000);
}

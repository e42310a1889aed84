/* SPDX-License-Identifier: Apache-2.0 */
/* A whole switch: packets in, packets out, everything counted. */
#include "switch/switch.h"

#include <string.h>

#include "spec.h"
#include "switch_check.h"

enum {
    HOSTS = 4,
    UPLINKS = 4,
    PORTS = HOSTS + UPLINKS,
    FULL_BYTES = 4000, /* at 80 ps a byte: 320 ns */
    LIMIT_PACKETS = 4,
    ARENA_BYTES = 16384,
};

#define FULL_PS UINT64_C(320000)
#define BUSY_PS 1

static const struct port_config port_defaults = {
    .rate_bps = UINT64_C(100000000000),
    .data = { .bytes = LIMIT_PACKETS * FULL_BYTES },
    .red_min_bytes = 0,
    .red_max_bytes = 1, /* marks whatever leaves a packet behind */
    .trimmed_bytes = 128,
    .marks = true,
    .trims = true,
};

struct bench {
    _Alignas(64) uint8_t memory[ARENA_BYTES];
    struct switch_node node;
};

static struct switch_config usual(void)
{
    static const struct switch_range ranges[] = {
        { .first_usid = 0x0800, .last_usid = 0x0803, .first_port = HOSTS },
        { .first_usid = 0x0c00, .last_usid = 0x0c03, .first_port = 0 },
    };
    struct switch_config config = { .port_count = PORTS,
        .host_port_count = HOSTS,
        .host = port_defaults,
        .uplink = port_defaults,
        .exception_max = 2,
        .slot_count = 64,
        .seed = 1 };

    switch_table_init(&config.table, 0xfc000042, 0x0401, ranges, 2);
    return config;
}

/* Every wire is busy until BUSY_PS, so that packets wait. */
static void set_up(struct bench *bench, const struct switch_config *config)
{
    struct arena arena;

    arena_init(&arena, bench->memory, sizeof(bench->memory));
    switch_init(&bench->node, &arena, config);
    for (uint32_t i = 0; i < PORTS; i++)
        bench->node.ports[i].free_ps = BUSY_PS;
    switch_check_node(&bench->node);
}

static struct ipv6_addr to_usid(uint16_t own, uint16_t next)
{
    struct ipv6_addr outer;

    bytes_put_be64(outer.octets, UINT64_C(0xfc000042) << 32 | (uint64_t)own << 16 | next);
    bytes_put_be64(outer.octets + 8, 0);
    return outer;
}

static struct port_entry packet(uint32_t handle, enum dscp_class class)
{
    return (struct port_entry){ .handle = handle,
        .length_bytes = class == DSCP_CONTROL ? 100 : FULL_BYTES,
        .class = (uint8_t) class,
        .ecn = class == DSCP_CONTROL ? ECN_NOT_ECT : ECN_ECT0 };
}

/* At time 0, to the port that `usid` leads to, from host port 1. */
static struct switch_outcome send(
    struct bench *bench, uint32_t handle, enum dscp_class class, uint16_t usid)
{
    struct ipv6_addr outer = to_usid(0x0401, usid);
    struct switch_outcome outcome =
        switch_receive(&bench->node, packet(handle, class), &outer, 1, 0);

    switch_check_node(&bench->node);
    return outcome;
}

/* The wire of the port is busy with packet 0, and its data queue full. */
static void fill(struct bench *bench, uint16_t usid, enum dscp_class class)
{
    struct port_transmission first;
    uint32_t port = send(bench, 0, class, usid).port;

    EXPECT(switch_transmit(&bench->node, port, BUSY_PS, &first));
    for (uint32_t i = 1; i <= LIMIT_PACKETS; i++)
        EXPECT_EQ(send(bench, i, class, usid).at_port.verdict, PORT_QUEUED);
}

static struct port_transmission next(struct bench *bench, uint32_t port)
{
    struct port_transmission sent;

    EXPECT(switch_transmit(&bench->node, port, PORT_NEVER_PS - 1, &sent));
    switch_check_node(&bench->node);
    return sent;
}

static uint64_t counted(const struct bench *bench, uint32_t port, enum port_counter counter)
{
    return port_counter(bench->node.ports[port].counters, counter);
}

SPEC("a packet leaves by the port that its uSID selects, without that uSID")
{
    struct switch_config config = usual();
    struct bench bench;
    struct ipv6_addr outer = to_usid(0x0401, 0x0802);
    struct switch_outcome outcome;
    struct port_transmission sent;

    set_up(&bench, &config);
    outcome = switch_receive(&bench.node, packet(9, DSCP_TRIMMABLE), &outer, 1, 5000);
    EXPECT_EQ(outcome.at_port.verdict, PORT_QUEUED);
    EXPECT_EQ(outcome.port, HOSTS + 2);
    EXPECT_MEM_EQ(outer.octets, to_usid(0x0802, 0).octets, 16);
    EXPECT_EQ(bits_next_set(bench.node.waiting, PORTS, 0), HOSTS + 2);
    EXPECT(switch_transmit(&bench.node, outcome.port, 5000, &sent));
    EXPECT_EQ(sent.entry.handle, 9);
    EXPECT_EQ(sent.end_ps, 5000 + FULL_PS);
    EXPECT_EQ(bits_next_set(bench.node.waiting, PORTS, 0), PORTS);
    EXPECT(!switch_transmit(&bench.node, outcome.port, PORT_NEVER_PS - 1, &sent));
}

SPEC("control is sent first at every port")
{
    struct switch_config config = usual();
    struct bench bench;

    set_up(&bench, &config);
    send(&bench, 1, DSCP_TRIMMABLE, 0x0c02);
    send(&bench, 2, DSCP_CONTROL, 0x0c02);
    EXPECT_EQ(next(&bench, 2).entry.handle, 2);
    EXPECT_EQ(next(&bench, 2).entry.handle, 1);
}

SPEC("uplinks trim to TRIMMED, ports to hosts to TRIMMED_LASTHOP")
{
    struct switch_config config = usual();
    struct bench bench;
    struct switch_outcome outcome;

    set_up(&bench, &config);
    fill(&bench, 0x0803, DSCP_TRIMMABLE);
    outcome = send(&bench, 9, DSCP_TRIMMABLE_RETX, 0x0803);
    EXPECT(outcome.at_port.verdict == PORT_TRIMMED_ARRIVING ||
           outcome.at_port.verdict == PORT_TRIMMED_TAIL);
    EXPECT_EQ(outcome.at_port.cut.class, DSCP_TRIMMED);
    fill(&bench, 0x0c00, DSCP_TRIMMABLE);
    outcome = send(&bench, 9, DSCP_TRIMMABLE, 0x0c00);
    EXPECT_EQ(outcome.at_port.cut.class, DSCP_TRIMMED_LASTHOP);
    EXPECT_EQ(outcome.at_port.cut.length_bytes, 128);
    EXPECT_EQ(counted(&bench, 0, PORT_COUNTER_TRIMMED_ARRIVING) +
                  counted(&bench, 0, PORT_COUNTER_TRIMMED_TAIL),
        1);
}

SPEC("only ports between switches mark, for any configuration of host ports")
{
    struct switch_config config = usual();
    struct bench bench;

    set_up(&bench, &config);
    fill(&bench, 0x0800, DSCP_TRIMMABLE);
    fill(&bench, 0x0c00, DSCP_TRIMMABLE);
    EXPECT_EQ(next(&bench, HOSTS).entry.ecn, ECN_CE);
    EXPECT_EQ(next(&bench, 0).entry.ecn, ECN_ECT0);
    EXPECT_EQ(counted(&bench, HOSTS, PORT_COUNTER_MARKED), 1);
    EXPECT_EQ(counted(&bench, 0, PORT_COUNTER_MARKED), 0);
}

SPEC("a full queue without trimming drops, and switch and port count it")
{
    struct switch_config config = usual();
    struct bench bench;
    struct switch_outcome outcome;

    config.uplink.trims = false;
    set_up(&bench, &config);
    fill(&bench, 0x0801, DSCP_TRIMMABLE);
    outcome = send(&bench, 9, DSCP_TRIMMABLE, 0x0801);
    EXPECT_EQ(outcome.at_port.verdict, PORT_DROPPED);
    EXPECT_EQ(outcome.at_port.reason, DROP_DATA_QUEUE_FULL);
    EXPECT_EQ(outcome.port, HOSTS + 1);
    EXPECT_EQ(bench.node.drops[DROP_DATA_QUEUE_FULL], 1);
    EXPECT_EQ(counted(&bench, HOSTS + 1, PORT_COUNTER_DROPPED_DATA_QUEUE), 1);
}

SPEC("a packet without a route is counted by reason, and at the port where it arrived")
{
    struct switch_config config = usual();
    struct bench bench;
    struct ipv6_addr stranger = to_usid(0x0402, 0x0801);

    set_up(&bench, &config);
    EXPECT_EQ(send(&bench, 1, DSCP_CONTROL, 0x0900).at_port.reason, DROP_NO_ROUTE);
    EXPECT_EQ(send(&bench, 2, DSCP_CONTROL, 0).at_port.reason, DROP_END_OF_CARRIER);
    EXPECT_EQ(
        switch_receive(&bench.node, packet(3, DSCP_CONTROL), &stranger, 1, 0).port, SWITCH_NO_PORT);
    switch_refuse(&bench.node, 6, DROP_HOP_LIMIT);
    EXPECT_EQ(bench.node.drops[DROP_NO_ROUTE], 1);
    EXPECT_EQ(bench.node.drops[DROP_END_OF_CARRIER], 1);
    EXPECT_EQ(bench.node.drops[DROP_NOT_OURS], 1);
    EXPECT_EQ(bench.node.drops[DROP_HOP_LIMIT], 1);
    EXPECT_EQ(counted(&bench, 1, PORT_COUNTER_REFUSED), 3);
    EXPECT_EQ(counted(&bench, 6, PORT_COUNTER_REFUSED), 1);
    EXPECT_EQ(bits_next_set(bench.node.waiting, PORTS, 0), PORTS);
}

SPEC("a port whose link is down drops packets, and accepts them again when it is up")
{
    struct switch_config config = usual();
    struct bench bench;
    struct port_entry entry;

    set_up(&bench, &config);
    send(&bench, 1, DSCP_TRIMMABLE, 0x0801);
    send(&bench, 2, DSCP_CONTROL, 0x0801);
    switch_port_down(&bench.node, HOSTS + 1);
    EXPECT_EQ(send(&bench, 3, DSCP_TRIMMABLE, 0x0801).at_port.reason, DROP_PORT_DOWN);
    EXPECT(switch_discard(&bench.node, HOSTS + 1, &entry));
    EXPECT_EQ(entry.handle, 2);
    EXPECT(switch_discard(&bench.node, HOSTS + 1, &entry));
    EXPECT_EQ(entry.handle, 1);
    EXPECT(!switch_discard(&bench.node, HOSTS + 1, &entry));
    switch_check_node(&bench.node);
    EXPECT_EQ(bench.node.drops[DROP_PORT_DOWN], 3);
    EXPECT_EQ(counted(&bench, HOSTS + 1, PORT_COUNTER_DROPPED_PORT_DOWN), 3);
    EXPECT_EQ(counted(&bench, HOSTS + 1, PORT_COUNTER_DATA_PACKETS), 0);
    switch_port_up(&bench.node, HOSTS + 1);
    EXPECT_EQ(send(&bench, 4, DSCP_TRIMMABLE, 0x0801).at_port.verdict, PORT_QUEUED);
}

SPEC("a port can have a rate of its own, and return to the rate of its kind")
{
    struct switch_config config = usual();
    struct bench bench;
    struct port_transmission sent;

    set_up(&bench, &config);
    switch_set_rate(&bench.node, 5, UINT64_C(50000000000));
    switch_set_rate(&bench.node, 6, UINT64_C(25000000000));
    switch_set_rate(&bench.node, 5, UINT64_C(10000000000));
    switch_check_node(&bench.node);
    send(&bench, 1, DSCP_TRIMMABLE, 0x0801);
    sent = next(&bench, 5);
    EXPECT_EQ(sent.end_ps - sent.start_ps, 10 * FULL_PS);
    send(&bench, 2, DSCP_TRIMMABLE, 0x0802);
    sent = next(&bench, 6);
    EXPECT_EQ(sent.end_ps - sent.start_ps, 4 * FULL_PS);
    switch_set_rate(&bench.node, 5, UINT64_C(100000000000));
    switch_set_rate(&bench.node, 1, UINT64_C(50000000000)); /* in the place that is free now */
    switch_check_node(&bench.node);
    send(&bench, 3, DSCP_TRIMMABLE, 0x0801);
    sent = next(&bench, 5);
    EXPECT_EQ(sent.end_ps - sent.start_ps, FULL_PS);
    send(&bench, 4, DSCP_TRIMMABLE, 0x0c01);
    sent = next(&bench, 1);
    EXPECT_EQ(sent.end_ps - sent.start_ps, 2 * FULL_PS);
}

SPEC("all ports share the buffer, and switches can share one, too")
{
    struct switch_config config = usual();
    struct bench benches[2];
    struct port_pool pool;
    struct arena arena;
    _Alignas(16) uint8_t memory[64];

    arena_init(&arena, memory, sizeof(memory));
    port_pool_init(&pool, &arena, 3);
    config.pool = &pool;
    set_up(&benches[0], &config);
    set_up(&benches[1], &config);
    send(&benches[0], 1, DSCP_CONTROL, 0x0801);
    send(&benches[0], 2, DSCP_CONTROL, 0x0c01);
    send(&benches[1], 3, DSCP_CONTROL, 0x0801);
    EXPECT_EQ(send(&benches[1], 4, DSCP_CONTROL, 0x0802).at_port.reason, DROP_BUFFER_FULL);
    next(&benches[0], 1);
    EXPECT_EQ(send(&benches[1], 4, DSCP_CONTROL, 0x0802).at_port.verdict, PORT_QUEUED);
}

SPEC("counters may be one set for hosts' ports and one for the others")
{
    struct switch_config config = usual();
    struct bench bench;

    config.counters_by_kind = true;
    set_up(&bench, &config);
    send(&bench, 1, DSCP_CONTROL, 0x0800);
    send(&bench, 2, DSCP_CONTROL, 0x0801);
    send(&bench, 3, DSCP_CONTROL, 0x0c01);
    next(&bench, HOSTS);
    next(&bench, HOSTS + 1);
    next(&bench, 1);
    EXPECT_EQ(counted(&bench, PORTS - 1, PORT_COUNTER_CONTROL_PACKETS), 2);
    EXPECT_EQ(counted(&bench, 0, PORT_COUNTER_CONTROL_PACKETS), 1);
}

SPEC("ports draw their own random numbers")
{
    struct switch_config config = usual();
    struct bench bench;

    set_up(&bench, &config);
    for (uint32_t i = 1; i < PORTS; i++)
        EXPECT_NE(bench.node.ports[i].prng.state, bench.node.ports[i - 1].prng.state);
}

SPEC("a measuring arena counts the bytes of a switch")
{
    struct switch_config config = usual();
    struct switch_node node;
    struct arena measuring;
    struct arena arena;
    struct bench bench;

    arena_init(&measuring, NULL, 0);
    switch_init(&node, &measuring, &config);
    EXPECT_GT(measuring.used_bytes, PORTS * sizeof(struct port));
    arena_init(&arena, bench.memory, measuring.used_bytes);
    switch_init(&bench.node, &arena, &config);
    EXPECT_EQ(arena.used_bytes, measuring.used_bytes);
}

SPEC("only ports that face hosts compare sources, and only if their hosts are known")
{
    struct ipv6_addr hosts[PORTS] = { 0 };
    struct switch_config config = usual();
    struct bench bench;
    uint8_t bytes[40] = { 0x60, [6] = 17, [7] = 64 };
    struct switch_frame frame;

    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, bytes, sizeof(bytes)), DROP_NONE);
    bytes[23] = 7;
    for (uint32_t i = 0; i < PORTS; i++)
        hosts[i].octets[15] = (uint8_t)(7 + i);
    set_up(&bench, &config);
    EXPECT_EQ(switch_check_source(&bench.node, 1, &frame), DROP_NONE);
    config.hosts = hosts;
    set_up(&bench, &config);
    EXPECT_EQ(switch_check_source(&bench.node, 0, &frame), DROP_NONE);
    EXPECT_EQ(switch_check_source(&bench.node, 1, &frame), DROP_SOURCE);
    EXPECT_EQ(switch_check_source(&bench.node, config.host_port_count, &frame), DROP_NONE);
}

SPEC("packets pass an idle port without its queue, but not if ports share a buffer")
{
    static struct bench bench;
    struct port_entry entry = { .length_bytes = FULL_BYTES, .class = DSCP_TRIMMABLE };
    struct switch_config config = usual();

    config.uplink.red_min_bytes = config.uplink.red_max_bytes = FULL_BYTES;
    set_up(&bench, &config);
    EXPECT(!switch_pass_is_open(&bench.node, HOSTS, &entry, BUSY_PS - 1));
    EXPECT(switch_pass_is_open(&bench.node, HOSTS, &entry, BUSY_PS));
    config.buffer.size_bytes = 100 * FULL_BYTES;
    set_up(&bench, &config);
    EXPECT(!switch_pass_is_open(&bench.node, HOSTS, &entry, BUSY_PS));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding of bytes and of addresses is one decision, and it is the one of RFC 9800 taken step by
 * step; random traffic through a whole switch gets lost nowhere. */
#include "spec.h"

#include <string.h>

#include "random_packet.h"
#include "switch/switch.h"
#include "switch_check.h"
#include "wire/usid.h"

enum {
    PORTS = 8,
    HOSTS = 4,
    STEPS = 400,
    PACKETS_MAX = STEPS,
};

/* ---- two forms of one decision --------------------------------------------------------------- */

/* uSIDs from a handful, so that every case comes up: own, routed, foreign, none. */
static uint16_t some_usid(struct prng *prng)
{
    static const uint16_t usids[] = { 0, 0x0401, 0x0402, 0x0800, 0x0803, 0x0804, 0x0c00, 0x0c03 };

    return usids[prng_below(prng, sizeof(usids) / sizeof(usids[0]))];
}

static struct ipv6_addr some_address(struct prng *prng)
{
    struct ipv6_addr address = { { 0xfc, 0, 0, prng_below(prng, 8) ? 0x42 : 0x43 } };
    uint32_t count = prng_below(prng, 7);

    for (uint32_t i = 0; i < count; i++)
        bytes_put_be16(address.octets + 4 + (size_t)2 * i,
            i == 0 && prng_below(prng, 2) ? 0x0401 : some_usid(prng));
    return address;
}

static struct switch_table some_table(void)
{
    static const struct switch_range ranges[] = {
        { .first_usid = 0x0800, .last_usid = 0x0803, .first_port = HOSTS },
        { .first_usid = 0x0c00, .last_usid = 0x0c03, .first_port = 0 },
    };
    struct switch_table table;

    switch_table_init(&table, 0xfc000042, 0x0401, ranges, 2);
    return table;
}

static bool only_zeros_from(const struct ipv6_addr *address, uint32_t octet)
{
    for (; octet < sizeof(address->octets); octet++)
        if (address->octets[octet])
            return false;
    return true;
}

static struct ipv6_addr without_first_usid(const struct ipv6_addr *address)
{
    struct ipv6_addr shifted = { { 0 } };

    memcpy(shifted.octets, address->octets, 4);
    memcpy(shifted.octets + 4, address->octets + 6, 10);
    return shifted;
}

/* docs/fabric.md §4, literally: 1 compare, 2 shift, 3 route. */
static struct switch_way by_the_book(const struct switch_table *table, struct ipv6_addr *outer)
{
    bool is_own = usid_get(outer, 0) == 0x0401 && outer->octets[3] == 0x42;
    struct ipv6_addr shifted = *outer;
    uint32_t next;

    if (is_own && only_zeros_from(outer, 6))
        return (struct switch_way){ .reason = DROP_END_OF_CARRIER };
    if (is_own)
        shifted = without_first_usid(outer);
    next = usid_get(&shifted, 0);
    for (uint32_t i = 0; i < table->range_count && outer->octets[3] == 0x42; i++)
        for (uint32_t usid = table->ranges[i].first_usid; usid <= table->ranges[i].last_usid;
             usid++)
            if (usid == next) {
                *outer = shifted;
                return (struct switch_way){ .port = table->ranges[i].first_port + usid -
                                                    table->ranges[i].first_usid };
            }
    return (struct switch_way){ .reason = is_own ? DROP_NO_ROUTE : DROP_NOT_OURS };
}

PROPERTY("an address is forwarded as the standard says", 20000)
{
    struct prng prng = prng_stream(seed, 0x51);
    struct switch_table table = some_table();
    struct ipv6_addr outer = some_address(&prng);
    struct ipv6_addr expected_outer = outer;
    struct switch_way expected = by_the_book(&table, &expected_outer);
    struct switch_way way = switch_table_forward(&table, &outer);

    EXPECT_EQ(way.reason, expected.reason);
    EXPECT_EQ(way.port, expected.port);
    EXPECT_MEM_EQ(outer.octets, expected_outer.octets, 16);
}

struct sample {
    struct wire_format format;
    struct frame frame;
    uint8_t bytes[RANDOM_PACKET_BYTES_MAX];
    uint32_t length;
};

/* Some packet inside SRv6, with or without SRH. */
static void some_packet(struct prng *prng, struct sample *sample)
{
    do
        sample->length = random_packet_any(
            prng, &sample->format, &sample->frame, sample->bytes, sizeof(sample->bytes));
    while (sample->frame.encapsulation == FRAME_PLAIN);
}

/* If the address ends at the switch, a segment that is left takes its place. */
static struct switch_way by_addresses(
    const struct switch_table *table, const struct sample *sample, struct ipv6_addr *outer)
{
    struct switch_way way = switch_table_forward(table, outer);
    struct ipv6_addr segment = sample->frame.srh.segment;

    if (way.reason != DROP_END_OF_CARRIER || sample->frame.encapsulation != FRAME_SRV6_SRH ||
        sample->frame.srh.segments_left == 0)
        return way;
    way = switch_table_forward(table, &segment);
    if (way.reason == DROP_NONE)
        *outer = segment;
    return way;
}

PROPERTY(
    "bytes are forwarded as addresses are; besides, only hop limit and segments left change", 5000)
{
    struct prng prng = prng_stream(seed, 0x52);
    struct switch_table table = some_table();
    struct ipv6_addr outer = some_address(&prng);
    static struct sample sample;
    static struct sample expected;
    struct switch_frame frame;
    struct switch_way by_bytes;
    struct switch_way by_address;
    bool ends = switch_table_way(&table, &outer).reason == DROP_END_OF_CARRIER;

    some_packet(&prng, &sample);
    if (sample.frame.encapsulation == FRAME_SRV6_SRH && prng_below(&prng, 2)) {
        sample.frame.srh.segment = some_address(&prng);
        memcpy(sample.bytes + 48, sample.frame.srh.segment.octets, 16);
    }
    memcpy(sample.bytes + 24, outer.octets, 16);
    sample.bytes[7] = (uint8_t)(2 + prng_below(&prng, 254));
    expected = sample;
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, sample.bytes, sample.length), DROP_NONE);
    by_bytes = switch_frame_forward(&frame, &table);
    by_address = by_addresses(&table, &sample, &outer);
    EXPECT_EQ(by_bytes.reason, by_address.reason);
    EXPECT_EQ(by_bytes.port, by_address.port);
    memcpy(expected.bytes + 24, outer.octets, 16);
    expected.bytes[7] = (uint8_t)(expected.bytes[7] - (by_bytes.reason == DROP_NONE));
    expected.bytes[43] = (uint8_t)(expected.bytes[43] - (ends && by_bytes.reason == DROP_NONE));
    EXPECT_MEM_EQ(sample.bytes, expected.bytes, sample.length);
}

PROPERTY("a frame's entry says what parsing says, and its marks and trims can be parsed", 5000)
{
    struct prng prng = prng_stream(seed, 0x53);
    static struct sample sample;
    struct switch_frame frame;
    struct port_entry entry;
    struct frame parsed;

    some_packet(&prng, &sample);
    EXPECT_EQ(switch_frame_open(&frame, SWITCH_BARE_IP, sample.bytes, sample.length), DROP_NONE);
    entry = switch_frame_entry(&frame, &sample.format, 1);
    EXPECT_EQ(entry.class, format_dscp_class(&sample.format, ip_dscp(&sample.frame.outer)));
    EXPECT_EQ(entry.ecn, ip_ecn(&sample.frame.outer));
    EXPECT_EQ(entry.length_bytes, sample.length);
    switch_frame_mark(&frame);
    EXPECT_EQ(frame_parse(&sample.format, sample.bytes, frame.length, &parsed), DROP_NONE);
    EXPECT_EQ(ip_ecn(&parsed.outer), ECN_CE);
    if (!opcode_is_write(parsed.packet.opcode))
        return;
    entry.class = DSCP_TRIMMED_LASTHOP;
    entry.length_bytes = (uint16_t)(64 + prng_below(&prng, 128));
    switch_frame_trim(&frame, &sample.format, entry);
    EXPECT_EQ(frame_parse(&sample.format, sample.bytes, frame.length, &parsed), DROP_NONE);
    EXPECT(frame_is_trimmed(&parsed));
    EXPECT_EQ(parsed.packet.psn.value, sample.frame.packet.psn.value);
}

PROPERTY("random bytes never do harm: refused, or forwarded with all other bytes untouched", 20000)
{
    struct prng prng = prng_stream(seed, 0x54);
    struct switch_table table = some_table();
    uint8_t bytes[80];
    uint8_t before[80];
    size_t length = prng_below(&prng, sizeof(bytes) + 1);
    struct switch_frame frame;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)prng_next(&prng);
    if (prng_below(&prng, 4)) {
        struct ipv6_addr outer = some_address(&prng);

        bytes[0] = 0x60;
        bytes[4] = 0;
        bytes[5] &= 0x3f;
        memcpy(bytes + 24, outer.octets, 16);
    }
    memcpy(before, bytes, sizeof(bytes));
    if (switch_frame_open(&frame, SWITCH_BARE_IP, bytes, length) == DROP_NONE &&
        switch_frame_forward(&frame, &table).reason == DROP_NONE) {
        EXPECT_LE(frame.length, length);
        EXPECT_EQ(bytes[7], before[7] - 1);
        before[7]--;
        memcpy(before + 24, bytes + 24, 16);
    }
    EXPECT_MEM_EQ(bytes, before, sizeof(bytes));
}

/* ---- a whole switch -------------------------------------------------------------------------- */

struct traffic {
    _Alignas(64) uint8_t memory[32768];
    struct switch_node node;
    uint32_t arrived;
    uint32_t sent;
    uint32_t dropped;
    bool is_gone[PACKETS_MAX];
};

static void set_up(struct traffic *traffic, struct prng *prng)
{
    struct port_config port = { .rate_bps = UINT64_C(100000000000),
        .data = { .bytes = 20000 },
        .red_min_bytes = 4000,
        .red_max_bytes = 16000,
        .trimmed_bytes = 128,
        .marks = true,
        .trims = prng_below(prng, 4) > 0 };
    struct switch_config config = { .table = some_table(),
        .port_count = PORTS,
        .host_port_count = HOSTS,
        .host = port,
        .uplink = port,
        .slot_count = 20 + prng_below(prng, 80),
        .seed = prng_next(prng) };
    struct arena arena;

    memset(traffic, 0, sizeof(*traffic));
    arena_init(&arena, traffic->memory, sizeof(traffic->memory));
    switch_init(&traffic->node, &arena, &config);
}

static void gone(struct traffic *traffic, uint32_t handle)
{
    EXPECT_LT(handle, traffic->arrived);
    EXPECT(!traffic->is_gone[handle]);
    traffic->is_gone[handle] = true;
}

static void work_off(struct traffic *traffic, uint64_t now_ps)
{
    struct port_transmission sent;

    for (uint32_t port = 0; port < PORTS; port++)
        while (switch_transmit(&traffic->node, port, now_ps, &sent)) {
            gone(traffic, sent.entry.handle);
            traffic->sent++;
        }
}

static void arrive(struct traffic *traffic, struct prng *prng, uint64_t now_ps)
{
    struct ipv6_addr outer = some_address(prng);
    uint8_t class = (uint8_t)prng_below(prng, DSCP_CLASS_COUNT);
    struct port_entry entry = { .handle = traffic->arrived++,
        .length_bytes = class == DSCP_CONTROL ? 100 : (uint16_t)(200 + prng_below(prng, 4000)),
        .class = class,
        .ecn = ECN_ECT0 };
    struct switch_outcome outcome =
        switch_receive(&traffic->node, entry, &outer, prng_below(prng, PORTS), now_ps);

    if (outcome.at_port.verdict == PORT_DROPPED) {
        gone(traffic, entry.handle);
        traffic->dropped++;
    }
}

static uint64_t drops_of(const struct switch_node *node)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < DROP_REASON_COUNT; i++)
        count += node->drops[i];
    return count;
}

static uint64_t counted(const struct switch_node *node, enum port_counter counter)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < PORTS; i++)
        count += port_counter(node->ports[i].counters, counter);
    return count;
}

PROPERTY("every packet that enters a switch leaves it once or is dropped for a counted reason", 300)
{
    struct prng prng = prng_stream(seed, 0x55);
    static struct traffic traffic;
    uint64_t now_ps = 0;

    set_up(&traffic, &prng);
    for (uint32_t step = 0; step < STEPS; step++) {
        now_ps += prng_below(&prng, 100000);
        work_off(&traffic, now_ps);
        arrive(&traffic, &prng, now_ps);
        switch_check_node(&traffic.node);
    }
    work_off(&traffic, PORT_NEVER_PS - 1);
    switch_check_node(&traffic.node);
    EXPECT_EQ(traffic.arrived, traffic.sent + traffic.dropped);
    EXPECT_EQ(port_pool_used_count(traffic.node.pool), 0);
    EXPECT_EQ(drops_of(&traffic.node), traffic.dropped);
    EXPECT_EQ(traffic.sent, counted(&traffic.node, PORT_COUNTER_DATA_PACKETS) +
                                counted(&traffic.node, PORT_COUNTER_CONTROL_PACKETS));
    EXPECT_EQ(traffic.dropped, counted(&traffic.node, PORT_COUNTER_REFUSED) +
                                   counted(&traffic.node, PORT_COUNTER_DROPPED_DATA_QUEUE) +
                                   counted(&traffic.node, PORT_COUNTER_DROPPED_CONTROL_QUEUE) +
                                   counted(&traffic.node, PORT_COUNTER_DROPPED_BUFFER));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding of addresses (docs/fabric.md §4). */
#include "spec.h"

#include "switch/switch.h"

#define BLOCK UINT32_C(0xfc000042)

/* T0 5 of plane 5 with 256 downlinks and 256 uplinks. */
static struct switch_table t0_table(void)
{
    static const struct switch_range ranges[] = {
        { .first_usid = 0xa800, .last_usid = 0xa8ff, .first_port = 256 },
        { .first_usid = 0xac00, .last_usid = 0xacff, .first_port = 0 },
    };
    struct switch_table table;

    switch_table_init(&table, BLOCK, 0xa405, ranges, 2);
    return table;
}

static struct ipv6_addr address(uint64_t high, uint64_t low)
{
    struct ipv6_addr made;

    bytes_put_be64(made.octets, high);
    bytes_put_be64(made.octets + 8, low);
    return made;
}

static void expect_forwarded(
    struct ipv6_addr outer, uint32_t port, uint64_t high_after, uint64_t low_after)
{
    struct switch_table table = t0_table();
    struct switch_way looked = switch_table_way(&table, &outer);
    struct switch_way way = switch_table_forward(&table, &outer);

    EXPECT_EQ(way.reason, DROP_NONE);
    EXPECT_EQ(way.port, port);
    EXPECT_EQ(looked.port, port);
    EXPECT_EQ(bytes_get_be64(outer.octets), high_after);
    EXPECT_EQ(bytes_get_be64(outer.octets + 8), low_after);
}

static void expect_dropped(struct ipv6_addr outer, enum drop_reason reason)
{
    struct switch_table table = t0_table();
    struct ipv6_addr before = outer;

    EXPECT_EQ(switch_table_way(&table, &outer).reason, reason);
    EXPECT_EQ(switch_table_forward(&table, &outer).reason, reason);
    EXPECT_MEM_EQ(outer.octets, before.octets, 16);
}

SPEC("a packet with the uSID of this switch loses that uSID and follows the next one")
{
    expect_forwarded(address(0xfc000042a405a89c, 0xa412ac0700000000), 256 + 0x9c,
        0xfc000042a89ca412, 0xac07000000000000);
    expect_forwarded(address(0xfc000042a405ac07, 0), 7, 0xfc000042ac070000, 0);
}

SPEC("first and last uSID of a range have routes, their neighbours have none")
{
    expect_forwarded(address(0xfc000042a405a800, 0), 256, 0xfc000042a8000000, 0);
    expect_forwarded(address(0xfc000042a405a8ff, 0), 511, 0xfc000042a8ff0000, 0);
    expect_dropped(address(0xfc000042a405a7ff, 0), DROP_NO_ROUTE);
    expect_dropped(address(0xfc000042a405a900, 0), DROP_NO_ROUTE);
}

SPEC("all six uSIDs move up")
{
    expect_forwarded(address(0xfc000042a405a801, 0x1111222233334444), 257, 0xfc000042a8011111,
        0x2222333344440000);
}

SPEC("a packet for a neighbour without the uSID of this switch is plain IPv6 and is unchanged")
{
    expect_forwarded(address(0xfc000042a89ca412, 0xac07000000000000), 256 + 0x9c,
        0xfc000042a89ca412, 0xac07000000000000);
    expect_forwarded(address(0xfc000042ac070000, 0), 7, 0xfc000042ac070000, 0);
}

SPEC("a packet for another switch has no plain route here")
{
    expect_dropped(address(0xfc000042a406a89c, 0xa412ac0700000000), DROP_NOT_OURS);
    expect_dropped(address(0xfc0000428405a89c, 0xa412ac0700000000), DROP_NOT_OURS);
}

SPEC("a packet of another block has no route here")
{
    expect_dropped(address(0xfc000043a405a89c, 0), DROP_NOT_OURS);
    expect_dropped(address(0x20010db8a89c0000, 1), DROP_NOT_OURS);
    expect_dropped(address(0, 0), DROP_NOT_OURS);
}

SPEC("a carrier that ends at a switch is dropped")
{
    expect_dropped(address(0xfc000042a4050000, 0), DROP_END_OF_CARRIER);
}

SPEC("a gap in the carrier does not end it: there is no route to uSID 0")
{
    expect_dropped(address(0xfc000042a4050000, 1), DROP_NO_ROUTE);
    expect_dropped(address(0xfc000042a4050000, 0xac07000000000000), DROP_NO_ROUTE);
}

SPEC("a carrier can have the uSID of this switch twice, with a T1 in between")
{
    struct ipv6_addr outer = address(0xfc000042a405a803, 0xa405ac0700000000);
    struct switch_table table = t0_table();

    EXPECT_EQ(switch_table_forward(&table, &outer).port, 256 + 3);
    outer = address(0xfc000042a405ac07, 0); /* T1 3 took its name out */
    EXPECT_EQ(switch_table_forward(&table, &outer).port, 7);
}

SPEC("a table without ranges has no route")
{
    struct switch_table table;
    struct ipv6_addr outer = address(0xfc000042a405a89c, 0);

    switch_table_init(&table, BLOCK, 0xa405, NULL, 0);
    EXPECT_EQ(switch_table_forward(&table, &outer).reason, DROP_NO_ROUTE);
}

SPEC("a switch removes all of its own uSIDs, and no others")
{
    static const uint16_t own[] = { 0xa405, 0xa415, 0xa425 };
    struct switch_table table = t0_table();
    struct ipv6_addr outer;

    switch_table_add_names(&table, 0x10, 2);
    for (uint32_t i = 0; i < 3; i++) {
        outer = address((uint64_t)BLOCK << 32 | (uint64_t)own[i] << 16 | 0xac07, 0);
        EXPECT_EQ(switch_table_forward(&table, &outer).port, 7);
        EXPECT_EQ(bytes_get_be64(outer.octets), (uint64_t)BLOCK << 32 | 0xac070000);
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t other = (const uint64_t[]){ 0xa406, 0xa435, 0xa3f5 }[i];

        outer = address((uint64_t)BLOCK << 32 | other << 16 | 0xac07, 0);
        EXPECT_EQ(switch_table_forward(&table, &outer).reason, DROP_NOT_OURS);
    }
}

SPEC("a table of many ranges finds first and last uSID of each, and nothing between them")
{
    enum { COUNT = 9 };
    struct switch_range ranges[COUNT];
    struct switch_table table;

    for (uint32_t i = 0; i < COUNT; i++)
        ranges[i] = (struct switch_range){ .first_usid = (uint16_t)(0xa800 + 8 * i),
            .last_usid = (uint16_t)(0xa803 + 8 * i),
            .first_port = (uint16_t)(100 - 10 * i) };
    switch_table_init(&table, BLOCK, 0xa405, ranges, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint16_t first = ranges[i].first_usid;

        EXPECT_EQ(switch_table_look_up(&table, first, DROP_NO_ROUTE).port, 100 - 10 * i);
        EXPECT_EQ(switch_table_look_up(&table, first + 3, DROP_NO_ROUTE).port, 103 - 10 * i);
        EXPECT_EQ(switch_table_look_up(&table, first - 1, DROP_NO_ROUTE).reason, DROP_NO_ROUTE);
        EXPECT_EQ(switch_table_look_up(&table, first + 4, DROP_NO_ROUTE).reason, DROP_NO_ROUTE);
    }
}

/* Any address that names the switch or nearly so, with any next uSID near a range. */
static struct ipv6_addr draw_address(struct prng *prng)
{
    uint64_t name = UINT64_C(0xfc000042a4050000) ^ (uint64_t)(prng_below(prng, 4) == 0) << 16;
    uint64_t next = prng_below(prng, 2) ? 0xa7f0 + prng_below(prng, 0x500) : prng_below(prng, 3);

    return address(name | next, prng_next(prng));
}

PROPERTY("a digest of a table forwards as the table does", 2000)
{
    struct prng prng = prng_stream(seed, 0);
    struct switch_table table = t0_table();
    struct switch_table_digest digest;
    struct ipv6_addr outer = draw_address(&prng);
    struct ipv6_addr same = outer;
    uint32_t port = SWITCH_TABLE_NO_PORT;
    uint32_t expected;

    table.range_count = (uint16_t)(1 + prng_below(&prng, 2));
    digest = switch_table_digest(&table);
    expected = switch_table_quick_port(&table, &same);
    EXPECT_EQ(switch_table_digest_port(&digest, &outer, &port), expected != SWITCH_TABLE_NO_PORT);
    EXPECT_EQ(port, expected);
    EXPECT_MEM_EQ(outer.octets, same.octets, 16);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of segment routing headers (docs/fabric.md §4, docs/wire.md §13). */
#include <arpa/inet.h>

#include "conform/switch_expect.h"
#include "conform/switch_suite.h"

enum { OTHER_USID = 0x4321, SEGMENTS_LEFT_AT = IP_V6_BYTES + 3 };

static struct ipv6_addr carrier(const struct switch_bench *bench, uint16_t first, uint16_t second)
{
    struct ipv6_addr address = { { 0 } };

    bytes_put_be32(address.octets, bench->device->block);
    bytes_put_be16(address.octets + 4, first);
    bytes_put_be16(address.octets + 6, second);
    return address;
}

static void expect_none_left(struct switch_bench *bench, const struct switch_shot *shot)
{
    if (shot->head[SEGMENTS_LEFT_AT] != 0)
        conform_report_fail(
            bench->report, "segments left is %u instead of 0", shot->head[SEGMENTS_LEFT_AT]);
}

/* ---- a copy of the path ---------------------------------------------------------------------- */

static void add_copy(const struct switch_bench *bench, struct switch_aim *aim)
{
    aim->has_srh = true;
    aim->segment = carrier(bench, aim->usids[0], aim->usids[1]);
}

static void judge_copy(struct switch_bench *bench, const struct switch_shot *shot)
{
    struct ipv6_addr wanted = switch_expect_shifted(shot);

    if (!switch_expect_out(bench, shot, "a frame with an SRH"))
        return;
    switch_expect_destination(bench, shot, &wanted);
    switch_expect_unchanged(bench, shot);
    expect_none_left(bench, shot);
}

void switch_suite_srh_copy(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, add_copy);
    switch_expect_each(bench, judge_copy);
}

/* ---- the next segment ------------------------------------------------------------------------ */

static void add_segment(const struct switch_bench *bench, struct switch_aim *aim)
{
    aim->has_srh = true;
    aim->segments_left = 1;
    aim->segment = carrier(bench, aim->usids[1], OTHER_USID);
    aim->usids[1] = 0;
}

static void judge_segment(struct switch_bench *bench, const struct switch_shot *shot)
{
    struct ipv6_addr wanted = carrier(bench, bench->device->ports[shot->out].usid, OTHER_USID);

    if (!switch_expect_out(bench, shot, "a frame whose uSIDs end, with a segment left,"))
        return;
    switch_expect_destination(bench, shot, &wanted);
    switch_expect_hop_limit(bench, shot);
    switch_expect_unchanged(bench, shot);
    expect_none_left(bench, shot);
}

void switch_suite_srh_next(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, add_segment);
    switch_expect_each(bench, judge_segment);
}

/* Returns a frame of the first pair of ports that needs its segment. */
static struct switch_aim aim_at_segment(const struct switch_bench *bench)
{
    uint32_t out = switch_bench_out(bench, SWITCH_NOWHERE);
    struct switch_aim aim =
        switch_bench_aim(bench, switch_bench_in(bench, out, SWITCH_NOWHERE), out);

    add_segment(bench, &aim);
    return aim;
}

void switch_suite_srh_own(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_aim aim = aim_at_segment(bench);
    char text[INET6_ADDRSTRLEN];
    const struct switch_shot *shot;

    aim.segment = carrier(bench, bench->device->usid, bench->device->ports[aim.out].usid);
    aim.may_be_lost = true;
    shot = switch_bench_load(bench, &aim);
    if (!switch_bench_fire(bench))
        return;
    inet_ntop(AF_INET6, shot->head + 24, text, sizeof(text));
    if (shot->copies == 0)
        conform_report_reading(report, SWITCH_POINT_SEGMENT_OWN, "drops it");
    else
        conform_report_reading(report, SWITCH_POINT_SEGMENT_OWN,
            "forwards it by the uSID behind its own, with destination %s", text);
}

/* Fields of an SRH, from its first byte. */
static const struct {
    const char *what;
    uint8_t at;
    uint8_t value;
} faults[] = {
    { "an SRH of routing type 0", 2, 0 },
    { "an SRH with more segments left than it has", 3, 5 },
    { "an SRH longer than the packet", 1, 0xff },
};

void switch_suite_srh_malformed(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    uint32_t count = sizeof(faults) / sizeof(faults[0]);

    for (uint32_t i = 0; i < count; i++) {
        struct switch_aim aim = aim_at_segment(bench);

        aim.out = SWITCH_NOWHERE;
        switch_bench_load(bench, &aim)->bytes[IP_V6_BYTES + faults[i].at] = faults[i].value;
    }
    if (!switch_bench_fire(bench))
        return;
    for (uint32_t i = 0; i < count; i++)
        switch_expect_drop(bench, &bench->shots[i], faults[i].what);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of trimming (docs/wire.md §14, docs/fabric.md §10). */
#include <string.h>

#include "conform/switch_expect.h"
#include "conform/switch_suite.h"
#include "conform/switch_volley.h"

enum { HEADERS_THROUGH_TSETH = 40 + 40 + 8 + 12 + 4 + 4, AGAIN_FRAMES = 8 };

/* ---- volleys that overflow ------------------------------------------------------------------- */

/* Fires until a volley has trimmed packets. */
static bool fire_until_trimmed(struct switch_volley *volley)
{
    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX; i++) {
        switch_volley_begin(volley);
        switch_volley_load(volley, 2 * switch_volley_count(volley, volley->queue_bytes) + 8);
        if (!switch_bench_fire(volley->bench))
            return false;
        if (switch_volley_tally(volley).cut > 0)
            return true;
    }
    switch_volley_give_up(volley, "no packet was trimmed");
    return false;
}

/* Begins a check with a volley to any output that has trimmed packets. */
static bool begin_trimmed(struct switch_volley *volley, void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    if (!switch_volley_init(volley, bench, SWITCH_FACES_ANY))
        return false;
    volley->aim.ecn = ECN_ECT0;
    return fire_until_trimmed(volley);
}

/* Calls `expect` for each trimmed packet. */
static void expect_of_cut(
    struct switch_volley *volley, void (*expect)(struct switch_bench *, const struct switch_shot *))
{
    for (uint32_t i = 0; i < volley->loaded_count; i++)
        if (switch_shot_is_cut(&volley->bench->shots[i]))
            expect(volley->bench, &volley->bench->shots[i]);
}

/* ---- loss ------------------------------------------------------------------------------------ */

/* Whether the last packet of a volley, which found the queue full, came out whole tells which
 * packet makes room. */
static void read_victim(struct switch_volley *volley, uint32_t volley_count)
{
    uint32_t whole_count = 0;

    for (uint32_t i = 0; i < volley_count; i++) {
        if (!fire_until_trimmed(volley))
            return;
        whole_count += switch_shot_is_whole(&volley->bench->shots[volley->loaded_count - 1]);
    }
    conform_report_reading(volley->bench->report, SWITCH_POINT_TRIM_VICTIM,
        "%s: in %u of %u volleys the packet that came last is whole",
        whole_count == 0              ? "the packet that comes"
        : whole_count == volley_count ? "the tail of the queue"
                                      : "sometimes the packet that comes, sometimes the tail",
        whole_count, volley_count);
}

void switch_suite_trim(void *kit, struct conform_report *report)
{
    struct switch_volley volley;
    struct switch_tally tally;
    uint32_t copies = 0;

    if (!begin_trimmed(&volley, kit, report))
        return;
    tally = switch_volley_tally(&volley);
    for (uint32_t i = 0; i < volley.loaded_count; i++)
        copies += volley.bench->shots[i].copies > 1;
    if (tally.lost > 0)
        conform_report_fail(report, "%u of %u packets were lost; %u came out trimmed", tally.lost,
            volley.loaded_count, tally.cut);
    if (copies > 0)
        conform_report_fail(report, "%u packets came out twice", copies);
    if (!conform_report_has_failed(report))
        read_victim(&volley, 8);
}

/* ---- lengths and bytes ----------------------------------------------------------------------- */

static uint32_t least_length(const struct switch_shot *shot)
{
    return HEADERS_THROUGH_TSETH + (shot->bytes[6] == IP_NEXT_ROUTING ? SRH_BYTES : 0);
}

static void expect_size(struct switch_bench *bench, const struct switch_shot *shot)
{
    uint32_t least = least_length(shot);
    uint32_t wanted = bench->device->trimmed_bytes;

    if (shot->seen_length < least)
        conform_report_fail(bench->report,
            "a packet was trimmed to %u bytes; its headers through TSETH have %u",
            shot->seen_length, least);
    else if (wanted && shot->seen_length != (wanted > least ? wanted : least))
        conform_report_fail(
            bench->report, "a packet was trimmed to %u bytes, not %u", shot->seen_length, wanted);
    else
        conform_report_reading(
            bench->report, SWITCH_POINT_TRIM_BYTES, "%u bytes", shot->seen_length);
}

void switch_suite_trim_size(void *kit, struct conform_report *report)
{
    struct switch_volley volley;

    if (begin_trimmed(&volley, kit, report))
        expect_of_cut(&volley, expect_size);
}

static void expect_bytes(struct switch_bench *bench, const struct switch_shot *shot)
{
    struct ipv6_addr wanted = switch_expect_shifted(shot);

    if (!switch_expect_out(bench, shot, "a trimmed packet"))
        return;
    switch_expect_unchanged(bench, shot);
    switch_expect_destination(bench, shot, &wanted);
    switch_expect_hop_limit(bench, shot);
}

void switch_suite_trim_bytes(void *kit, struct conform_report *report)
{
    struct switch_volley volley;

    if (begin_trimmed(&volley, kit, report))
        expect_of_cut(&volley, expect_bytes);
}

static void expect_length(struct switch_bench *bench, const struct switch_shot *shot)
{
    uint32_t stated = IP_V6_BYTES + (uint32_t)bytes_get_be16(shot->head + 4);

    if (stated != shot->frame_length)
        conform_report_fail(bench->report,
            "a trimmed packet of %u bytes states %u in its outer header", shot->frame_length,
            stated);
}

void switch_suite_trim_length(void *kit, struct conform_report *report)
{
    struct switch_volley volley;

    if (begin_trimmed(&volley, kit, report))
        expect_of_cut(&volley, expect_length);
}

void switch_suite_trim_srh(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;

    if (!switch_volley_init(&volley, bench, SWITCH_FACES_ANY))
        return;
    volley.aim.has_srh = true;
    volley.aim.segment = switch_expect_sent(switch_bench_load(bench, &volley.aim));
    volley.frame_bytes += SRH_BYTES;
    if (!fire_until_trimmed(&volley))
        return;
    expect_of_cut(&volley, expect_bytes);
    for (uint32_t i = 0; i < volley.loaded_count; i++)
        if (switch_shot_is_cut(&bench->shots[i]) &&
            bench->shots[i].seen_length < least_length(&bench->shots[i]))
            conform_report_fail(report, "a packet with an SRH was trimmed to %u bytes",
                bench->shots[i].seen_length);
}

/* ---- code points ----------------------------------------------------------------------------- */

static void expect_class(
    struct switch_bench *bench, const struct switch_shot *shot, enum dscp_class class)
{
    uint8_t wanted = bench->device->format.dscp[class];

    if (switch_shot_dscp(shot) != wanted)
        conform_report_fail(bench->report, "a packet trimmed at %s has DSCP %u instead of %u",
            switch_bench_name(bench, shot->port), switch_shot_dscp(shot), wanted);
    if (switch_shot_ecn(shot) != (shot->bytes[1] >> 4 & 3))
        conform_report_fail(bench->report, "a trimmed packet has other ECN bits than it came with");
}

static void expect_trimmed(struct switch_bench *bench, const struct switch_shot *shot)
{
    expect_class(bench, shot, DSCP_TRIMMED);
}

static void expect_last_hop(struct switch_bench *bench, const struct switch_shot *shot)
{
    expect_class(bench, shot, DSCP_TRIMMED_LASTHOP);
}

static void check_class(struct switch_bench *bench, enum switch_facing facing,
    void (*expect)(struct switch_bench *, const struct switch_shot *))
{
    struct switch_volley volley;

    if (!switch_volley_init(&volley, bench, facing))
        return;
    volley.aim.ecn = ECN_ECT0;
    if (fire_until_trimmed(&volley))
        expect_of_cut(&volley, expect);
}

/* A device without a DSCP for the last hop uses the same one everywhere. */
void switch_suite_trim_dscp(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    bool is_same = conform_report_lacks(report, SWITCH_LAST_HOP_MARK);

    check_class(bench, is_same ? SWITCH_FACES_ANY : SWITCH_FACES_SWITCH, expect_trimmed);
}

void switch_suite_trim_last_hop(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    check_class(bench, SWITCH_FACES_HOST, expect_last_hop);
}

void switch_suite_trim_retx(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;

    if (!switch_volley_init(&volley, bench, SWITCH_FACES_ANY))
        return;
    volley.aim.class = DSCP_TRIMMABLE_RETX;
    if (fire_until_trimmed(&volley) && switch_volley_tally(&volley).lost > 0)
        conform_report_fail(
            report, "%u retransmissions were lost", switch_volley_tally(&volley).lost);
}

/* ---- priority -------------------------------------------------------------------------------- */

/* Returns how many whole packets of the volley came out after this one. */
static uint32_t count_overtaken(const struct switch_volley *volley, const struct switch_shot *first)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < volley->loaded_count; i++)
        count += switch_shot_is_whole(&volley->bench->shots[i]) &&
                 volley->bench->shots[i].order > first->order;
    return count;
}

static const struct switch_shot *first_cut(const struct switch_volley *volley)
{
    const struct switch_shot *first = NULL;

    for (uint32_t i = 0; i < volley->loaded_count; i++) {
        const struct switch_shot *shot = &volley->bench->shots[i];

        if (switch_shot_is_cut(shot) && (!first || shot->order < first->order))
            first = shot;
    }
    return first;
}

void switch_suite_trim_priority(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;

    if (!switch_volley_init(&volley, bench, SWITCH_FACES_ANY))
        return;
    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX; i++) {
        if (!fire_until_trimmed(&volley))
            return;
        if (count_overtaken(&volley, first_cut(&volley)) > switch_volley_tally(&volley).whole / 2)
            return;
    }
    switch_volley_give_up(&volley, "no trimmed packet overtook data");
}

/* Sends long packets with the DSCP TRIMMED behind a full data queue. Returns whether they overtook
 * half of it. */
static bool fire_trimmed_before(struct switch_volley *volley, uint32_t data_count)
{
    struct switch_bench *bench = volley->bench;
    struct switch_aim aim;

    switch_volley_begin(volley);
    switch_volley_load(volley, data_count);
    aim = volley->aim;
    aim.source = switch_bench_aim(bench, aim.in, volley->out).source;
    aim.has_dscp = true;
    aim.dscp = bench->device->format.dscp[DSCP_TRIMMED];
    for (uint32_t i = 0; i < AGAIN_FRAMES; i++)
        switch_bench_load(bench, &aim);
    return switch_bench_fire(bench) &&
           count_overtaken(volley, &bench->shots[data_count]) > data_count / 2;
}

void switch_suite_trim_again(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;
    bool has_overtaken = false;
    uint32_t data_count;

    if (!switch_volley_init(&volley, bench, SWITCH_FACES_ANY))
        return;
    volley.aim.class = DSCP_NO_TRIM;
    data_count = switch_volley_count(&volley, volley.queue_bytes);
    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX && !has_overtaken; i++) {
        has_overtaken = fire_trimmed_before(&volley, data_count);
        if (conform_report_has_ended(report))
            return;
        for (uint32_t again = data_count; again < data_count + AGAIN_FRAMES; again++) {
            const struct switch_shot *shot = &bench->shots[again];

            if (!switch_expect_out(bench, shot, "a trimmed packet"))
                return;
            if (switch_shot_is_cut(shot))
                conform_report_fail(report, "a trimmed packet was trimmed again");
            if (switch_shot_dscp(shot) != bench->device->format.dscp[DSCP_TRIMMED])
                conform_report_fail(
                    report, "the DSCP of a trimmed packet became %u", switch_shot_dscp(shot));
        }
    }
    if (!has_overtaken)
        switch_volley_give_up(&volley, "no trimmed packet overtook data");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what a switch leaves alone: the bytes of frames, and what does not decide their way. */
#include <string.h>

#include "conform/switch_expect.h"
#include "conform/switch_suite.h"
#include "wire/ip_nest.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

static void expect_same(struct switch_bench *bench, const struct switch_shot *shot)
{
    uint8_t sent = (uint8_t)(shot->bytes[0] << 4 | shot->bytes[1] >> 4);
    uint8_t came = switch_shot_traffic_class(shot);

    if (!switch_expect_out(bench, shot, "a frame"))
        return;
    switch_expect_unchanged(bench, shot);
    if (sent != came)
        conform_report_fail(bench->report, "traffic class 0x%02x became 0x%02x", sent, came);
    if (shot->seen_length != shot->length)
        conform_report_fail(
            bench->report, "a frame of %u bytes came out with %u", shot->length, shot->seen_length);
}

static void load_sizes(struct switch_bench *bench, struct switch_pair pair)
{
    static const uint32_t sizes[] = { 0, 1, 2, 63, 256, 1000, 2048, 4096 };

    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

        aim.payload_bytes = sizes[i];
        if (sizes[i] <= switch_bench_payload_max(bench))
            switch_bench_load(bench, &aim);
    }
}

/* All classes and ECN fields, and code points that MRC does not know. */
static void load_classes(struct switch_bench *bench, struct switch_pair pair)
{
    static const uint8_t others[] = { 1, 34, 63 };

    for (uint32_t i = 0; i < 4 * DSCP_OTHER; i++) {
        struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

        aim.class = (enum dscp_class)(i % DSCP_OTHER);
        aim.ecn = (uint8_t)(i / DSCP_OTHER);
        aim.is_sack = aim.class == DSCP_CONTROL;
        switch_bench_load(bench, &aim);
    }
    for (uint32_t i = 0; i < sizeof(others); i++) {
        struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

        aim.has_dscp = true;
        aim.dscp = others[i];
        switch_bench_load(bench, &aim);
    }
}

void switch_suite_unchanged(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_pair pair = SWITCH_FIRST_PAIR;

    while (switch_bench_next_pair(bench, &pair) && !conform_report_has_failed(report)) {
        load_sizes(bench, pair);
        switch_expect_each(bench, expect_same);
        switch_bench_begin(bench, report);
        load_classes(bench, pair);
        switch_expect_each(bench, expect_same);
        switch_bench_begin(bench, report);
    }
}

/* ---- the way --------------------------------------------------------------------------------- */

static void judge_ev(struct switch_bench *bench, const struct switch_shot *shot)
{
    switch_expect_out(bench, shot, "a frame with another EV");
}

void switch_suite_path_only(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_pair pair = SWITCH_FIRST_PAIR;

    while (switch_bench_next_pair(bench, &pair))
        for (uint32_t i = 0; i < 16; i++) {
            struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

            aim.ev = (uint32_t)prng_next(&bench->prng);
            aim.is_sack = i % 2;
            switch_bench_load(bench, &aim);
        }
    switch_expect_each(bench, judge_ev);
}

/* The UDP destination port of the innermost packet. */
static uint8_t *dest_port_of(const struct switch_shot *shot)
{
    struct ip_nest nest = { 0 };

    ip_nest_walk(shot->bytes, shot->length, &nest);
    return shot->bytes + nest.end + 2;
}

void switch_suite_foreign(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_pair pair = SWITCH_FIRST_PAIR;

    while (switch_bench_next_pair(bench, &pair)) {
        struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

        bytes_put_be16(dest_port_of(switch_bench_load(bench, &aim)), 9);
    }
    switch_expect_each(bench, expect_same);
}

/* ---- lengths --------------------------------------------------------------------------------- */

void switch_suite_truncated(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_pair pair = SWITCH_FIRST_PAIR;

    while (switch_bench_next_pair(bench, &pair)) {
        struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);
        struct switch_shot *shot = switch_bench_load(bench, &aim);

        shot->out = SWITCH_NOWHERE;
        bytes_put_be16(shot->bytes + 4, (uint16_t)(bytes_get_be16(shot->bytes + 4) + 8));
    }
    switch_expect_drops(bench, "a frame that is 8 bytes too short");
}

static void add_padding(const struct switch_bench *bench, struct switch_aim *aim)
{
    (void)bench;
    aim->padding_bytes = 6;
}

void switch_suite_padding(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);

    switch_expect_load(bench, add_padding);
    switch_expect_each(bench, expect_same);
}

/* ---- source ---------------------------------------------------------------------------------- */

/* Loads one frame in the name of another host, and one in the own name. */
static void load_sources(struct switch_bench *bench, struct switch_pair pair)
{
    struct switch_aim aim = switch_bench_aim(bench, pair.in, pair.out);

    switch_bench_load(bench, &aim);
    aim.source.octets[15] ^= 0x40;
    aim.out = SWITCH_NOWHERE;
    switch_bench_load(bench, &aim);
}

static void judge_source(struct switch_bench *bench, const struct switch_shot *shot)
{
    if (shot->out == SWITCH_NOWHERE)
        switch_expect_drop(bench, shot, "a frame with another source than its host");
    else
        switch_expect_out(bench, shot, "a frame with the source of its host");
}

void switch_suite_source(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_pair pair = SWITCH_FIRST_PAIR;

    while (switch_bench_next_pair(bench, &pair))
        if (bench->device->ports[pair.in].has_host)
            load_sources(bench, pair);
    if (bench->shot_count == 0)
        conform_report_skip(report, "no input is a port to a host with a known address");
    else
        switch_expect_each(bench, judge_source);
}

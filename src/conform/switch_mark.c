/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of ECN marks (docs/fabric.md §10, docs/wire.md §2.2).
 *
 * When a frame of a volley leaves, at most the frames that come out after it are behind it in the
 * queue: fewer if some have not come in yet. An upper limit of the queue is therefore certain, and
 * marks below red_min are an error in any volley. That all frames above red_max are marked is only
 * expected in one volley of several. */
#include <stdio.h>

#include "conform/switch_expect.h"
#include "conform/switch_suite.h"
#include "conform/switch_volley.h"

enum { FIRST_WAITING = 3 /* the first frames find an idle port */, RAMP_VOLLEYS = 10 };

/* Switches may count other headers, or whole cells. */
static uint64_t surely_below(const struct switch_device *device)
{
    return device->red_min_bytes * UINT64_C(9) / 10;
}

static uint64_t surely_above(const struct switch_device *device)
{
    return device->red_max_bytes * UINT64_C(11) / 10;
}

static bool init_volley(struct switch_volley *volley, struct switch_bench *bench)
{
    if (!switch_volley_init(volley, bench, SWITCH_FACES_SWITCH))
        return false;
    volley->aim.ecn = ECN_ECT0;
    return true;
}

/* Like init_volley(), for checks that need a queue longer than red_max. */
static bool init_long_volley(struct switch_volley *volley, struct switch_bench *bench)
{
    if (!init_volley(volley, bench))
        return false;
    if (surely_above(bench->device) + UINT64_C(8) * volley->frame_bytes < volley->queue_bytes)
        return true;
    conform_report_skip(bench->report, "the data queue is hardly longer than red_max");
    return false;
}

/* Returns the bytes of the frames that came out after the frame at `place`. */
static uint64_t behind_bytes(const struct switch_volley *volley, uint32_t place)
{
    return (uint64_t)(volley->whole_count - 1 - place) * volley->frame_bytes;
}

static bool is_marked(const struct switch_volley *volley, uint32_t index)
{
    const struct switch_shot *shot = &volley->bench->shots[index];

    return shot->copies > 0 && switch_shot_ecn(shot) == ECN_CE;
}

/* Returns the number of places at which more than red_max is behind a frame. */
static uint32_t places_above(const struct switch_volley *volley)
{
    uint64_t frames = surely_above(volley->bench->device) / volley->frame_bytes + 1;

    return volley->whole_count > frames ? volley->whole_count - (uint32_t)frames : 0;
}

/* The ECN fields of frames 0, 1, 2, ... of a volley, repeated. */
struct fields {
    uint8_t ecn[3];
    uint32_t count;
};

static const struct fields all_ect0 = { { ECN_ECT0 }, 1 };

static uint8_t field_of(const struct fields *fields, uint32_t index)
{
    return fields->ecn[index % fields->count];
}

/* Fires a volley that fits the queue. */
static bool fire_long(struct switch_volley *volley, const struct fields *fields)
{
    uint32_t count = switch_volley_count(volley, volley->queue_bytes) - 1;

    switch_volley_begin(volley);
    for (uint32_t i = 0; i < count; i++) {
        volley->aim.ecn = field_of(fields, i);
        switch_volley_load(volley, 1);
    }
    if (!switch_bench_fire(volley->bench))
        return false;
    switch_volley_sort(volley);
    return true;
}

/* Returns whether each ECT(0) frame with more than red_max behind it is marked. */
static bool is_all_marked(const struct switch_volley *volley, const struct fields *fields)
{
    uint32_t end = places_above(volley);

    for (uint32_t i = FIRST_WAITING; i < end; i++)
        if (field_of(fields, volley->whole[i]) == ECN_ECT0 && !is_marked(volley, volley->whole[i]))
            return false;
    return end > FIRST_WAITING + 3;
}

/* Fires until a volley has all frames above red_max marked. */
static bool fire_until_marked(struct switch_volley *volley, const struct fields *fields)
{
    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX; i++) {
        if (!fire_long(volley, fields))
            return false;
        if (is_all_marked(volley, fields))
            return true;
    }
    switch_volley_give_up(volley, "not every packet above red_max was marked");
    return false;
}

/* ---- thresholds ------------------------------------------------------------------------------ */

void switch_suite_mark_below(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;
    struct switch_tally tally;

    if (!init_volley(&volley, bench))
        return;
    for (uint32_t i = 0; i < 4; i++) {
        switch_volley_begin(&volley);
        switch_volley_load(&volley, switch_volley_count(&volley, surely_below(bench->device)));
        if (!switch_bench_fire(bench))
            return;
        tally = switch_volley_tally(&volley);
        if (tally.marked > 0)
            conform_report_fail(report, "%u of %u packets, %u bytes in all, were marked",
                tally.marked, volley.loaded_count, volley.loaded_count * volley.frame_bytes);
    }
}

void switch_suite_mark_above(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;

    if (!init_long_volley(&volley, bench) || !fire_until_marked(&volley, &all_ect0))
        return;
    for (uint32_t i = 0; i < volley.loaded_count; i++) {
        const struct switch_shot *shot = &bench->shots[i];

        if (!switch_expect_out(bench, shot, "a packet"))
            continue;
        switch_expect_unchanged(bench, shot);
        if (switch_shot_dscp(shot) != bench->device->format.dscp[DSCP_TRIMMABLE])
            conform_report_fail(report, "a marked packet has DSCP %u", switch_shot_dscp(shot));
    }
}

/* Marks in the lower and in the upper half of the ramp. */
struct ramp {
    uint32_t count[2];
    uint32_t marked[2];
};

static void add_to_ramp(const struct switch_volley *volley, struct ramp *ramp)
{
    const struct switch_device *device = volley->bench->device;
    uint64_t middle_bytes = ((uint64_t)device->red_min_bytes + device->red_max_bytes) / 2;

    for (uint32_t i = FIRST_WAITING; i < volley->whole_count; i++) {
        uint64_t bytes = behind_bytes(volley, i);
        bool is_upper = bytes > middle_bytes;

        if (bytes <= device->red_min_bytes || bytes >= device->red_max_bytes)
            continue;
        ramp->count[is_upper]++;
        ramp->marked[is_upper] += is_marked(volley, volley->whole[i]);
    }
}

/* Returns the share of marked packets, in percent. */
static uint32_t share_of(const struct ramp *ramp, bool is_upper)
{
    return ramp->count[is_upper] ? 100 * ramp->marked[is_upper] / ramp->count[is_upper] : 0;
}

static void judge_ramp(struct conform_report *report, const struct ramp *ramp)
{
    uint32_t lower = share_of(ramp, false);
    uint32_t upper = share_of(ramp, true);

    if (lower > 60 || upper < 40 || upper < lower + 15)
        conform_report_fail(report,
            "%u %% of %u packets in the lower half and %u %% of %u in the upper half were marked",
            lower, ramp->count[0], upper, ramp->count[1]);
    conform_report_reading(report, SWITCH_POINT_MARK_SHAPE,
        "%s: %u %% in the lower half, %u %% in the upper half",
        lower < 5 && upper > 95 ? "a step" : "a ramp", lower, upper);
}

void switch_suite_mark_ramp(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct ramp ramp = { .count = { 0 } };
    struct switch_volley volley;

    if (!init_long_volley(&volley, bench))
        return;
    for (uint32_t i = 0; i < RAMP_VOLLEYS; i++) {
        if (!fire_until_marked(&volley, &all_ect0))
            return;
        add_to_ramp(&volley, &ramp);
    }
    if (ramp.count[0] < 20 || ramp.count[1] < 20)
        conform_report_skip(report, "red_min and red_max are too close to each other");
    else
        judge_ramp(report, &ramp);
}

/* ---- who is marked --------------------------------------------------------------------------- */

static void read_ect1(const struct switch_volley *volley, const struct fields *fields)
{
    uint32_t count = 0;
    uint32_t marked = 0;

    for (uint32_t i = FIRST_WAITING; i < places_above(volley); i++) {
        if (field_of(fields, volley->whole[i]) != ECN_ECT1)
            continue;
        count++;
        marked += is_marked(volley, volley->whole[i]);
    }
    conform_report_reading(volley->bench->report, SWITCH_POINT_MARK_ECT1,
        "%u of %u packets above red_max are marked", marked, count);
}

void switch_suite_mark_not_ect(void *kit, struct conform_report *report)
{
    static const struct fields mixed = { { ECN_ECT0, ECN_NOT_ECT, ECN_ECT1 }, 3 };
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;
    uint32_t marked = 0;

    if (!init_long_volley(&volley, bench) || !fire_until_marked(&volley, &mixed))
        return;
    for (uint32_t i = 0; i < volley.loaded_count; i++)
        marked += field_of(&mixed, i) == ECN_NOT_ECT && is_marked(&volley, i);
    if (marked > 0)
        conform_report_fail(report, "%u packets that are not ECN-capable were marked", marked);
    read_ect1(&volley, &mixed);
}

/* Control packets behind a full data queue. */
void switch_suite_mark_control(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;
    uint32_t count;

    if (!init_long_volley(&volley, bench))
        return;
    count = switch_volley_count(&volley, volley.queue_bytes) - 1;
    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX; i++) {
        struct switch_aim aim = switch_bench_aim(bench, volley.aim.in, volley.out);

        switch_volley_begin(&volley);
        switch_volley_load(&volley, count);
        aim.class = DSCP_CONTROL;
        aim.is_sack = true;
        aim.ecn = ECN_ECT0;
        for (uint32_t control = 0; control < 8; control++)
            switch_bench_load(bench, &aim);
        if (!switch_bench_fire(bench))
            return;
        switch_volley_sort(&volley);
        for (uint32_t control = 0; control < 8; control++)
            if (is_marked(&volley, count + control))
                conform_report_fail(report, "a control packet was marked");
        if (is_all_marked(&volley, &all_ect0) || conform_report_has_failed(report))
            return;
    }
    switch_volley_give_up(&volley, "not every packet above red_max was marked");
}

void switch_suite_mark_host(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_tally tally = { 0 };
    struct switch_volley volley;

    if (!switch_volley_init(&volley, bench, SWITCH_FACES_HOST))
        return;
    volley.aim.ecn = ECN_ECT0;
    for (uint32_t i = 0; i < 4; i++) {
        switch_volley_begin(&volley);
        switch_volley_load(&volley, switch_volley_count(&volley, volley.queue_bytes) - 1);
        if (!switch_bench_fire(bench))
            return;
        tally = switch_volley_tally(&volley);
        if (tally.marked > 0)
            conform_report_fail(report, "%u of %u packets to a host were marked", tally.marked,
                volley.loaded_count);
    }
}

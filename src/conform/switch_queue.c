/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of queues: their length, what is dropped, and what leaves first (docs/fabric.md §10). */
#include "conform/switch_expect.h"
#include "conform/switch_suite.h"
#include "conform/switch_volley.h"

enum { CONTROL_FRAMES = 4, SACK_FRAME_BYTES = 140, CONTROL_FRAMES_MAX = 800 };

/* ---- length ---------------------------------------------------------------------------------- */

/* Returns the smallest number of frames that survived a volley that overflowed; 0: none did. */
static uint32_t measure_depth(struct switch_volley *volley)
{
    uint32_t least = 0;

    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX; i++) {
        struct switch_tally tally;

        switch_volley_begin(volley);
        switch_volley_load(volley, 2 * switch_volley_count(volley, volley->queue_bytes) + 8);
        if (!switch_bench_fire(volley->bench))
            return 0;
        tally = switch_volley_tally(volley);
        if (tally.lost + tally.cut > 0 && (least == 0 || tally.whole < least))
            least = tally.whole;
        if (least > 0 && i >= 2)
            break;
    }
    return least;
}

static void expect_depth(struct switch_bench *bench, uint32_t out)
{
    struct switch_volley volley;
    uint32_t wanted;
    uint32_t depth;

    if (!switch_volley_init_at(&volley, bench, out))
        return;
    volley.aim.class = DSCP_NO_TRIM;
    wanted = switch_volley_count(&volley, volley.queue_bytes);
    depth = measure_depth(&volley);
    if (depth == 0 && !conform_report_has_ended(bench->report))
        switch_volley_give_up(&volley, "no frame was dropped");
    else if (depth > 0 && (depth < wanted / 2 || depth > wanted + wanted / 2 + 4))
        conform_report_fail(bench->report,
            "the data queue of %s took %u frames of %u bytes; it has %u bytes, which are %u frames",
            switch_bench_name(bench, out), depth, volley.frame_bytes, volley.queue_bytes, wanted);
}

void switch_suite_queue_depth(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    uint32_t out = switch_volley_out(bench, SWITCH_FACES_ANY, SWITCH_NOWHERE);

    if (out == SWITCH_NOWHERE)
        conform_report_skip(report, "no output is slower than the inputs together");
    for (; out != SWITCH_NOWHERE && !conform_report_has_failed(report);
         out = switch_volley_out(bench, SWITCH_FACES_ANY, out))
        expect_depth(bench, out);
}

/* ---- drops ----------------------------------------------------------------------------------- */

/* Expects that some frames are lost and none is trimmed or changed. */
static void expect_drops(struct switch_volley *volley, uint32_t count, const char *what)
{
    struct switch_bench *bench = volley->bench;
    struct switch_tally tally = { 0 };

    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX && tally.lost == 0; i++) {
        switch_volley_begin(volley);
        switch_volley_load(volley, count);
        if (!switch_bench_fire(bench))
            return;
        tally = switch_volley_tally(volley);
        if (tally.cut > 0) {
            conform_report_fail(bench->report, "%u of %u %s were trimmed", tally.cut, count, what);
            return;
        }
    }
    if (tally.lost == 0)
        switch_volley_give_up(volley, "no frame was dropped");
    for (uint32_t i = 0; i < volley->loaded_count; i++)
        if (bench->shots[i].copies > 0)
            switch_expect_unchanged(bench, &bench->shots[i]);
}

void switch_suite_drop(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;
    uint32_t count;

    if (!switch_volley_init(&volley, bench, SWITCH_FACES_ANY))
        return;
    count = 2 * switch_volley_count(&volley, volley.queue_bytes) + 8;
    volley.aim.class = DSCP_NO_TRIM;
    expect_drops(&volley, count, "packets of class NO_TRIM");
    if (conform_report_has_failed(report))
        return;
    volley.aim.has_dscp = true;
    volley.aim.dscp = 34;
    expect_drops(&volley, count, "packets with a DSCP that MRC does not use");
}

void switch_suite_control_overflow(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    uint32_t frames = bench->device->control_queue_bytes / SACK_FRAME_BYTES;
    struct switch_volley volley;

    if (frames == 0 || 2 * frames > CONTROL_FRAMES_MAX) {
        conform_report_skip(report, "the control queue is %s for the kit to fill",
            frames == 0 ? "not known" : "too long");
        return;
    }
    if (!switch_volley_init(&volley, bench, SWITCH_FACES_ANY))
        return;
    volley.aim.class = DSCP_CONTROL;
    volley.aim.is_sack = true;
    volley.frame_bytes = SACK_FRAME_BYTES;
    expect_drops(&volley, 2 * frames, "control packets");
}

/* ---- priority -------------------------------------------------------------------------------- */

/* Fills the data queue and sends control packets behind. Returns how many data packets came out
 * before the first of these; UINT32_MAX: the device is gone, or a packet was lost. */
static uint32_t measure_priority(struct switch_volley *volley, uint32_t data_count)
{
    struct switch_bench *bench = volley->bench;
    struct switch_aim aim;
    uint32_t before = 0;

    switch_volley_begin(volley);
    switch_volley_load(volley, data_count);
    aim = switch_bench_aim(bench, volley->aim.in, volley->out);
    aim.class = DSCP_CONTROL;
    aim.is_sack = true;
    for (uint32_t i = 0; i < CONTROL_FRAMES; i++)
        switch_bench_load(bench, &aim);
    if (!switch_bench_fire(bench))
        return UINT32_MAX;
    for (uint32_t i = 0; i < CONTROL_FRAMES; i++)
        if (!switch_expect_out(bench, &bench->shots[data_count + i], "a control packet"))
            return UINT32_MAX;
    for (uint32_t i = 0; i < data_count; i++)
        before +=
            bench->shots[i].copies > 0 && bench->shots[i].order < bench->shots[data_count].order;
    return before;
}

void switch_suite_priority(void *kit, struct conform_report *report)
{
    struct switch_bench *bench = switch_bench_begin(kit, report);
    struct switch_volley volley;
    uint32_t least = UINT32_MAX;
    uint32_t data_count;

    if (!switch_volley_init(&volley, bench, SWITCH_FACES_ANY))
        return;
    data_count = switch_volley_count(&volley, volley.queue_bytes) * 7 / 8;
    volley.aim.class = DSCP_NO_TRIM;
    for (uint32_t i = 0; i < SWITCH_VOLLEYS_MAX && least > data_count / 2; i++) {
        uint32_t before = measure_priority(&volley, data_count);

        if (conform_report_has_failed(report))
            return;
        least = before < least ? before : least;
    }
    if (least > data_count / 2)
        switch_volley_give_up(&volley, "control packets did not overtake data");
    else
        conform_report_reading(report, SWITCH_POINT_PRIORITY_KIND, "%u of %u", least, data_count);
}

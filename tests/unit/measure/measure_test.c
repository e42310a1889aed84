/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a record: distributions, fairness, recovery. */
#include "spec.h"

#include <stdlib.h>

#include "measure/measure.h"

#define US(count) ((count)*UINT64_C(1000000))

static void *resize(void *context, void *memory, size_t bytes)
{
    (void)context;
    if (bytes > 0)
        return realloc(memory, bytes);
    free(memory);
    return NULL;
}

static const struct allocator heap = { .resize = resize };

/* ---- numbers --------------------------------------------------------------------------------- */

SPEC("a percentile is the smallest value that its share of the numbers does not exceed")
{
    struct measure_numbers numbers = { 0 };
    struct measure_distribution of;

    for (uint64_t i = 0; i < 1000; i++)
        measure_push(&heap, &numbers, (i * 7) % 1000 + 1);
    of = measure_distribution(&numbers);
    EXPECT_EQ(of.count, 1000);
    EXPECT_EQ(of.min, 1);
    EXPECT_EQ(of.p50, 500);
    EXPECT_EQ(of.p99, 990);
    EXPECT_EQ(of.p999, 999);
    EXPECT_EQ(of.max, 1000);
    measure_free(&heap, &numbers);
    EXPECT_EQ(measure_distribution(&numbers).count, 0);
}

SPEC("the index of Jain is 1 for equal shares, and a quarter if one of four has everything")
{
    struct measure_fairness fairness;

    measure_fairness_init(&fairness);
    for (uint32_t i = 0; i < 4; i++)
        measure_fairness_add(&fairness, UINT64_C(100000000000));
    EXPECT_EQ(measure_jain_millionths(&fairness), 1000000);
    measure_fairness_init(&fairness);
    for (uint32_t i = 0; i < 4; i++)
        measure_fairness_add(&fairness, i == 2 ? UINT64_C(100000000000) : 0);
    EXPECT_EQ(measure_jain_millionths(&fairness), 250000);
    EXPECT_EQ(fairness.least_bps, 0);
}

SPEC("a rate is in bits per second")
{
    EXPECT_EQ(measure_bps(1250, US(1)), UINT64_C(10000000000));
    EXPECT_EQ(measure_bps(1250, 0), 0);
}

/* ---- recovery -------------------------------------------------------------------------------- */

enum { WINDOW_US = 20, LOOKS_PER_WINDOW = 4 };

/* A run in which every microsecond could carry 160,000 bits: in window i `percent[i]` of that is.
 */
struct course {
    struct measure_record record;
    struct measure_capacity capacity;
};

static void course_init(struct course *course, const uint32_t *percent, uint32_t count)
{
    uint64_t bits = 0;
    uint64_t bytes = 0;

    *course = (struct course){ .capacity = { .window_ps = US(WINDOW_US) } };
    course->record.capacity = &course->capacity;
    for (uint32_t i = 0; i < count * LOOKS_PER_WINDOW; i++) {
        uint64_t step_bits = 160000 * WINDOW_US / LOOKS_PER_WINDOW;

        bits += step_bits;
        bytes += step_bits / 8 * percent[i / LOOKS_PER_WINDOW] / 100;
        measure_push(&heap, &course->record.look_ps, US(WINDOW_US) / LOOKS_PER_WINDOW * (i + 1));
        measure_push(&heap, &course->record.look_bits, bits);
        measure_push(&heap, &course->record.look_bytes, bytes);
    }
}

static void course_fini(struct course *course)
{
    measure_free(&heap, &course->record.look_ps);
    measure_free(&heap, &course->record.look_bits);
    measure_free(&heap, &course->record.look_bytes);
}

static uint64_t percent_of(const struct measure_share *share)
{
    return (share->bits * 100 + share->capacity_bits / 2) / share->capacity_bits;
}

#define COURSE(...)                                                                                \
    (const uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

SPEC("a rate that never fell recovers at once")
{
    struct measure_recovery recovery;
    struct course course;

    course_init(&course, COURSE(100, 100, 97, 98, 99, 100));
    recovery = measure_recovery(&course.record, US(40));
    EXPECT(recovery.has_recovered);
    EXPECT_EQ(recovery.after_ps, 0);
    EXPECT_EQ(recovery.below_ps, 0);
    EXPECT_EQ(percent_of(&recovery.lowest), 97);
    course_fini(&course);
}

SPEC("a rate has recovered with the first of three good windows in a row, not of two")
{
    struct measure_recovery recovery;
    struct course course;

    course_init(&course, COURSE(100, 40, 96, 99, 80, 100, 95, 97, 10));
    recovery = measure_recovery(&course.record, US(20));
    EXPECT(recovery.has_recovered);
    EXPECT_EQ(recovery.after_ps, US(4 * WINDOW_US));
    EXPECT_EQ(recovery.below_ps, US(2 * WINDOW_US));
    EXPECT_EQ(percent_of(&recovery.lowest), 40);
    course_fini(&course);
}

SPEC("windows begin with the change, at any position within a sample")
{
    struct measure_recovery recovery;
    struct course course;

    course_init(&course, COURSE(100, 100, 0, 100, 100, 100, 100));
    recovery = measure_recovery(&course.record, US(30));
    EXPECT_EQ(percent_of(&recovery.lowest), 50);
    EXPECT(recovery.has_recovered);
    EXPECT_EQ(recovery.after_ps, US(2 * WINDOW_US));
    course_fini(&course);
}

SPEC("a rate that stays low has not recovered, and its whole deficit counts")
{
    struct measure_recovery recovery;
    struct course course;

    course_init(&course, COURSE(100, 60, 70, 94, 96, 96, 50));
    recovery = measure_recovery(&course.record, US(20));
    EXPECT(!recovery.has_recovered);
    EXPECT_EQ(recovery.window_count, 6);
    EXPECT_EQ(recovery.below_ps, US(4 * WINDOW_US));
    EXPECT_EQ(percent_of(&recovery.lowest), 50);
    course_fini(&course);
}

SPEC("a change at the end of the run has no windows")
{
    struct measure_recovery recovery;
    struct course course;

    course_init(&course, COURSE(100, 100, 100));
    recovery = measure_recovery(&course.record, US(50));
    EXPECT_EQ(recovery.window_count, 0);
    EXPECT(!recovery.has_recovered);
    course_fini(&course);
}

SPEC("windows without demand do not count")
{
    struct measure_recovery recovery;
    struct course course;

    course_init(&course, COURSE(100, 50, 100, 100, 100));
    /* Nothing in the third window: what follows is as much later. */
    for (size_t i = 8; i < course.record.look_ps.count; i++)
        course.record.look_ps.at[i] += US(WINDOW_US);
    course.record.look_ps.at[8] -= US(WINDOW_US) - 1;
    course.record.look_bits.at[8] = course.record.look_bits.at[7];
    course.record.look_bytes.at[8] = course.record.look_bytes.at[7];
    course.record.look_ps.at[8] = US(60);
    recovery = measure_recovery(&course.record, US(20));
    EXPECT(recovery.has_recovered);
    EXPECT_EQ(recovery.below_ps, US(WINDOW_US));
    course_fini(&course);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* From a lost data packet in the third sample, 2 to 3 us, to a change at 5 us. A lost answer in the
 * second sample does not count. */
static uint64_t reaction_to(enum path_ev_state state)
{
    uint64_t samples_ps[] = { US(1), US(2), US(3), US(4), US(5), US(6) };
    uint64_t losses[] = { 1, 1, 2, 7 };
    uint64_t data_losses[] = { 2 };
    struct sim_event event = {
        .kind = SIM_EVENT_EV_CHANGED, .time_ps = US(5), .values = { 1, 1, state }
    };
    struct measure_losses link = { .samples = { .at = losses, .count = 4 } };
    struct measure_record record = { .time_ps = { .at = samples_ps, .count = 6 },
        .links = &link,
        .link_count = 1,
        .data_losses = { .at = data_losses, .count = 1 },
        .kept = { .at = &event, .count = 1 } };
    struct measure_moment from = { .time_ps = 0 };
    struct measure_moment until = { .time_ps = US(6) };

    return measure_ev_reaction_ps(
        &record, &(struct measure_between){ .from = &from, .until = &until });
}

SPEC("the reaction to a loss is the first path that becomes suspect or bad")
{
    EXPECT_EQ(reaction_to(EV_SUSPECT), US(3));
    EXPECT_EQ(reaction_to(EV_ASSUMED_BAD), US(3));
    EXPECT_EQ(reaction_to(EV_GOOD), SIM_NEVER_PS);
    EXPECT_EQ(reaction_to(EV_DENIED), SIM_NEVER_PS);
}

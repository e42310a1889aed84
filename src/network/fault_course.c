/* SPDX-License-Identifier: Apache-2.0 */
/* Computes when a fault changes. */
#include "network/fault_course.h"

#include <assert.h>

/* Returns the time of change number `flip` of a flap: down, up, down, ... */
static uint64_t flip_ps(const struct fault *fault, uint64_t flip)
{
    uint64_t down_ps = fault->period_ps / 1000 * fault->duty_permille +
                       fault->period_ps % 1000 * fault->duty_permille / 1000;
    uint64_t after_ps = flip / 2 * fault->period_ps + (flip % 2 == 1 ? down_ps : 0);

    return after_ps > FAULT_NEVER_PS - fault->from_ps ? FAULT_NEVER_PS : fault->from_ps + after_ps;
}

static bool flips(const struct fault *fault)
{
    return fault_kind_has(fault->kind, FAULT_PERIOD) && fault->duty_permille < 1000;
}

static uint64_t next_change_ps(const struct fault_course *course, const struct fault *fault)
{
    uint64_t change_ps = fault->until_ps;

    if (flips(fault)) {
        uint64_t next_flip_ps = flip_ps(fault, course->flip_count);

        if (next_flip_ps < change_ps)
            change_ps = next_flip_ps;
    }
    return change_ps;
}

struct fault_change fault_course_step(struct fault_course *course, const struct fault *fault)
{
    bool ends = course->has_begun && course->next_ps >= fault->until_ps;
    struct fault_change change = { .time_ps = course->next_ps,
        .begins = !course->has_begun,
        .ends = ends,
        .impairs = !ends && !course->impairs };

    assert(course->next_ps != FAULT_NEVER_PS);
    change.changes = change.impairs != course->impairs;
    course->impairs = change.impairs;
    course->has_begun = !ends;
    course->flip_count = ends ? 0 : course->flip_count + 1;
    course->next_ps = ends ? FAULT_NEVER_PS : next_change_ps(course, fault);
    return change;
}

/* Flip 2 k takes the link down, so after k whole periods it has flipped 2 k + 1 times. */
void fault_course_skip(struct fault_course *course, const struct fault *fault, uint64_t now_ps)
{
    uint64_t until_ps = now_ps < fault->until_ps ? now_ps : fault->until_ps - 1;
    uint64_t periods;

    if (!course->has_begun || !flips(fault) || until_ps < fault->from_ps)
        return;
    periods = (until_ps - fault->from_ps) / fault->period_ps;
    if (2 * periods + 1 <= course->flip_count)
        return;
    course->flip_count = 2 * periods + 1;
    course->impairs = true;
    course->next_ps = next_change_ps(course, fault);
}

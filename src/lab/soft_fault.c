/* SPDX-License-Identifier: Apache-2.0 */
/* The list of faults. */
#include "lab/soft_fault.h"

#include <errno.h>
#include <string.h>

struct fault soft_fault_view(const struct soft_fault *fault)
{
    struct fault view = fault->what;

    view.where = fault->where;
    return view;
}

int soft_faults_add(struct soft_faults *faults, struct soft_fault *fault)
{
    if (faults->count == SOFT_FAULTS_MAX)
        return -ENOSPC;
    fault->id = ++faults->last_id;
    fault->course = fault->is_held ? (struct fault_course){ .next_ps = FAULT_NEVER_PS }
                                   : fault_course_of(&fault->what);
    faults->list[faults->count++] = *fault;
    return 0;
}

void soft_fault_release(struct soft_fault *fault, uint64_t now_ps)
{
    fault->is_held = false;
    fault->what.from_ps += now_ps;
    if (fault->what.until_ps != FAULT_NEVER_PS)
        fault->what.until_ps += now_ps;
    fault->course = fault_course_of(&fault->what);
}

void soft_faults_remove(struct soft_faults *faults, uint32_t index)
{
    faults->count--;
    memmove(&faults->list[index], &faults->list[index + 1],
        (faults->count - index) * sizeof(faults->list[0]));
}

/* Every component has a unique name. */
static bool is_same(const struct topology_element *left, const struct topology_element *right)
{
    char left_name[TOPOLOGY_NAME_BYTES];
    char right_name[TOPOLOGY_NAME_BYTES];

    topology_name(left, left_name);
    topology_name(right, right_name);
    return strcmp(left_name, right_name) == 0;
}

bool soft_fault_is_at(const struct soft_fault *fault, const struct soft_fault *place)
{
    if (fault->what.where_count != place->what.where_count ||
        fault->what.of_ev != place->what.of_ev ||
        (place->what.of_ev && fault->what.ev != place->what.ev))
        return false;
    for (uint32_t i = 0; i < place->what.where_count; i++)
        if (!is_same(&fault->where[i], &place->where[i]))
            return false;
    return true;
}

/* Returns SOFT_FAULTS_MAX if there is none. */
static uint32_t next_index(const struct soft_faults *faults)
{
    uint64_t next_ps = FAULT_NEVER_PS;
    uint32_t next = SOFT_FAULTS_MAX;

    for (uint32_t i = 0; i < faults->count; i++)
        if (faults->list[i].course.next_ps < next_ps) {
            next_ps = faults->list[i].course.next_ps;
            next = i;
        }
    return next;
}

uint64_t soft_faults_next_ps(const struct soft_faults *faults)
{
    uint32_t next = next_index(faults);

    return next == SOFT_FAULTS_MAX ? FAULT_NEVER_PS : faults->list[next].course.next_ps;
}

/* Skipping flips may move the first fault after others, so the search repeats. */
bool soft_faults_step(struct soft_faults *faults, uint64_t now_ps, struct soft_fault_step *step)
{
    while (soft_faults_next_ps(faults) <= now_ps) {
        struct soft_fault *fault;

        step->index = next_index(faults);
        if (step->index == SOFT_FAULTS_MAX)
            break;
        fault = &faults->list[step->index];
        fault_course_skip(&fault->course, &fault->what, now_ps);
        if (fault->course.next_ps > now_ps)
            continue;
        step->change = fault_course_step(&fault->course, &fault->what);
        return true;
    }
    return false;
}

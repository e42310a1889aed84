/* SPDX-License-Identifier: Apache-2.0 */
/* The course of one fault: it begins, flips if it is a flap, and ends, each at its time. */
#pragma once

#include "network/fault.h"

struct fault_course {
    uint64_t next_ps;    /* when something changes; FAULT_NEVER_PS: it is over, or stays */
    uint64_t flip_count; /* of a flap: so far */
    bool has_begun;
    bool impairs; /* now: a flap does not all the time */
};

struct fault_change {
    uint64_t time_ps;
    bool begins;
    bool ends;
    bool impairs; /* from now on */
    bool changes; /* that */
};

/* Before it begins. */
static inline struct fault_course fault_course_of(const struct fault *fault)
{
    return (struct fault_course){ .next_ps = fault->from_ps };
}

/* What happens at next_ps; something does. */
struct fault_change fault_course_step(struct fault_course *, const struct fault *);

/* A flap that nothing was asked about for long: leaves out the flips of whole periods before
 * `now_ps`. */
void fault_course_skip(struct fault_course *, const struct fault *, uint64_t now_ps);

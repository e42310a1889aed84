/* SPDX-License-Identifier: Apache-2.0 */
/* The course of one fault: the times at which it begins, flips if it is a flap, and ends. */
#pragma once

#include "network/fault.h"

struct fault_course {
    uint64_t next_ps;    /* time of the next change; FAULT_NEVER_PS if it has ended or stays */
    uint64_t flip_count; /* of a flap, so far */
    bool has_begun;
    bool impairs; /* at the moment: a flap impairs only part of the time */
};

struct fault_change {
    uint64_t time_ps;
    bool begins;
    bool ends;
    bool impairs; /* from now on */
    bool changes; /* whether `impairs` changes */
};

/* Returns the course of a fault that has not begun. */
static inline struct fault_course fault_course_of(const struct fault *fault)
{
    return (struct fault_course){ .next_ps = fault->from_ps };
}

/* Makes the change at next_ps, which must exist. */
struct fault_change fault_course_step(struct fault_course *, const struct fault *);

/* Skips the flips of whole periods before `now_ps`, for a flap that was not queried for long. */
void fault_course_skip(struct fault_course *, const struct fault *, uint64_t now_ps);

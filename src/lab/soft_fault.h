/* SPDX-License-Identifier: Apache-2.0 */
/* Requested faults of a soft fabric that have not begun, or have begun and not ended. The state of
 * links is always derived from this list. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "network/network.h"

#define SOFT_FAULTS_MAX   256
#define SOFT_WHERE_MAX    32
#define SOFT_RATE_BPS_MIN 1000000

struct soft_fault {
    uint32_t id;
    struct fault what; /* its `where` is below */
    struct topology_element where[SOFT_WHERE_MAX];
    struct fault_course course;
    bool is_held; /* part of a script that has not begun: its times are relative to that */
};

struct soft_faults {
    struct soft_fault list[SOFT_FAULTS_MAX]; /* in the order of their ids */
    uint32_t count;
    uint32_t last_id;
};

/* Returns the fault with its place. Valid until the list changes. */
struct fault soft_fault_view(const struct soft_fault *);

/* Adds a fault and sets its id. Returns 0 or -ENOSPC. */
int soft_faults_add(struct soft_faults *, struct soft_fault *);
/* The script begins: the times of its fault are relative to now. */
void soft_fault_release(struct soft_fault *, uint64_t now_ps);
/* Removes a fault from the list. */
void soft_faults_remove(struct soft_faults *, uint32_t index);
/* Returns whether the fault has the same place (the same components, and nothing inside them) and
 * the same EV. */
bool soft_fault_is_at(const struct soft_fault *, const struct soft_fault *place);

/* Returns the next step of a fault up to `now_ps`, in order of time and, at one time, in the order
 * of the list. Returns false if there is no more. */
struct soft_fault_step {
    uint32_t index;
    struct fault_change change;
};
bool soft_faults_step(struct soft_faults *, uint64_t now_ps, struct soft_fault_step *);
/* Returns the time of the next step, or FAULT_NEVER_PS if there is none. */
uint64_t soft_faults_next_ps(const struct soft_faults *);

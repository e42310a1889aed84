/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a soft fabric, those that have been asked for: each is about to begin, or has begun and
 * not ended. The state of links is always derived from this list. */
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
    bool is_held; /* of a script that has not begun: its times count from there */
};

struct soft_faults {
    struct soft_fault list[SOFT_FAULTS_MAX]; /* in the order of their ids */
    uint32_t count;
    uint32_t last_id;
};

/* The fault with its place, as long as the list stays as it is. */
struct fault soft_fault_view(const struct soft_fault *);

/* 0 or -ENOSPC; the id is chosen here. */
int soft_faults_add(struct soft_faults *, struct soft_fault *);
/* The script begins: what it has handed over has times from now on. */
void soft_fault_release(struct soft_fault *, uint64_t now_ps);
/* Takes one out of the list. */
void soft_faults_remove(struct soft_faults *, uint32_t index);
/* Its place (the same components, and nothing inside them) and EV are these. */
bool soft_fault_is_at(const struct soft_fault *, const struct soft_fault *place);

/* What happens next up to `now_ps`, in order of time, of one time in the order of the list: the
 * fault steps. False: nothing more. */
struct soft_fault_step {
    uint32_t index;
    struct fault_change change;
};
bool soft_faults_step(struct soft_faults *, uint64_t now_ps, struct soft_fault_step *);
/* When something happens; FAULT_NEVER_PS: never by itself. */
uint64_t soft_faults_next_ps(const struct soft_faults *);

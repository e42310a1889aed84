/* SPDX-License-Identifier: Apache-2.0 */
/* What has happened to a soft fabric: all faults, with the times at which they began and ended, and
 * these events in their order. A fault that was asked for by hand, and one of a script, are alike.
 *
 * Times are those of the faults, not those at which the process got round to them. */
#pragma once

#include "lab/soft_fault.h"

#define SOFT_RECORD_MAX 4096 /* faults; of more nothing is recorded */

struct soft_record_event {
    uint64_t time_ps;
    uint32_t fault; /* id */
    bool begins;    /* or ends */
};

struct soft_record {
    struct soft_fault *faults; /* in the order of their ids */
    struct soft_record_event *events;
    uint32_t fault_count;
    uint32_t fault_max;
    uint32_t event_count;
    uint32_t event_max;
    uint64_t origin_ps; /* time 0 of the recording: the first script, or the first fault */
    bool has_origin;
    bool is_off;
    bool is_cut; /* there was no room for some fault */
};

void soft_record_fini(struct soft_record *);
/* Nothing has happened. */
void soft_record_clear(struct soft_record *);

/* A script begins, or a fault: time 0, if it is the first. */
void soft_record_begin(struct soft_record *, uint64_t time_ps);
/* It is in the list. */
void soft_record_fault(struct soft_record *, const struct soft_fault *);
void soft_record_change(struct soft_record *, uint32_t id, const struct fault_change *);
/* It is taken out of the list before its time. */
void soft_record_repair(struct soft_record *, const struct soft_fault *, uint64_t now_ps);

/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of a soft fabric: all faults, with the times at which they began and ended, and
 * these events in order. Faults requested by hand and faults of a script are recorded alike.
 *
 * Times are those of the faults, not those at which the process applied them. */
#pragma once

#include "lab/soft_fault.h"

#define SOFT_RECORD_MAX 4096 /* faults; further ones are not recorded */

struct soft_record_event {
    uint64_t time_ps;
    uint32_t fault; /* its id */
    bool begins;    /* true if it begins, false if it ends */
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
    bool is_cut; /* some faults are not recorded, for lack of room */
};

void soft_record_fini(struct soft_record *);
/* Starts an empty recording. */
void soft_record_clear(struct soft_record *);

/* A script or a fault begins. The first one sets time 0. */
void soft_record_begin(struct soft_record *, uint64_t time_ps);
/* Records a fault that is in the list. */
void soft_record_fault(struct soft_record *, const struct soft_fault *);
void soft_record_change(struct soft_record *, uint32_t id, const struct fault_change *);
/* Records the end of a fault that is removed from the list before its time. */
void soft_record_repair(struct soft_record *, const struct soft_fault *, uint64_t now_ps);

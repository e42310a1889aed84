/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the frames and trace events of a run that are written to files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "sim/sim.h"

enum {
    STUDY_FILTER_QPNS_MAX = 64,
    STUDY_FILTER_REASON_BYTES = 256,
};

struct study_filter {
    const struct plan *fabric;
    bool *has_nic;  /* by number; NULL: all NICs */
    bool *has_link; /* by number; NULL: all links */
    uint32_t qpns[STUDY_FILTER_QPNS_MAX];
    uint32_t qpn_count; /* 0: all QPs */
    uint64_t from_ps;   /* earlier frames and events are left out */
    uint64_t until_ps;  /* later ones, too */
    bool has_from;
    bool has_until;
};

/* Selects everything. */
void study_filter_init(struct study_filter *, const struct plan *);
void study_filter_fini(struct study_filter *);

/* Adds a condition, KEY=VALUE[,VALUE...]. Keys are nic, qp, at, from and until (mrc-sim(1)). Values
 * of one key are alternatives, and all keys must agree; from and until have one value. Returns
 * false, with a reason, if the condition is wrong. */
bool study_filter_add(
    struct study_filter *, const char *condition, char reason[static STUDY_FILTER_REASON_BYTES]);

bool study_filter_passes_frame(const struct study_filter *, const struct sim_frame *);
bool study_filter_passes_event(
    const struct study_filter *, uint32_t nic, uint32_t qpn, uint64_t time_ns);

/* SPDX-License-Identifier: Apache-2.0 */
/* What the data paths of all NICs say about EVs: how many NICs, of how many leaves, found an EV bad
 * lately. An EV that NICs of several leaves find bad points at its switch; NICs of one leaf, at the
 * uplink of that leaf; one NIC with many EVs of a plane, at its own link. This is evidence, not a
 * verdict: nothing is drained because of it alone. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "plan/plan.h"

#define CTL_EVIDENCE_NICS 16    /* distinct NICs remembered for an EV */
#define CTL_EVIDENCE_ROWS 256   /* EVs remembered */
#define CTL_EVIDENCE_MS   60000 /* after which a report no longer counts */

struct ctl_witness {
    uint32_t nic;
    uint64_t time_ms;
    uint32_t reports;
};

struct ctl_evidence_row {
    uint32_t ev;
    uint32_t witness_count;
    struct ctl_witness witnesses[CTL_EVIDENCE_NICS];
    uint64_t more; /* reports of further NICs */
};

struct ctl_evidence {
    struct ctl_evidence_row rows[CTL_EVIDENCE_ROWS];
    uint32_t count;
};

/* A NIC found the EV bad. */
void ctl_evidence_add(struct ctl_evidence *, uint32_t ev, uint32_t nic, uint64_t now_ms);
/* Returns an array, the EV with the most witnesses first. Forgets old reports. */
json_t *ctl_evidence_describe(struct ctl_evidence *, const struct plan *, uint64_t now_ms);

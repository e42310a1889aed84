/* SPDX-License-Identifier: Apache-2.0 */
/* The agents that a controller has heard of, and the NICs that they speak for. An agent speaks only
 * for NICs for which no other agent does. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ctl/ctl_agent.h"

#define CTL_MEMBERS_MAX  16384
#define CTL_EVENTS_RATE  1000 /* events per second that an agent may report, on average */
#define CTL_EVENTS_BURST 4096
#define CTL_REPORTS_RATE 20    /* reports that an agent may send in a second */
#define CTL_SILENT_MS    10000 /* after which an agent counts as gone */

struct ctl_member {
    char name[CTL_NAME_BYTES];
    uint64_t heard_ms; /* monotonic; 0: not since the controller started */
    int64_t version;   /* of its orders */
    bool is_ordered;   /* got orders since the controller started */
    json_t *devices;   /* as it reported them */
    uint32_t device_count;
    uint32_t events_allowed; /* tokens of the bucket */
    uint64_t events_taken;
    uint64_t events_refused;  /* over the rate, or malformed, or of NICs that are not its own */
    uint64_t events_lost;     /* before they could be reported */
    uint64_t rounds_refused;  /* of probes: of other NICs, or impossible */
    uint64_t claims_refused;  /* reports of NICs for which another agent speaks */
    uint64_t reports_refused; /* over the rate */
    uint64_t refused_noted;   /* of the sum of these, in the audit log */
    uint64_t second_ms;       /* when the second began in which reports are counted */
    uint32_t second_reports;
};

struct ctl_members {
    struct ctl_member **members;
    uint32_t count;
    uint32_t *places; /* hash table: index + 1 */
    uint32_t *owners; /* of each NIC: index + 1; 0: no agent */
    uint32_t nic_count;
};

int ctl_members_init(struct ctl_members *, uint32_t nic_count);
void ctl_members_fini(struct ctl_members *);

/* Returns NULL if there are too many, or no memory. */
struct ctl_member *ctl_member_find_or_add(struct ctl_members *, const char *name);

/* Lets the agent speak for the NIC. Returns false if another agent does that was heard lately. */
bool ctl_member_claim(
    struct ctl_members *, const struct ctl_member *, uint32_t nic, uint64_t now_ms);
bool ctl_member_owns(const struct ctl_members *, const struct ctl_member *, uint32_t nic);

/* Notes that a report came, and refills the bucket. */
void ctl_member_heard(struct ctl_member *, uint64_t now_ms);
/* Returns false if the agent has reported too many events. */
bool ctl_member_may_report(struct ctl_member *);

/* Returns false if the agent has reported too often in this second. */
bool ctl_member_may_speak(struct ctl_member *, uint64_t now_ms);
/* Returns the number of reports, events, claims and rounds that were refused. */
uint64_t ctl_member_refused(const struct ctl_member *);

json_t *ctl_member_describe(const struct ctl_member *, uint64_t now_ms);

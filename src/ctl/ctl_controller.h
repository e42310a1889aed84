/* SPDX-License-Identifier: Apache-2.0 */
/* The controller of a fabric: decides what is drained, within limits, and writes down why. A change
 * is in force when the store has it; agents learn of it with their next report. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ctl/ctl_denylist.h"
#include "ctl/ctl_evidence.h"
#include "ctl/ctl_map.h"
#include "ctl/ctl_member.h"
#include "ctl/ctl_policy.h"
#include "ctl/ctl_store.h"
#include "http/http.h"

struct dashboard;

#define CTL_PENDING_EVENTS 8192 /* until the next write to the store */
#define CTL_CHANNEL        1    /* of the streams of operators and agents */

struct ctl_limits {
    uint32_t capacity_ppm; /* no drain may leave a NIC with less */
};

/* Profiles that agents make on all devices; 0: none. */
struct ctl_profiles {
    uint32_t ev_id;
    uint32_t cc_id;
};

struct ctl_controller {
    const struct plan *plan;
    struct ctl_store *store; /* lent, like the servers */
    struct ctl_denylist denylist;
    struct ctl_limits limits;
    struct ctl_profiles profiles;
    struct ctl_members members;
    struct ctl_evidence evidence;
    struct ctl_map map; /* this and the policy: ctl_loop.h */
    struct ctl_policy policy;
    uint32_t *ports_down;    /* of each NIC, as reported */
    int64_t version;         /* of the denylist */
    json_t *pending;         /* events to be stored */
    uint64_t events_dropped; /* because the store refuses them, or too many are pending */
    int store_err;           /* of the last write; 0: it succeeded */
    struct http_server *operators;
    struct http_server *agents; /* NULL: none */
    struct dashboard *dashboard;
    uint64_t now_ms;
    uint64_t stored_ms;
    uint64_t conduct_ms;     /* when refused agents were last noted */
    uint32_t conduct_next;   /* the member after the last one that was noted */
    int64_t clock_offset_ms; /* of the time of day, from the monotonic clock */
};

/* What an actor wants. */
struct ctl_wish {
    const char *actor;
    const char *element;
    const char *reason;   /* NULL: none */
    const char *evidence; /* JSON; NULL: none */
    bool is_dry;          /* only say what would happen */
};

/* Loads the denylist. Returns 0 or a negative errno, and a reason. */
int ctl_controller_init(struct ctl_controller *, const struct plan *, struct ctl_store *,
    const struct ctl_limits *, char reason[static CTL_REASON_BYTES]);
void ctl_controller_fini(struct ctl_controller *);

/* Drains or restores an element. Returns the answer, which the caller releases, and the status of
 * HTTP: 200 done, 404 no such element or not drained, 409 refused, 507 the store refuses it. Every
 * attempt is in the audit log. */
json_t *ctl_controller_drain(struct ctl_controller *, const struct ctl_wish *, unsigned *status);
json_t *ctl_controller_restore(struct ctl_controller *, const struct ctl_wish *, unsigned *status);

/* Takes the report of an agent. Returns its answer: the version of the denylist and, if the agent
 * has another, its orders. NULL: the report is malformed. */
json_t *ctl_controller_take_report(
    struct ctl_controller *, const char *agent, const json_t *report);

/* Stores events and notes jumps of the clock. Call it several times a second. */
void ctl_controller_tick(struct ctl_controller *, uint64_t now_ms);

json_t *ctl_controller_state(struct ctl_controller *);
json_t *ctl_controller_agents(const struct ctl_controller *);
/* Returns the NICs that agents speak for. */
json_t *ctl_controller_nics(const struct ctl_controller *);

/* The tables of routes; their context is the controller. */
extern const struct http_route ctl_operator_routes[];
extern const struct http_route ctl_agent_routes[];

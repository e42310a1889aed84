/* SPDX-License-Identifier: Apache-2.0 */
/* The agent of a node: carries out the orders of the controller on the devices of this machine
 * through mrc_ctl.h, and collects what their NICs report. It keeps its last orders in its store and
 * carries them out again whenever a device appears or differs from them, with or without a
 * controller. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/control.h"
#include "ctl/ctl_denylist.h"
#include "ctl/ctl_prober.h"
#include "ctl/ctl_store.h"

#define CTL_NAME_BYTES   64
#define CTL_AGENT_EVENTS 4096 /* kept until they are reported */

struct ctl_agent_device {
    char name[DEVICE_LIST_NAME_BYTES];
    char address[64];
    int64_t version;        /* of the orders in force; -1: none */
    uint32_t ports_ordered; /* ports that we have disabled */
    uint32_t ports_noted;   /* the same in the store, or more */
    uint32_t ports_down;    /* bit p: the link of plane p is down */
    uint32_t denied_count;
    bool has_owner; /* a process has it open */
    int err;        /* why orders are not in force; 0: they are */
    bool is_seen;   /* in the last list of devices */
};

struct ctl_agent {
    struct ctl_store *store; /* lent */
    char name[CTL_NAME_BYTES];
    json_t *orders; /* NULL: none yet */
    int64_t version;
    struct ctl_agent_device devices[EVENT_WATCH_MAX];
    uint32_t device_count;
    struct event_watch watch;
    json_t *events;
    uint64_t events_lost;
    struct ctl_prober prober;
    uint64_t looked_ms;
    uint64_t checked_ms;
};

/* Loads the last orders. The agent must not move: NICs refer to it. */
void ctl_agent_init(struct ctl_agent *, struct ctl_store *, const char *name);
void ctl_agent_fini(struct ctl_agent *);

/* Stores new orders and carries them out. Returns 0 or a negative errno, and a reason: -EINVAL if
 * they are malformed, in which case the last ones stay in force. */
int ctl_agent_take_orders(
    struct ctl_agent *, const char *text, char reason[static CTL_REASON_BYTES]);

/* Takes the answer of the controller to a report that left at `sent_ms`: orders, if it has any, and
 * what it says of probes. Returns true if there were orders; with a reason if they are refused. */
bool ctl_agent_take_answer(struct ctl_agent *, const json_t *answer, uint64_t sent_ms,
    char reason[static CTL_REASON_BYTES]);

/* Looks after devices, events and probes. Returns the milliseconds after which it wants to be
 * called again; calling it earlier does no harm. */
uint32_t ctl_agent_tick(struct ctl_agent *, uint64_t now_ms);

/* Returns a report with the events since the last one, which the caller releases. */
json_t *ctl_agent_report(struct ctl_agent *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The probes of an agent: sends those of its devices in every period, through the processes that
 * have them open, and collects what each round lost. It borrows devices that no process has open,
 * and returns each to the process that opens it. Periods are counted on the controller's clock, and
 * fabric, length of a period and of a round are the controller's. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/control.h"
#include "ctl/ctl_pace.h"
#include "files/files.h"

struct ctl_agent_device;

#define CTL_PROBER_ROUNDS 8 /* that wait for a controller */

struct ctl_prober_device {
    struct map_agent agent;
    uint64_t again_ms; /* after a failure: not before */
    bool is_there;
    struct device_loan loan;
    uint64_t borrow_ms; /* after a failure: not before */
    uint64_t pause_ms;  /* after the next failure */
};

struct ctl_prober {
    struct yaml yaml;
    struct plan own_plan;
    const struct plan *plan; /* own_plan, or lent; NULL: not known yet */
    int64_t fabric_id;       /* -1: none */
    void *memory;
    struct map_schedule schedule;
    struct ctl_prober_device devices[EVENT_WATCH_MAX];
    uint32_t device_count;
    struct ctl_pace pace;
    uint64_t heard_ms;  /* from the controller, on our clock */
    uint32_t period_ms; /* 0: no probes */
    uint32_t round_periods;
    uint64_t period; /* the last that was sent */
    uint64_t round;  /* the next to be collected */
    bool is_running;
    json_t *rounds; /* collected */
};

void ctl_prober_init(struct ctl_prober *);
void ctl_prober_fini(struct ctl_prober *);

/* Uses a plan that outlives the prober. */
void ctl_prober_lend(struct ctl_prober *, const struct plan *, int64_t fabric_id);

/* Takes the member `map` of an answer of the controller to the report that left at `sent_ms`; NULL:
 * there are no probes. The form is
 *
 *     { "period_ms": 100, "round_periods": 30, "time_ms": 123456, "fabric_id": 7, "fabric": "..." }
 *
 * with the text of the fabric file if the report had another id. */
void ctl_prober_take_answer(
    struct ctl_prober *, const json_t *map, uint64_t sent_ms, uint64_t heard_ms);

/* Tells which devices there are. */
void ctl_prober_look(struct ctl_prober *, const struct ctl_agent_device *devices,
    uint32_t device_count, uint64_t now_ms);
/* Returns true if the prober itself has the device open. */
bool ctl_prober_has_borrowed(const struct ctl_prober *, const char *device);
/* Sends what is due. Returns the milliseconds after which it wants to be called again. */
uint32_t ctl_prober_tick(struct ctl_prober *, uint64_t now_ms);

/* Returns true if a round waits to be reported. */
bool ctl_prober_has_news(const struct ctl_prober *);
/* Returns the member `map` of a report, and forgets the rounds. A round is
 *
 *     { "round": 41, "nics": [{ "address": "...", "ports": 15, "lost": [0, 7, 2, ...] }] }
 *
 * `ports` is the mask of ports that sent all probes; `lost` has port, period and slot of each lost
 * probe. */
json_t *ctl_prober_report(struct ctl_prober *);

/* For the prober itself: what a NIC lost in the round that is collected; NULL if no port sent all
 * its probes. */
json_t *ctl_prober_collect(const struct ctl_prober *, struct map_agent *);

/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a soft fabric, injected by whoever talks to its control socket. The list is the truth:
 * whenever it or the time changes it, the state of every link is worked out anew. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

#define SOFT_FAULTS_MAX   256
#define SOFT_RATE_BPS_MIN 1000000

enum soft_fault_kind {
    SOFT_FAULT_DOWN,
    SOFT_FAULT_FLAP,      /* down for `duty_permille` of every `period_ps` */
    SOFT_FAULT_BLACKHOLE, /* carries nothing, looks healthy */
    SOFT_FAULT_LOSS,
    SOFT_FAULT_CORRUPT,
    SOFT_FAULT_SLOW,
    SOFT_FAULT_KIND_COUNT,
};

extern const char *const soft_fault_names[SOFT_FAULT_KIND_COUNT];

struct soft_fault {
    uint32_t id;
    enum soft_fault_kind kind;
    struct topology_element where;
    bool of_ev; /* only packets with this EV */
    uint32_t ev;
    uint32_t probability; /* LOSS, CORRUPT: of 2^32 */
    uint64_t rate_bps;    /* SLOW */
    uint64_t period_ps;
    uint32_t duty_permille;
    uint64_t from_ps;
    uint64_t until_ps; /* UINT64_MAX: stays */
};

struct soft_faults {
    struct soft_fault list[SOFT_FAULTS_MAX];
    uint32_t count;
    uint32_t last_id;
};

/* What the list makes of one way along one link, at a time. */
struct soft_condition {
    bool is_down;
    bool is_blackhole;
    bool is_picky;     /* some fault asks for the EV of each packet */
    uint32_t loss;     /* of 2^32 */
    uint32_t corrupt;  /* of 2^32 */
    uint64_t rate_bps; /* 0: its own */
};

/* 0 or -ENOSPC; the id is chosen here. */
int soft_faults_add(struct soft_faults *, struct soft_fault *);
/* Ends all faults of a component (and of nothing inside it); of an EV where `of_ev`. Yields how
 * many. */
uint32_t soft_faults_clear(
    struct soft_faults *, const struct topology_element *, bool of_ev, uint32_t ev);
/* Forgets what is over. */
void soft_faults_prune(struct soft_faults *, uint64_t now_ps);

struct soft_condition soft_faults_condition(const struct soft_faults *, const struct topology *,
    const struct topology_element *link, uint64_t now_ps);
/* The chances of a packet with this EV on a link that is picky. */
struct soft_condition soft_faults_condition_of_ev(const struct soft_faults *,
    const struct topology *, const struct topology_element *link, uint32_t ev, uint64_t now_ps);
/* When a condition may be different; UINT64_MAX: never by itself. */
uint64_t soft_faults_next_ps(const struct soft_faults *, uint64_t now_ps);

/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation of RoCEv2 has besides struct sim: tables of ECMP, NICs, buffers of switches. */
#pragma once

#include "rival/rival.h"
#include "sim/shard.h"

/* The watchdogs of a switch. */
struct roce_watch {
    struct pfc_watchdog *watchdogs; /* of each port */
    struct deadline_heap timers;
    uint64_t storm_count;
    uint64_t dropped; /* packets */
};

/* A port in the search for deadlocks. */
struct roce_walk {
    uint32_t cursor;
    uint32_t from; /* the port that waits for it */
};

struct roce_world {
    struct roce_profile profile;
    struct routing routing;
    struct roce_nic *nics;
    uint32_t *outlets;            /* of each flow, at its NIC */
    struct pfc *pfcs;             /* of each switch; without PFC, there are none */
    struct roce_watch *watches;   /* of each switch, with PFC */
    struct ecn_marking *markings; /* of each port */
    struct roce_walk *walks;      /* of each port, with PFC */
    bool marks;
};

/* Makes NICs, connections and QPs. */
void setup_roce(struct sim *, struct arena *);

/* Makes the buffers and thresholds of switches. */
void policy_roce_init(struct sim *, struct arena *);

/* Refuses settings that the fabric cannot have. */
bool policy_roce_check(const struct sim_config *, struct problem *);

/* Adds the counters of all NICs. */
void roce_world_count(const struct sim *, uint64_t counters[static ROCE_COUNTER_COUNT]);

extern const struct endpoint_ops endpoint_roce;
extern const struct switch_policy policy_roce;          /* queues are limited */
extern const struct switch_policy policy_roce_lossless; /* senders are paused */

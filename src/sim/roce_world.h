/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation of RoCEv2 has besides struct sim: tables of ECMP, NICs, buffers of switches. */
#pragma once

#include "rival/rival.h"
#include "sim/shard.h"

/* The buffer of a switch. */
struct roce_switch {
    struct shared_buffer buffer; /* without PFC */
    struct pfc pfc;
};

struct roce_world {
    struct roce_profile profile;
    struct ecmp ecmp;
    struct roce_nic *nics;
    uint32_t *outlets; /* of each flow, at its NIC */
    struct roce_switch *switches;
    struct ecn_marking *markings; /* of each port */
    bool marks;
};

/* Takes its own memory, or uses `measured` if the arena has none, and decides what the NICs of a
 * fabric do. Called first. */
void roce_world_init(struct sim *, struct arena *, struct roce_world *measured);

/* Returns the number of ranges of a flow's bytes that may have been placed after a gap. */
uint32_t roce_world_ranges(const struct sim *, uint32_t depth);

/* Returns how many packets may be in flight: what the NICs, links and buffers hold. */
uint64_t roce_world_packets(const struct sim *);

/* Makes NICs, connections and QPs. */
void setup_roce(struct sim *, struct arena *);

/* Makes the buffers and thresholds of switches. */
void policy_roce_init(struct sim *, struct arena *);

/* Refuses settings that the fabric cannot have. */
bool policy_roce_check(const struct sim_config *, struct problem *);

extern const struct endpoint_ops endpoint_roce;
extern const struct switch_policy policy_roce;          /* queues are limited */
extern const struct switch_policy policy_roce_lossless; /* senders are paused */

/* SPDX-License-Identifier: Apache-2.0 */
/* Agents: every NIC sends probes between its other packets, and a map judges what arrives. Each
 * agent begins its periods at another time, as if its clock differed. */
#pragma once

#include "map/map.h"
#include "sim/shard.h"

struct agents {
    struct map map;
    uint64_t period_ps;
    uint32_t kept_periods;
    uint64_t *next_ps; /* by NIC: when it sends next */
    uint64_t *arrived; /* by NIC, port and period modulo kept_periods: bitmaps of slots */
    struct map_loss *lost;
    uint64_t probes; /* of rounds that were closed */
};

/* Sets sim->agents, or nothing if the configuration has none. */
void agents_init(struct sim *, struct arena *);
/* Returns how many probes may be under way. */
uint64_t agents_packets(const struct sim *);

/* Sends what is due. */
void agents_turn(struct shard *, uint32_t nic, uint64_t now_ps);
/* Takes a packet that arrives if it is a probe. */
bool agents_take(struct shard *, uint32_t nic, uint32_t port, uint32_t packet);

/* Takes an event SIM_EVENT_EV_CHANGED as evidence of the data path. */
void agents_ev_changed(struct sim *, const struct sim_event *);

/* Closes the rounds whose probes have all arrived or are lost. Called between windows. */
void agents_close_rounds(struct sim *);

/* SPDX-License-Identifier: Apache-2.0 */
/* Making a simulation: each part takes its memory, or with an arena that has none only counts it.
 */
#pragma once

#include "sim/engine.h"

/* Ports, links and switches. */
void setup_fabric(struct sim *, struct arena *);

/* Ranks and flows. */
void setup_work(struct sim *, struct arena *);

/* Work requests a flow has in its QPs at a time. */
uint32_t setup_queue_depth(const struct sim_workload *);

/* EV profiles, transports and QPs; after the others. */
void setup_transports(struct sim *, struct arena *);

/* Packets that can be under way at a time. */
uint32_t setup_packet_count(const struct sim *);

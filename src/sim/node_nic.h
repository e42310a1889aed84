/* SPDX-License-Identifier: Apache-2.0 */
/* A NIC as a node: the transport, the ports before it, and the ranks that use it. */
#pragma once

#include "sim/sim_engine.h"

/* The arrivals of a node in order of time, all before `end_ps`, each followed by a turn of the NIC;
 * the turns it takes by itself in between; then its ports are worked off up to, not including,
 * `end_ps`. */
void node_nic_run(struct sim *, uint32_t nic_index, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps);

/* One arrival alone; the turn that follows it comes when the node is woken, now. */
void node_nic_arrive(
    struct sim *, uint32_t nic_index, const struct mailbox_entry *, uint64_t now_ps);

/* Its link went down or came up: the transport is told. */
void node_nic_ports_changed(struct sim *, uint32_t nic_index, uint32_t ports_up, uint64_t now_ps);

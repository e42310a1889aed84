/* SPDX-License-Identifier: Apache-2.0 */
/* A NIC as a node: its endpoint, its ports, and the ranks that use it. */
#pragma once

#include "sim/shard.h"

/* Processes the arrivals of a node in order of time, all before `end_ps`, each followed by a turn
 * of the NIC, and the turns that the NIC takes by itself. Then advances its ports up to, not
 * including, `end_ps`. */
void node_nic_run(struct shard *, uint32_t nic_index, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps);

/* Processes a single arrival. The turn that follows comes when the node is woken, now. */
void node_nic_arrive(
    struct shard *, uint32_t nic_index, const struct mailbox_entry *, uint64_t now_ps);

/* Returns those of the ports that have room for a data packet, too. */
uint32_t node_nic_data_ports(const struct shard *, uint32_t nic_index, uint32_t ready_ports);

/* Tells the endpoint that a link went down or came up. */
void node_nic_ports_changed(struct shard *, uint32_t nic_index, uint32_t ports_up, uint64_t now_ps);

/* SPDX-License-Identifier: Apache-2.0 */
/* Lends the records of QPs (transport_qp_lend()) to flows while they send, so that flows which send
 * one after the other use the same memory.
 *
 * A flow has ended when its last message is acknowledged. It returns its records `linger_ps` later,
 * when none of its packets is under way any more, or later still if an EV is not usable. That time
 * depends on the flow only, so the result does not depend on shards, or on which memory is used. */
#pragma once

#include "sim/shard.h"

/* Takes memory for the records of all flows. Decides which workloads share records. */
void loans_init(struct sim *, struct arena *);

/* Returns the bytes of the records of a flow of the workload. */
size_t loans_bytes_of(const struct sim *, const struct sim_workload *);

/* Gives the flow records, unless it has some. It begins at a NIC of the shard. */
void loans_open(struct shard *, struct engine_flow *);
/* Called when all messages of a flow are acknowledged, and none will follow. */
void loans_end(struct shard *, struct engine_flow *, uint64_t now_ps);
/* Closes the flows of the NIC whose time has come. Called before anything happens to the NIC at or
 * after its closing_ps that an open flow could notice. */
void loans_close(struct shard *, uint32_t nic, uint64_t now_ps);

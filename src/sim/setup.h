/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a simulation: each part takes its memory, or counts it if the arena has none. */
#pragma once

#include "sim/shard.h"

/* Returns the shard that runs a node. */
static inline struct shard *setup_shard_of(const struct sim *sim, uint32_t node)
{
    return &sim->shards[sim->seats ? sim->seats[node].shard : 0];
}

/* partition.c: decides which shard runs which node, and lists the nodes of each shard. */
void partition_init(struct sim *, struct arena *);
void partition_list_nodes(struct sim *, struct arena *);

/* Sets up shards: first what the set-up of ports and NICs needs, at the end their packets. Returns
 * the last of the bytes taken that are as sim_measure() describes. */
void setup_shards(struct sim *, struct arena *);
size_t setup_shards_engine(struct sim *, struct arena *);

/* Sets up ports, links and switches. */
void setup_fabric(struct sim *, struct arena *);

/* Makes the table of a switch. `ranges` and `*routes` have room for the largest table; `*routes`
 * advances beyond what the table keeps. */
void setup_table(const struct plan *, uint32_t switch_index, struct plan_range *ranges,
    struct switch_range **routes, struct switch_table *);

/* Returns the bytes on the wire around each packet. */
uint16_t setup_framing_bytes(const struct sim *);

/* Sets up ranks and flows. */
void setup_work(struct sim *, struct arena *);

/* Returns the largest number of work requests that a flow has in its QP. */
uint32_t setup_queue_depth(const struct sim_workload *);

/* EV profiles: of all flows, of one flow, and the largest that a flow of a workload may have. */
void setup_paths(struct sim *, struct arena *);
const struct path_profile *setup_paths_of(
    const struct sim *, const struct engine_flow *, bool is_back);
struct path_profile setup_largest_paths(const struct sim *, const struct sim_workload *);

/* Makes the profile of a workload with given EVs from entries with these EVs. */
void setup_listed_paths(const struct sim *, const struct sim_workload *, struct path_entry *entries,
    uint32_t count, struct path_profile *);

/* Like setup_paths(), for graphs; profiles have as many EVs as a QP may have. */
void setup_lists(struct sim *, struct arena *);
uint32_t setup_lists_ev_max(const struct sim *);

/* Returns about how many bytes of this many are of NICs that other members of the group run: this
 * process does not touch them. */
size_t setup_foreign_part(const struct sim *, size_t bytes);

/* Sets up EV profiles, transports and QPs; called after the others. */
void setup_transports(struct sim *, struct arena *);
/* Called by it: sets up the QPs of all flows. */
void setup_qps(struct sim *, struct arena *);

/* Each random choice has its own stream. */
enum setup_stream {
    SETUP_STREAM_PROFILES = 1,
    SETUP_STREAM_NICS = 2,
    SETUP_STREAM_PSNS = 3,
};

static inline struct prng setup_stream(
    const struct sim *sim, enum setup_stream stream, uint32_t index)
{
    return prng_stream(sim->config.seed, (uint64_t)stream << 40 | index);
}

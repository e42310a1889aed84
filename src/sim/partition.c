/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which shard runs which node.
 *
 * NICs of one leaf and its switches stay together, so that only links between switches cross
 * shards. Leaves are dealt out in turn, and so are all other switches: work on a part of the
 * cluster then keeps all shards busy. Where NICs have no leaf, neighbours by number stay together.
 */
#include "sim/setup.h"

#define NOBODY UINT8_MAX

/* Returns the number of groups of NICs that can be run apart. */
static uint32_t group_count(const struct topology *topology)
{
    return topology->has_leaves ? topology_leaf_count(topology) : topology->nic_count;
}

uint32_t sim_shards_of(const struct sim_config *config)
{
    uint32_t most = group_count(&config->fabric->topology);
    uint32_t wanted = config->shard_count;

    if (most > SIM_SHARDS_MAX)
        most = SIM_SHARDS_MAX;
    if (wanted > most)
        wanted = most;
    return wanted > 0 ? wanted : 1;
}

static uint8_t owner_of_nic(const struct sim *sim, uint32_t nic)
{
    const struct topology *topology = sim->topology;

    if (topology->has_leaves)
        return (uint8_t)(topology_leaf_number(topology, nic) % sim->shard_count);
    return (uint8_t)((uint64_t)nic * sim->shard_count / sim->nic_count);
}

/* Returns the shard of the first NIC at a switch; NOBODY: it has none. */
static uint8_t owner_of_hosts(const struct sim *sim, uint32_t switch_index)
{
    uint32_t port_count = topology_port_count(sim->topology, switch_index);

    for (uint32_t port = 0; port < port_count; port++) {
        struct topology_end end = { .node = switch_index, .port = port };
        struct topology_end peer;

        if (topology_port_faces_host(sim->topology, switch_index, port) &&
            topology_peer(sim->topology, end, &peer) && peer.is_nic)
            return sim->owners[peer.node];
    }
    return NOBODY;
}

void partition_init(struct sim *sim, struct arena *arena)
{
    uint32_t next = 0;

    if (sim->shard_count == 1)
        return;
    sim->owners = arena_take(arena, sim->node_count, sizeof(*sim->owners), 64);
    if (!sim->owners)
        return;
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        sim->owners[nic] = owner_of_nic(sim, nic);
    for (uint32_t i = 0; i < sim->topology->switch_count; i++) {
        uint8_t owner = owner_of_hosts(sim, i);

        if (owner == NOBODY)
            owner = (uint8_t)(next++ % sim->shard_count);
        sim->owners[sim->nic_count + i] = owner;
    }
}

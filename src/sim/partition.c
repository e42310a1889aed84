/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which shard runs which node.
 *
 * NICs of one leaf and its switches stay together, so that only links between switches cross
 * shards. Leaves are dealt out in turn, and so are all other switches: work on a part of the
 * cluster then keeps all shards busy. Where NICs have no leaf, neighbours by number stay together.
 */
#include <assert.h>

#include "sim/setup.h"

#define NOBODY          UINT8_MAX
#define SEAT_NUMBER_MAX 0xffffff
#define LINE            64

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

    assert(nic < sim->nic_count);
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
            return owner_of_nic(sim, peer.node);
    }
    return NOBODY;
}

/* Counts the nodes of shards, from the first node on. */
struct dealing {
    struct sim *sim;
    uint32_t counts[SIM_SHARDS_MAX];
};

static void seat_node(struct dealing *dealing, uint32_t node, uint8_t owner)
{
    uint32_t number = dealing->counts[owner]++;

    assert(number <= SEAT_NUMBER_MAX);
    if (dealing->sim->seats)
        dealing->sim->seats[node] =
            (struct engine_seat){ .shard = owner, .number = number & SEAT_NUMBER_MAX };
}

static void seat_nodes(struct dealing *dealing)
{
    struct sim *sim = dealing->sim;
    uint32_t next = 0;

    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        seat_node(dealing, nic, owner_of_nic(sim, nic));
    for (uint32_t i = 0; i < sim->topology->switch_count; i++) {
        uint8_t owner = owner_of_hosts(sim, i);

        if (owner == NOBODY)
            owner = (uint8_t)(next++ % sim->shard_count);
        seat_node(dealing, sim->nic_count + i, owner);
    }
}

void partition_init(struct sim *sim, struct arena *arena)
{
    struct dealing dealing = { .sim = sim };

    sim->seat_max = sim->node_count;
    if (sim->shard_count == 1)
        return;
    sim->seats = arena_take(arena, sim->node_count, sizeof(*sim->seats), LINE);
    seat_nodes(&dealing);
    sim->seat_max = 0;
    for (uint32_t i = 0; i < sim->shard_count; i++)
        if (dealing.counts[i] > sim->seat_max)
            sim->seat_max = dealing.counts[i];
}

void partition_list_nodes(struct sim *sim, struct arena *arena)
{
    uint32_t list_count = sim->shard_count > 1 ? sim->shard_count : 0;
    uint32_t *nodes = arena_take(arena, (size_t)list_count * sim->seat_max, sizeof(*nodes), LINE);

    if (!nodes || list_count == 0)
        return;
    for (uint32_t node = 0; node < sim->node_count; node++) {
        struct engine_seat seat = sim->seats[node];

        nodes[(size_t)seat.shard * sim->seat_max + seat.number] = node;
    }
    for (uint32_t i = 0; i < sim->shard_count; i++)
        sim->shards[i].nodes = &nodes[(size_t)i * sim->seat_max];
}

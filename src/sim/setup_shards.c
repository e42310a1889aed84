/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up shards: their packets, lists of arrivals, outboxes and reports. */
#include "base/bits.h"
#include "sim/agents.h"
#include "sim/group.h"
#include "sim/protocol.h"
#include "sim/setup.h"
#include "sim/work.h"

enum {
    LINE = 64,
    CONTROL_PER_FLOW = 32,
    PACKETS_PER_NIC = 64,
    PACKETS_LEAST = 4096,
    PACKETS_KEPT = 2048,   /* free ones of other shards, by each shard */
    REPORTS_PER_NIC = 256, /* of several shards, in a window */
    REPORTS_LEAST = 1 << 20,
};

/* ---- before ports and NICs ------------------------------------------------------------------- */

static void init_shard(struct sim *sim, struct shard *shard, uint32_t number)
{
    shard->sim = sim;
    shard->number = number;
    shard->seats = sim->seats;
    shard->endpoint = sim->endpoint;
    shard->policy = sim->policy;
    shard->fabric = sim->fabric;
    shard->topology = sim->topology;
    shard->ports = sim->ports;
    shard->links = sim->links;
    shard->port_details = sim->port_details;
    shard->nics = sim->nics;
    shard->switches = sim->switches;
    shard->waiting = sim->waiting;
    shard->used = sim->used;
    shard->nic_count = sim->nic_count;
    shard->plane_count = sim->plane_count;
    work_init(shard);
}

void setup_shards(struct sim *sim, struct arena *arena)
{
    sim->shards = arena_take(arena, sim->shard_count, sizeof(*sim->shards), LINE);
    partition_init(sim, arena);
    for (uint32_t i = 0; i < sim->shard_count; i++) {
        struct port_profile *profiles =
            arena_take(arena, sim->profile_max, sizeof(*profiles), LINE);
        uint64_t *used_nodes =
            arena_take(arena, BITS_WORDS(sim->node_count), sizeof(*used_nodes), LINE);

        if (!profiles)
            continue;
        init_shard(sim, &sim->shards[i], i);
        sim->shards[i].profiles = profiles;
        sim->shards[i].used_nodes = used_nodes;
    }
    partition_list_nodes(sim, arena);
}

/* ---- after them ------------------------------------------------------------------------------ */

static uint32_t window_packets(const struct sim *sim)
{
    return sim->cc.settings.max_window_bytes / (uint32_t)sim->parameters.pmtu + 1;
}

/* Returns the maximum number of packets in flight. A flow has at most one window in flight, and old
 * copies of retransmitted packets. Unused packets are never touched. */
static uint32_t packet_count_max(const struct sim *sim)
{
    uint32_t window =
        window_packets(sim) < sim->window_psns ? window_packets(sim) : sim->window_psns;
    uint64_t count = (uint64_t)sim->flow_count * (2 * window + CONTROL_PER_FLOW) +
                     (uint64_t)sim->nic_count * PACKETS_PER_NIC + PACKETS_LEAST;

    if (sim->protocol->packets)
        count = sim->protocol->packets(sim) + PACKETS_LEAST;
    count += agents_packets(sim);
    return (uint32_t)(count < MAILBOX_PACKETS_MOST ? count : MAILBOX_PACKETS_MOST);
}

/* Slots of the ports' queues: one for each packet, not touched until used. */
static void setup_slots(struct shard *shard, struct arena *arena, uint32_t packet_count)
{
    struct arena measure;

    arena_init(&measure, NULL, 0);
    port_pool_init(&shard->slots, &measure, packet_count);
    packets_begin_pool(arena, measure.used_bytes);
    shard->slots.slots = packets_take_memory(arena, 1, measure.used_bytes);
}

static void setup_outboxes(struct shard *shard, struct arena *arena)
{
    for (uint32_t i = 0; i < SHARD_OUTBOXES; i++)
        outbox_init(&shard->outboxes[i], arena, &shard->chunks, shard->sim->shard_count);
}

/* Reports of all shards, because other members of a group send theirs. */
static void setup_reports(struct shard *shard, struct arena *arena)
{
    const struct sim *sim = shard->sim;

    if (sim->shard_count > 1)
        reports_init(&shard->reports, arena, REPORTS_LEAST + REPORTS_PER_NIC * sim->nic_count);
}

static void setup_engine(struct shard *shard, struct arena *arena, uint32_t packet_count)
{
    const struct sim *sim = shard->sim;

    shard->nic_models = sim->nic_models;
    shard->has_slow_arrivals = sim->has_slow_arrivals;
    shard->counts_order = sim->config.counts_order;
    setup_slots(shard, arena, packet_count);
    mailbox_init(&shard->mailbox, arena, sim->seat_max, packet_count, sim->topology->lookahead_ps);
    if (sim->config.engine == SIM_HEAP)
        shard->heap = heap_init(arena, sim->node_count, packet_count);
}

/* What is used in order, or little. */
static void setup_scratch(struct shard *shard, struct arena *arena, uint32_t packet_count)
{
    const struct sim *sim = shard->sim;

    shard->batch = packets_take_memory(arena, packet_count, sizeof(*shard->batch));
    shard->spare = packets_take_memory(arena, packet_count, sizeof(*shard->spare));
    shard->active = arena_take(arena, sim->seat_max, sizeof(*shard->active), LINE);
    if (sim->shard_count > 1)
        setup_outboxes(shard, arena);
}

/* Chunks of outboxes, of all shards. */
static void setup_chunks(struct sim *sim, struct arena *arena, uint32_t packet_count)
{
    uint32_t room = outbox_pool_room(packet_count, sim->shard_count);
    struct outbox_chunk *all =
        packets_take_memory(arena, (size_t)room * sim->shard_count, sizeof(*all));

    for (uint32_t i = 0; sim->shards && i < sim->shard_count; i++)
        outbox_pool_init(&sim->shards[i].chunks, all, i, room);
}

/* Returns by how many bits the index of a packet is shifted to get its shard. Each shard has room
 * for all packets, as far as there are numbers. */
static uint32_t shard_shift(const struct sim *sim, uint32_t packet_count)
{
    uint32_t shift = 0;

    while (UINT32_C(1) << shift < packet_count &&
           (uint64_t)sim->shard_count << (shift + 1) < PACKETS_NONE)
        shift++;
    return shift;
}

/* What is not used is never touched. Each shard may have some free packets of every other. */
static void setup_packets(struct sim *sim, struct arena *arena, uint32_t packet_count)
{
    uint32_t wanted = packet_count + (sim->shard_count - 1) * PACKETS_KEPT;
    uint32_t shift = shard_shift(sim, wanted);
    uint32_t room = UINT32_C(1) << shift;
    uint32_t each = wanted < room ? wanted : room;
    size_t all = ((size_t)(sim->shard_count - 1) << shift) + each;
    struct packets_record *records;
    struct ipv6_addr *outer;

    packets_begin_pool(arena, all * sizeof(*records));
    records = packets_take_memory(arena, all, sizeof(*records));
    packets_begin_pool(arena, all * sizeof(*outer));
    outer = packets_take_memory(arena, all, sizeof(*outer));

    for (uint32_t i = 0; sim->shards && i < sim->shard_count; i++) {
        struct packets *packets = &sim->shards[i].packets;

        packets_init(packets, i << shift, each);
        packets->outer = outer;
        packets->all = records;
        packets->shard_shift = shift;
        packets->kept_max = PACKETS_KEPT;
    }
}

/* Calls `setup_all`, if it is not NULL, for every shard, and `setup_own` for those of this
 * member. */
static void setup_each(struct sim *sim, struct arena *arena,
    void (*setup_own)(struct shard *, struct arena *, uint32_t packet_count),
    void (*setup_all)(struct shard *, struct arena *))
{
    for (uint32_t i = 0; i < sim->shard_count; i++) {
        struct shard measured = { .sim = sim };
        struct shard *shard = sim->shards ? &sim->shards[i] : &measured;

        if (setup_all)
            setup_all(shard, arena);
        if (group_has(sim->group, i))
            setup_own(shard, arena, packet_count_max(sim));
    }
}

size_t setup_shards_engine(struct sim *sim, struct arena *arena)
{
    size_t start;

    setup_packets(sim, arena, packet_count_max(sim));
    setup_each(sim, arena, setup_engine, NULL);
    start = arena->used_bytes;
    if (sim->shard_count > 1)
        setup_chunks(sim, arena, packet_count_max(sim));
    setup_each(sim, arena, setup_scratch, setup_reports);
    return sim->shard_count > 1 ? arena->used_bytes - start : 0;
}

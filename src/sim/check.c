/* SPDX-License-Identifier: Apache-2.0 */
/* Checks invariants of endpoints and ports, conservation of packets, and bytes of flows. */
#include "sim/check.h"

#include "sim/account.h"
#include "sim/group.h"
#include "sim/nic_model.h"
#include "sim/plane_check.h"

/* The endpoint checks its own state; the port checks that the bytes of a queue are the sum of
 * its packets. */
void check_node(const struct shard *shard, uint32_t node)
{
    struct engine_ports ports = sim_engine_ports(shard->sim, node);

    if (node < shard->nic_count)
        shard->endpoint->check(shard->nics[node].endpoint);
    for (uint32_t i = 0; i < ports.count; i++)
        port_check(&shard->ports[ports.first + i]);
}

/* Sums over all shards. */
struct check_sums {
    uint64_t sent;
    uint64_t ended; /* delivered or lost */
    uint64_t in_flight;
    uint64_t placed; /* in queues, lists of arrivals, outboxes and buffers of NICs */
    uint64_t plane_bytes[TOPOLOGY_PLANES_MAX];
};

static void add_sums(struct check_sums *sums, const struct check_sums *other)
{
    sums->sent += other->sent;
    sums->ended += other->ended;
    sums->in_flight += other->in_flight;
    sums->placed += other->placed;
    for (uint32_t p = 0; p < TOPOLOGY_PLANES_MAX; p++)
        sums->plane_bytes[p] += other->plane_bytes[p];
}

/* Lists of arrivals and outboxes also have pause frames. */
static void add_shard(struct check_sums *sums, const struct shard *shard)
{
    const struct outbox *outbox = &shard->outboxes[shard->sim->outbox];

    sums->sent += shard->packets_sent;
    sums->ended += shard->packets_delivered;
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        sums->ended += shard->packets_lost[i];
    sums->in_flight += shard_in_flight(shard);
    sums->placed += port_pool_used_count(&shard->slots) - shard->pauses_under_way + outbox->count +
                    (shard->heap ? shard->heap->arrivals.count : mailbox_count(&shard->mailbox));
    for (uint32_t p = 0; p < TOPOLOGY_PLANES_MAX; p++)
        sums->plane_bytes[p] += shard->plane_bytes[p];
}

/* Adds the sums of other members; also fetches both halves of flows. */
static void add_members(struct check_sums *sums, const struct sim *sim)
{
    struct check_sums own = *sums;

    group_send_all(sim, &own, sizeof(own));
    group_exchange(sim);
    for (uint32_t i = 0; i < sim->group->members->count; i++) {
        struct group_message message;
        struct check_sums other;

        if (i == sim->group->members->member)
            continue;
        message = group_received(sim, i);
        group_take(&message, &other, sizeof(other));
        add_sums(sums, &other);
    }
    group_share_flows(sim);
}

void check_all(struct sim *sim)
{
    struct check_sums sums = { 0 };
    struct shard *first = &sim->shards[0];

    for (uint32_t i = 0; i < sim->shard_count; i++)
        if (group_has(sim->group, i))
            add_shard(&sums, &sim->shards[i]);
    sums.placed += nic_model_waiting(sim);
    if (sim->group)
        add_members(&sums, sim);
    if (sums.sent != sums.ended + sums.in_flight)
        shard_violated(first,
            "packets sent are not the sum of ended packets and packets in flight; sent", sums.sent,
            sim->now_ps);
    if (sums.in_flight != sums.placed)
        shard_violated(first,
            "packets in flight are not the sum of those in queues and on links; in flight",
            sums.in_flight, sim->now_ps);
    for (uint32_t i = 0; i < sim->flow_count; i++)
        account_check(first, i, sim->now_ps);
    plane_check_sums(first, sums.plane_bytes, sim->now_ps);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks invariants of endpoints and ports, and conservation of packets. */
#include "sim/check.h"

/* The endpoint checks its own state; the port checks that the bytes of a queue are the sum of
 * its packets. */
void check_node(const struct sim *sim, uint32_t node)
{
    uint32_t first_port;
    uint32_t port_count;

    if (node < sim->nic_count) {
        sim->endpoint->check(sim->nics[node].endpoint);
        first_port = sim->nics[node].first_port;
        port_count = sim->plane_count;
    } else {
        first_port = sim->switches[node - sim->nic_count].first_port;
        port_count = sim->switches[node - sim->nic_count].port_count;
    }
    for (uint32_t i = 0; i < port_count; i++)
        port_check(&sim->ports[first_port + i]);
}

static uint64_t packets_ended(const struct sim *sim)
{
    uint64_t ended = sim->packets_delivered;

    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        ended += sim->packets_lost[i];
    return ended;
}

/* Returns the number of packets in queues and in lists of arrivals, where pause frames are too. */
static uint64_t packets_placed(const struct sim *sim)
{
    return sim->slots.used_count - sim->pauses_under_way +
           (sim->heap ? sim->heap->arrivals.count : mailbox_count(&sim->mailbox));
}

void check_all(struct sim *sim)
{
    if (sim->packets_sent != packets_ended(sim) + sim->packets.used)
        sim_engine_violated(sim,
            "packets sent are not the sum of ended packets and packets in flight; sent",
            sim->packets_sent, sim->now_ps);
    if (sim->packets.used != packets_placed(sim))
        sim_engine_violated(sim,
            "packets in flight are not the sum of those in queues and on links; in flight",
            sim->packets.used, sim->now_ps);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ports and links: queueing, departure, and the effects of faults. */
#include "sim/egress.h"

#include <assert.h>

#include "sim/wire_check.h"

static enum loss_reason loss_of(enum drop_reason reason)
{
    switch (reason) {
    case DROP_DATA_QUEUE_FULL:
        return LOST_DATA_QUEUE;
    case DROP_CONTROL_QUEUE_FULL:
        return LOST_CONTROL_QUEUE;
    default:
        return LOST_BUFFER;
    }
}

static void lose_here(struct sim *sim, uint32_t port, uint32_t packet, enum loss_reason loss)
{
    sim->port_details[port].lost++;
    sim_engine_lose(sim, packet, loss);
}

/* ---- in -------------------------------------------------------------------------------------- */

void egress_refuse(struct sim *sim, uint32_t packet, enum drop_reason reason)
{
    sim_engine_lose(sim, packet, loss_of(reason));
}

bool egress_is_cut_off(struct sim *sim, uint32_t port, uint32_t packet)
{
    enum loss_reason reason = link_refusal(&sim->links[port], &sim->port_details[port].fault);

    if (reason == LOSS_REASON_COUNT)
        return false;
    lose_here(sim, port, packet, reason);
    return true;
}

void egress_enter(struct sim *sim, uint32_t port, struct port_entry packet, uint64_t now_ps)
{
    struct port_outcome outcome;

    if (__builtin_expect(sim->links[port].is_special, false) &&
        egress_is_cut_off(sim, port, packet.handle))
        return;
    outcome = port_enqueue(&sim->ports[port], packet, now_ps);
    if (__builtin_expect(outcome.verdict == PORT_DROPPED, false))
        egress_refuse(sim, packet.handle, outcome.reason);
}

/* ---- out ------------------------------------------------------------------------------------- */

static struct topology_end end_of(const struct sim *sim, uint32_t port)
{
    uint32_t low = 0;
    uint32_t high = sim->node_count - sim->nic_count;

    if (port < sim->nic_count * sim->plane_count)
        return (struct topology_end){
            .is_nic = true, .node = port / sim->plane_count, .port = port % sim->plane_count
        };
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (sim->switches[middle].first_port <= port)
            low = middle;
        else
            high = middle;
    }
    return (struct topology_end){ .node = low, .port = port - sim->switches[low].first_port };
}

static void show_frame(struct sim *sim, uint32_t port, const struct port_transmission *sent)
{
    const struct packets_record *record = &sim->packets.all[sent->entry.handle];
    struct packet packet;

    packets_load(record, sim->fabric, &packet);
    packet.dst = plan_nic_address(sim->fabric, record->to);
    packet.port = 0;
    packet.class = sent->entry.class;
    packet.ecn = sent->entry.ecn;
    sim->config.observer.on_frame(
        sim->config.observer.context, &(struct sim_frame){ .time_ps = sent->end_ps,
                                          .from = end_of(sim, port),
                                          .packet = &packet,
                                          .outer = sim->packets.outer[sent->entry.handle],
                                          .length_bytes = sent->entry.length_bytes });
}

/* A random number for each packet, independent of the order of calls: a link begins one packet at a
 * time. */
static uint64_t coin_of(const struct sim *sim, uint32_t port, uint64_t start_ps)
{
    struct prng prng = prng_stream(sim->config.seed ^ start_ps, port);

    return prng_next(&prng);
}

static void emit_special(struct sim *sim, uint32_t port, const struct port_transmission *sent)
{
    const struct link *link = &sim->links[port];
    struct packets_record *record = &sim->packets.all[sent->entry.handle];
    struct link_passage passage;

    assert(link->has_cable);
    if (sim->config.observer.on_frame)
        show_frame(sim, port, sent);
    if (sim->config.wire)
        wire_check_hop(sim, port, sent);
    passage = link_carry(link, &sim->port_details[port].fault, sim->faults.holds,
        &(struct link_packet){
            .end_ps = sent->end_ps, .coin = coin_of(sim, port, sent->start_ps), .ev = record->ev });
    sim->packet_hops++;
    if (passage.is_lost) {
        lose_here(sim, port, sent->entry.handle, passage.reason);
        return;
    }
    record->is_corrupt |= passage.is_damaged;
    sim_engine_post(sim, link->peer_node, link->peer_port, passage.arrives_ps, &sent->entry);
}

void egress_transmit(struct sim *sim, uint32_t port, uint64_t now_ps)
{
    const struct link *link = &sim->links[port];
    struct port *queue = &sim->ports[port];

    do {
        uint64_t start_ps = queue->free_ps;
        const struct port_entry *sent = port_send(queue);

        if (__builtin_expect(link->is_special, false)) {
            emit_special(sim, port,
                &(struct port_transmission){
                    .entry = *sent, .start_ps = start_ps, .end_ps = queue->free_ps });
            continue;
        }
        sim->packet_hops++;
        sim_engine_post(
            sim, link->peer_node, link->peer_port, link_arrival_ps(link, queue->free_ps), sent);
    } while (port_next_ps(queue) <= now_ps);
}

/* ---- faults ---------------------------------------------------------------------------------- */

void egress_flush(struct sim *sim, uint32_t port, enum loss_reason loss, uint64_t now_ps)
{
    struct port *queue = &sim->ports[port];
    struct port_entry entry;

    while (port_take_out(queue, &entry))
        lose_here(sim, port, entry.handle, loss);
    queue->free_ps = now_ps;
    sim->port_details[port].paused_until_ps = 0;
}

/* Returns a profile that differs from the healthy one only in its rate. There are few of them. */
static const struct port_profile *profile_with_rate(
    struct sim *sim, const struct port_profile *healthy, uint64_t rate_bps)
{
    struct port_config config = healthy->config;

    if (rate_bps == config.rate_bps)
        return healthy;
    config.rate_bps = rate_bps;
    for (uint32_t i = 0; i < sim->profile_count; i++) {
        const struct port_config *known = &sim->profiles[i].config;

        if (known->rate_bps == rate_bps && known->data.bytes == config.data.bytes &&
            known->red_min_bytes == config.red_min_bytes && known->marks == config.marks &&
            known->faces_host == config.faces_host && known->trims == config.trims &&
            known->control.bytes == config.control.bytes)
            return &sim->profiles[i];
    }
    assert(sim->profile_count < sim->profile_max);
    port_profile_init(&sim->profiles[sim->profile_count], &config, healthy->pool);
    return &sim->profiles[sim->profile_count++];
}

void egress_apply(struct sim *sim, uint32_t port, const struct fault_action *action)
{
    struct engine_port *details = &sim->port_details[port];
    struct link *link = &sim->links[port];
    bool was_down = fault_link_is_down(&details->fault);

    fault_plan_apply(&sim->faults, &details->fault, action);
    if (!was_down && fault_link_is_down(&details->fault))
        egress_flush(sim, port, LOST_LINK_DOWN, action->time_ps);
    sim->ports[port].profile = profile_with_rate(sim, details->healthy,
        fault_link_rate_bps(&details->fault, sim->faults.holds, details->rate_bps));
    link->is_special = !fault_link_is_healthy(&details->fault) || !link->has_cable ||
                       sim->config.observer.on_frame || sim->config.wire;
}

/* The transmission began before the link went down, and the packet would arrive after that. */
bool egress_was_cut(
    const struct sim *sim, uint32_t ingress_port, struct port_entry packet, uint64_t now_ps)
{
    const struct link *back = &sim->links[ingress_port];
    uint64_t came_down_ps = sim->port_details[ingress_port].came_down_ps;
    uint64_t way_ps;
    uint32_t sender;
    uint32_t first_port;

    first_port = back->peer_node < sim->nic_count
                     ? sim->nics[back->peer_node].first_port
                     : sim->switches[back->peer_node - sim->nic_count].first_port;
    sender = first_port + back->peer_port;
    way_ps = sim->links[sender].delay_ps +
             port_transmission_ps(sim->port_details[sender].healthy, packet.length_bytes);
    return link_was_cut(came_down_ps, now_ps, way_ps);
}

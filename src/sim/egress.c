/* SPDX-License-Identifier: Apache-2.0 */
/* Ports and links: queueing, departure, and the effects of faults. */
#include "sim/egress.h"

#include <assert.h>

#include "sim/node_policy.h"
#include "sim/pause.h"
#include "sim/srv6.h"
#include "sim/wire_check.h"

enum { REPEATS_MAX = 16 }; /* of a packet, by its link */

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

static void lose_here(struct shard *shard, uint32_t port, uint32_t packet, enum loss_reason loss)
{
    shard->port_details[port].lost++;
    shard_lose(shard, packet, loss);
}

static void lose_entry(
    struct shard *shard, uint32_t port, const struct port_entry *entry, enum loss_reason loss)
{
    if (port_queue_of(entry->class) == PORT_CONTROL)
        shard->port_details[port].lost_control++;
    lose_here(shard, port, entry->handle, loss);
}

/* ---- in -------------------------------------------------------------------------------------- */

void egress_refuse(struct shard *shard, uint32_t packet, enum drop_reason reason)
{
    shard_lose(shard, packet, loss_of(reason));
}

bool egress_is_cut_off(struct shard *shard, uint32_t port, uint32_t packet)
{
    enum loss_reason reason = link_refusal(&shard->links[port], &shard->port_details[port].fault);

    if (reason == LOSS_REASON_COUNT)
        return false;
    lose_here(shard, port, packet, reason);
    return true;
}

/* ---- out ------------------------------------------------------------------------------------- */

static struct topology_end end_of(const struct shard *shard, uint32_t port)
{
    uint32_t low = 0;
    uint32_t high = shard->sim->node_count - shard->nic_count;

    if (port < shard->nic_count * shard->plane_count)
        return (struct topology_end){
            .is_nic = true, .node = port / shard->plane_count, .port = port % shard->plane_count
        };
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (shard->switches[middle].first_port <= port)
            low = middle;
        else
            high = middle;
    }
    return (struct topology_end){ .node = low, .port = port - shard->switches[low].first_port };
}

static void show_frame(struct shard *shard, uint32_t port, const struct port_transmission *sent)
{
    const struct packets_record *record = &shard->packets.all[sent->entry.handle];
    struct packet packet;

    packets_load(record, shard->fabric, &packet);
    packet.dst = plan_nic_address(shard->fabric, record->to);
    packet.port = 0;
    packet.class = sent->entry.class;
    packet.ecn = sent->entry.ecn;
    shard->sim->config.observer.on_frame(
        shard->sim->config.observer.context, &(struct sim_frame){ .time_ps = sent->end_ps,
                                                 .from = end_of(shard, port),
                                                 .packet = &packet,
                                                 .outer = shard->packets.outer[sent->entry.handle],
                                                 .segment = srv6_segment(shard, record),
                                                 .segments_left = record->segments_left,
                                                 .length_bytes = sent->entry.length_bytes });
}

/* A random number for each packet, independent of the order of calls: a link begins one packet at a
 * time. */
static uint64_t coin_of(const struct shard *shard, uint32_t port, uint64_t start_ps)
{
    struct prng prng = prng_stream(shard->sim->config.seed ^ start_ps, port);

    return prng_next(&prng);
}

/* Returns how long before its last bit a packet reaches the far end: a switch that forwards at once
 * acts on the head of the packet. */
static uint64_t early_ps(
    const struct shard *shard, uint32_t port, const struct port_transmission *sent)
{
    const struct topology_config *config = &shard->topology->config;
    const struct port_profile *profile = shard->ports[port].profile;
    uint64_t wire_bytes = sent->entry.length_bytes + profile->config.framing_bytes;
    uint64_t head_bytes =
        topology_head_bytes(config, shard->sim->fastest_bps, profile->config.rate_bps, wire_bytes);

    if (shard->links[port].peer_node < shard->nic_count || head_bytes == wire_bytes)
        return 0;
    return sent->end_ps - sent->start_ps - byte_time_ps(profile->byte_time, head_bytes);
}

static struct link_passage carry_once(
    const struct shard *shard, uint32_t port, const struct port_transmission *sent)
{
    return link_carry(&shard->links[port], &shard->port_details[port].fault,
        shard->sim->faults.holds,
        &(struct link_packet){ .end_ps = sent->end_ps,
            .coin = coin_of(shard, port, sent->start_ps),
            .ev = shard->packets.all[sent->entry.handle].ev });
}

static bool is_repeatable(const struct link_passage *passage)
{
    return passage->is_damaged || (passage->is_lost && passage->reason == LOST_FAULT);
}

/* The link sends the packet again until it arrives, and what follows it waits. A packet that the
 * link gives up is lost, even if it would arrive damaged. */
static struct link_passage carry_checked(
    struct shard *shard, uint32_t port, struct port_transmission *sent)
{
    struct link_passage passage = carry_once(shard, port, sent);

    for (uint32_t i = 0; i < REPEATS_MAX && is_repeatable(&passage); i++) {
        uint64_t pause_ps = shard->policy->repeat_ps(shard, port);

        if (pause_ps == 0)
            break;
        sent->start_ps = sent->end_ps + pause_ps;
        sent->end_ps = sent->start_ps +
                       port_transmission_ps(shard->ports[port].profile, sent->entry.length_bytes);
        shard->ports[port].free_ps = sent->end_ps;
        passage = carry_once(shard, port, sent);
    }
    passage.is_lost |= passage.is_damaged;
    if (passage.is_lost)
        node_policy_on_undelivered(shard, port, &sent->entry);
    return passage;
}

static void emit_special(struct shard *shard, uint32_t port, struct port_transmission *sent)
{
    const struct link *link = &shard->links[port];
    struct packets_record *record = &shard->packets.all[sent->entry.handle];
    struct link_passage passage;

    assert(link->has_cable);
    if (shard->sim->config.observer.on_frame)
        show_frame(shard, port, sent);
    if (shard->sim->config.wire)
        wire_check_hop(shard, port, sent);
    passage = shard->policy && shard->policy->repeat_ps ? carry_checked(shard, port, sent)
                                                        : carry_once(shard, port, sent);
    shard->packet_hops++;
    if (passage.is_lost) {
        lose_entry(shard, port, &sent->entry, passage.reason);
        return;
    }
    record->is_corrupt |= passage.is_damaged;
    shard_post(shard, link->peer_node, link->peer_port,
        passage.arrives_ps - early_ps(shard, port, sent), &sent->entry);
}

/* With credits there are none. */
static inline bool has_pauses(const struct shard *shard)
{
    return shard->policy && !shard->policy->on_credit;
}

/* Not inlined: a link without faults and pauses need not look at each packet. */
static __attribute__((noinline)) void transmit_slowly(
    struct shard *shard, uint32_t port, uint64_t now_ps)
{
    const struct link *link = &shard->links[port];
    struct port *queue = &shard->ports[port];

    do {
        uint64_t start_ps = queue->free_ps;
        const struct port_entry *sent = port_send(queue);
        uint64_t end_ps = queue->free_ps;

        if (has_pauses(shard))
            pause_on_sent(shard, port);
        if (link->is_special) {
            emit_special(shard, port,
                &(struct port_transmission){
                    .entry = *sent, .start_ps = start_ps, .end_ps = end_ps });
            continue;
        }
        shard->packet_hops++;
        shard_post(shard, link->peer_node, link->peer_port, link_arrival_ps(link, end_ps), sent);
    } while (port_next_ps(queue) <= now_ps);
}

void egress_transmit(struct shard *shard, uint32_t port, uint64_t now_ps)
{
    const struct link *link = &shard->links[port];
    bool is_own = shard_owns(shard, link->peer_node);
    uint32_t seat = shard_seat(shard, link->peer_node);
    struct port *queue = &shard->ports[port];

    if (__builtin_expect(!egress_is_plain(shard, port) || has_pauses(shard), false)) {
        transmit_slowly(shard, port, now_ps);
        return;
    }
    do {
        const struct port_entry *sent = port_send(queue);
        uint64_t arrival_ps = link_arrival_ps(link, queue->free_ps);

        shard->packet_hops++;
        if (is_own)
            mailbox_post(&shard->mailbox, seat, link->peer_port, arrival_ps, sent);
        else
            shard_mail(shard, link->peer_node, link->peer_port, arrival_ps, sent);
    } while (port_next_ps(queue) <= now_ps);
}

/* ---- faults ---------------------------------------------------------------------------------- */

void egress_flush(struct shard *shard, uint32_t port, enum loss_reason loss, uint64_t now_ps)
{
    struct port *queue = &shard->ports[port];
    struct port_entry entry;
    bool has_policy = shard->policy && port >= shard->nic_count * shard->plane_count;

    while (port_take_out(queue, &entry)) {
        node_policy_on_undelivered(shard, port, &entry);
        if (has_policy)
            node_policy_on_lost(shard, end_of(shard, port), &entry, now_ps);
        lose_entry(shard, port, &entry, loss);
    }
    while (has_policy && node_policy_take_out(shard, port, &entry)) {
        node_policy_on_lost(shard, end_of(shard, port), &entry, now_ps);
        lose_entry(shard, port, &entry, loss);
    }
    queue->free_ps = now_ps;
    shard->port_details[port].paused_until_ps = 0;
}

void egress_flush_data(struct shard *shard, uint32_t port, enum loss_reason loss, uint64_t now_ps)
{
    struct port_entry entry;

    while (port_take_data(&shard->ports[port], &entry)) {
        node_policy_on_lost(shard, end_of(shard, port), &entry, now_ps);
        lose_entry(shard, port, &entry, loss);
    }
}

/* Returns a profile that differs from the healthy one only in its rate. There are few of them. */
static const struct port_profile *profile_with_rate(
    struct shard *shard, const struct port_profile *healthy, uint64_t rate_bps)
{
    struct port_config config = healthy->config;

    if (rate_bps == config.rate_bps)
        return healthy;
    config.rate_bps = rate_bps;
    for (uint32_t i = 0; i < shard->profile_count; i++) {
        const struct port_config *known = &shard->profiles[i].config;

        if (known->rate_bps == rate_bps && known->data.bytes == config.data.bytes &&
            known->red_min_bytes == config.red_min_bytes && known->marks == config.marks &&
            known->faces_host == config.faces_host && known->trims == config.trims &&
            known->control.bytes == config.control.bytes)
            return &shard->profiles[i];
    }
    assert(shard->profile_count < shard->sim->profile_max);
    port_profile_init(&shard->profiles[shard->profile_count], &config, healthy->pool);
    return &shard->profiles[shard->profile_count++];
}

void egress_apply(struct shard *shard, uint32_t port, const struct fault_action *action)
{
    struct engine_port *details = &shard->port_details[port];
    const struct port_profile *healthy = &shard->profiles[shard->sim->healthy[port]];
    struct link *link = &shard->links[port];
    bool was_down = fault_link_is_down(&details->fault);

    fault_plan_apply(&shard->sim->faults, &details->fault, action);
    if (!was_down && fault_link_is_down(&details->fault))
        egress_flush(shard, port, LOST_LINK_DOWN, action->time_ps);
    shard->ports[port].profile = profile_with_rate(shard, healthy,
        fault_link_rate_bps(&details->fault, shard->sim->faults.holds, healthy->config.rate_bps));
    link->is_special =
        !fault_link_is_healthy(&details->fault) || !link->has_cable || egress_watches(shard);
}

/* The transmission began before the link went down, and the packet would arrive after that. The
 * sender may be of another shard: only what does not change is read of its port. */
bool egress_was_cut(
    const struct shard *shard, uint32_t ingress_port, struct port_entry packet, uint64_t now_ps)
{
    const struct sim *sim = shard->sim;
    const struct link *back = &shard->links[ingress_port];
    uint64_t came_down_ps = shard->port_details[ingress_port].came_down_ps;
    uint32_t sender = sim_engine_ports(sim, back->peer_node).first + back->peer_port;
    const struct shard *of_sender =
        &sim->shards[sim->seats ? sim->seats[back->peer_node].shard : 0];
    uint64_t way_ps =
        shard->links[sender].delay_ps +
        port_transmission_ps(&of_sender->profiles[sim->healthy[sender]], packet.length_bytes);

    return link_was_cut(came_down_ps, now_ps, way_ps);
}

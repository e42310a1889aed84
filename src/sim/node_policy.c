/* SPDX-License-Identifier: Apache-2.0 */
/* Switches driven by a policy, and pause frames. A pause frame is an arrival without a packet; its
 * length, class and ECN hold the duration. */
#include "sim/node_policy.h"

#include <assert.h>

#include "sim/egress.h"
#include "sim/sort.h"

enum {
    PAUSE_BYTES = 64,
    PAUSE_UNIT_PS = 1000, /* of the duration */
};

/* ---- pauses ---------------------------------------------------------------------------------- */

/* Sends a pause frame out of a port, which has been advanced. The frame overtakes all packets that
 * wait, but not the one that is being sent, nor another pause frame. */
static void send_pause(
    struct shard *shard, uint32_t switch_index, const struct switch_pause *pause, uint64_t now_ps)
{
    uint32_t port = shard->switches[switch_index].first_port + pause->port;
    struct engine_port *details = &shard->port_details[port];
    const struct link *link = &shard->links[port];
    uint64_t units = (pause->duration_ps + PAUSE_UNIT_PS - 1) / PAUSE_UNIT_PS;
    uint64_t free_ps =
        details->paused_until_ps > now_ps ? details->free_ps : shard->ports[port].free_ps;

    assert(units <= UINT32_MAX);
    if (!pause->is_due || link_refusal(link, &details->fault) != LOSS_REASON_COUNT)
        return;
    if (free_ps < details->pause_end_ps)
        free_ps = details->pause_end_ps;
    link_occupy(&free_ps, shard->ports[port].profile->byte_time, PAUSE_BYTES, now_ps);
    details->pause_end_ps = free_ps;
    shard->pauses_under_way++;
    shard_post(shard, link->peer_node, link->peer_port, link_arrival_ps(link, free_ps),
        &(struct port_entry){ .handle = PACKETS_NONE,
            .length_bytes = (uint16_t)(units & UINT16_MAX),
            .class = (uint8_t)(units >> 16),
            .ecn = (uint8_t)(units >> 24) });
}

void node_policy_on_pause(
    struct shard *shard, uint32_t port, struct port_entry frame, uint64_t now_ps)
{
    struct engine_port *details = &shard->port_details[port];
    struct port *queue = &shard->ports[port];
    uint64_t units = (uint32_t)frame.ecn << 24 | (uint32_t)frame.class << 16 | frame.length_bytes;
    bool is_paused = details->paused_until_ps > now_ps;

    shard->pauses_under_way--;
    if (!is_paused)
        details->free_ps = queue->free_ps;
    details->paused_until_ps = now_ps + units * PAUSE_UNIT_PS;
    queue->free_ps =
        details->free_ps > details->paused_until_ps ? details->free_ps : details->paused_until_ps;
}

void node_policy_on_lost(
    struct shard *shard, struct topology_end port, const struct port_entry *packet, uint64_t now_ps)
{
    struct switch_crossing crossing = {
        .packet = *packet, .switch_index = port.node, .out_port = port.port
    };
    struct switch_pause pause;

    if (!shard->policy->lost)
        return;
    pause = shard->policy->lost(shard, &crossing, now_ps);
    send_pause(shard, port.node, &pause, now_ps);
}

/* ---- a switch -------------------------------------------------------------------------------- */

/* Returns the port that sends first, and when; PORT_NEVER_PS if nothing waits. */
static uint32_t first_to_send(
    const struct shard *shard, const struct engine_switch *here, uint64_t *next_ps)
{
    uint32_t first = 0;

    *next_ps = PORT_NEVER_PS;
    for (uint32_t p = 0; p < here->port_count; p++) {
        uint64_t port_ps = port_next_ps(&shard->ports[here->first_port + p]);

        if (port_ps < *next_ps) {
            *next_ps = port_ps;
            first = p;
        }
    }
    return first;
}

/* Makes all transmissions that begin by `now_ps`. Returns when the next one begins. */
static uint64_t advance_switch(struct shard *shard, uint32_t switch_index, uint64_t now_ps)
{
    const struct engine_switch *here = &shard->switches[switch_index];
    uint64_t next_ps;

    for (;;) {
        uint32_t port = first_to_send(shard, here, &next_ps);
        struct switch_crossing crossing = { .switch_index = switch_index, .out_port = port };
        struct switch_pause pause;

        if (next_ps > now_ps)
            return next_ps;
        crossing.packet = *port_next(&shard->ports[here->first_port + port]);
        egress_advance(shard, here->first_port + port, next_ps);
        pause = shard->policy->sent(shard, &crossing, next_ps);
        send_pause(shard, switch_index, &pause, next_ps);
    }
}

static void admit_packet(
    struct shard *shard, const struct switch_crossing *crossing, uint64_t now_ps)
{
    uint32_t port = shard->switches[crossing->switch_index].first_port + crossing->out_port;
    uint32_t handle = crossing->packet.handle;
    struct switch_decision decision;

    if (egress_is_cut_off(shard, port, handle))
        return;
    decision = shard->policy->admit(shard, crossing, &shard->ports[port], now_ps);
    if (decision.at_port.verdict == PORT_DROPPED)
        egress_refuse(shard, handle, decision.at_port.reason);
    send_pause(shard, crossing->switch_index, &decision.pause, now_ps);
}

static void receive_entry(
    struct shard *shard, uint32_t switch_index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    const struct engine_switch *here = &shard->switches[switch_index];
    uint32_t in_port = mailbox_port(entry);
    struct switch_crossing crossing = {
        .packet = entry->packet, .switch_index = switch_index, .in_port = in_port
    };

    if (node_policy_is_pause(entry)) {
        node_policy_on_pause(shard, here->first_port + in_port, entry->packet, now_ps);
        return;
    }
    if (here->was_cut && egress_was_cut(shard, here->first_port + in_port, entry->packet, now_ps)) {
        shard_lose(shard, entry->packet.handle, LOST_LINK_DOWN);
        return;
    }
    crossing.out_port = shard->policy->forward(shard, &crossing);
    if (crossing.out_port == SWITCH_NO_PORT)
        shard_lose(shard, entry->packet.handle, LOST_NO_ROUTE);
    else
        admit_packet(shard, &crossing, now_ps);
}

void node_policy_run(struct shard *shard, uint32_t switch_index, struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    const struct mailbox_entry *sorted = sort_entries(entries, count, shard->spare);
    uint64_t next_ps;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t now_ps = open_ps + mailbox_offset_ps(&sorted[i]);

        advance_switch(shard, switch_index, now_ps);
        receive_entry(shard, switch_index, &sorted[i], now_ps);
    }
    next_ps = advance_switch(shard, switch_index, end_ps - 1);
    if (next_ps != PORT_NEVER_PS)
        shard_wake(shard, shard->nic_count + switch_index, next_ps);
}

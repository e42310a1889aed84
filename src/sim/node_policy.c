/* SPDX-License-Identifier: Apache-2.0 */
/* Switches driven by a policy, and pause frames. A pause frame is an arrival without a packet; its
 * length, class and ECN hold the duration, or the credit. */
#include "sim/node_policy.h"

#include <string.h>

#include <assert.h>

#include "sim/egress.h"
#include "sim/pause.h"
#include "sim/sort.h"

enum {
    PAUSE_BYTES = 64,
    CREDIT_BYTES = 8,
    PAUSE_UNIT_PS = 1000, /* of the duration */
};

/* ---- pauses ---------------------------------------------------------------------------------- */

/* Sends a pause frame out of a port, which has been advanced. The frame overtakes all packets that
 * wait, but not the one that is being sent, nor another pause frame. */
static void send_frame(
    struct shard *shard, uint32_t switch_index, const struct switch_pause *pause, uint64_t now_ps)
{
    uint32_t port = shard->switches[switch_index].first_port + pause->port;
    struct engine_port *details = &shard->port_details[port];
    const struct link *link = &shard->links[port];
    bool is_credit = shard->policy->on_credit;
    uint64_t units =
        is_credit ? pause->credit : (pause->duration_ps + PAUSE_UNIT_PS - 1) / PAUSE_UNIT_PS;
    uint64_t free_ps = pause_wire_free_ps(shard, port, now_ps);

    assert(units <= UINT32_MAX);
    if (!is_credit && link_refusal(link, &details->fault) != LOSS_REASON_COUNT)
        return;
    if (free_ps < details->pause_end_ps)
        free_ps = details->pause_end_ps;
    link_occupy(&free_ps, shard->ports[port].profile->byte_time,
        is_credit ? CREDIT_BYTES : PAUSE_BYTES, now_ps);
    details->pause_end_ps = free_ps;
    shard->pauses_under_way++;
    shard_post(shard, link->peer_node, link->peer_port, link_arrival_ps(link, free_ps),
        &(struct port_entry){ .handle = PACKETS_NONE,
            .length_bytes = (uint16_t)(units & UINT16_MAX),
            .class = (uint8_t)(units >> 16),
            .ecn = (uint8_t)(units >> 24) });
}

static inline void send_pause(
    struct shard *shard, uint32_t switch_index, const struct switch_pause *pause, uint64_t now_ps)
{
    if (pause->is_due)
        send_frame(shard, switch_index, pause, now_ps);
}

static uint32_t units_of(struct port_entry frame)
{
    return (uint32_t)frame.ecn << 24 | (uint32_t)frame.class << 16 | frame.length_bytes;
}

static uint64_t duration_ps(struct port_entry frame)
{
    return (uint64_t)units_of(frame) * PAUSE_UNIT_PS;
}

void node_policy_on_pause(
    struct shard *shard, uint32_t port, struct port_entry frame, uint64_t now_ps)
{
    shard->pauses_under_way--;
    if (shard->policy->on_credit)
        shard->policy->on_credit(shard, port, units_of(frame), now_ps);
    else
        pause_set(shard, port, now_ps + duration_ps(frame), now_ps);
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

void node_policy_on_undelivered(struct shard *shard, uint32_t port, const struct port_entry *packet)
{
    if (shard->policy && shard->policy->undelivered)
        shard->policy->undelivered(shard, port, packet);
}

bool node_policy_take_out(struct shard *shard, uint32_t port, struct port_entry *packet)
{
    return shard->policy->take_out && shard->policy->take_out(shard, port, packet);
}

/* ---- a switch -------------------------------------------------------------------------------- */

/* Notes when a port sends next. Called whenever that may have become earlier. */
static void note_port(struct shard *shard, uint32_t switch_index, uint32_t port)
{
    uint32_t first_port = shard->switches[switch_index].first_port;

    deadline_heap_set(&shard->sim->departures[switch_index], port,
        port_next_ps(&shard->ports[first_port + port]));
}

static void send_next(struct shard *shard, uint32_t switch_index, uint32_t port, uint64_t now_ps)
{
    uint32_t index = shard->switches[switch_index].first_port + port;
    struct switch_crossing crossing = {
        .packet = *port_next(&shard->ports[index]), .switch_index = switch_index, .out_port = port
    };
    struct switch_pause pause;

    egress_advance(shard, index, now_ps);
    pause = shard->policy->sent(shard, &crossing, now_ps);
    send_pause(shard, switch_index, &pause, now_ps);
}

static uint64_t timer_ps(const struct shard *shard, uint32_t switch_index)
{
    return shard->policy->deadline_ps ? shard->policy->deadline_ps(shard, switch_index)
                                      : PORT_NEVER_PS;
}

/* Makes all transmissions that begin by `now_ps`, at one time those of the lowest port first, and
 * what timers demand, which comes before them. Returns when the next one begins, or earlier. A port
 * may send later than noted: a fault has emptied it, or it was paused. */
static uint64_t advance_switch(struct shard *shard, uint32_t switch_index, uint64_t now_ps)
{
    const struct deadline_heap *departures = &shard->sim->departures[switch_index];
    uint32_t first_port = shard->switches[switch_index].first_port;

    for (;;) {
        uint64_t next_ps = deadline_heap_next(departures);
        uint64_t due_ps = timer_ps(shard, switch_index);
        uint32_t port = deadline_heap_first(departures);

        if (due_ps <= next_ps && due_ps <= now_ps) {
            note_port(shard, switch_index, shard->policy->expire(shard, switch_index, due_ps));
            continue;
        }
        if (next_ps > now_ps || port == DEADLINE_HEAP_NONE)
            return next_ps < due_ps ? next_ps : due_ps;
        if (port_next_ps(&shard->ports[first_port + port]) == next_ps)
            send_next(shard, switch_index, port, next_ps);
        note_port(shard, switch_index, port);
    }
}

/* Most arrivals come while no port and no timer is due. */
static inline bool is_due(const struct shard *shard, uint32_t switch_index, uint64_t now_ps)
{
    return deadline_heap_next(&shard->sim->departures[switch_index]) <= now_ps ||
           timer_ps(shard, switch_index) <= now_ps;
}

static void on_refused(struct shard *shard, const struct switch_crossing *crossing, uint64_t now_ps)
{
    struct switch_pause pause;

    if (!shard->policy->refused)
        return;
    pause = shard->policy->refused(shard, crossing);
    send_pause(shard, crossing->switch_index, &pause, now_ps);
}

/* The packet is lost after the policy has looked at it. */
static void lose_crossing(struct shard *shard, const struct switch_crossing *crossing,
    enum loss_reason reason, uint64_t now_ps)
{
    on_refused(shard, crossing, now_ps);
    shard_lose(shard, crossing->packet.handle, reason);
}

static bool is_cut_off(
    struct shard *shard, const struct switch_crossing *crossing, uint32_t port, uint64_t now_ps)
{
    if (link_refusal(&shard->links[port], &shard->port_details[port].fault) == LOSS_REASON_COUNT)
        return false;
    on_refused(shard, crossing, now_ps);
    return egress_is_cut_off(shard, port, crossing->packet.handle);
}

static void admit_packet(
    struct shard *shard, const struct switch_crossing *crossing, uint64_t now_ps)
{
    uint32_t port = shard->switches[crossing->switch_index].first_port + crossing->out_port;
    uint32_t handle = crossing->packet.handle;
    struct switch_decision decision;

    if (shard->links[port].is_special && is_cut_off(shard, crossing, port, now_ps))
        return;
    decision = shard->policy->admit(shard, crossing, &shard->ports[port], now_ps);
    if (decision.at_port.verdict == PORT_DROPPED) {
        egress_refuse(shard, handle, decision.at_port.reason);
    } else {
        if (!shard->policy->on_credit)
            pause_on_entered(shard, port, now_ps);
        note_port(shard, crossing->switch_index, crossing->out_port);
    }
    send_pause(shard, crossing->switch_index, &decision.pause, now_ps);
}

static void receive_pause(
    struct shard *shard, uint32_t switch_index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    uint32_t in_port = mailbox_port(entry);
    struct switch_pause pause = {
        .is_due = true, .port = in_port, .duration_ps = duration_ps(entry->packet)
    };

    if (shard->policy->obeys && !shard->policy->obeys(shard, switch_index, &pause, now_ps)) {
        shard->pauses_under_way--;
        return;
    }
    node_policy_on_pause(
        shard, shard->switches[switch_index].first_port + in_port, entry->packet, now_ps);
    note_port(shard, switch_index, in_port);
}

static void receive_packet(
    struct shard *shard, uint32_t switch_index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    const struct engine_switch *here = &shard->switches[switch_index];
    uint32_t in_port = mailbox_port(entry);
    struct switch_crossing crossing = {
        .packet = entry->packet, .switch_index = switch_index, .in_port = in_port, .now_ps = now_ps
    };

    if (here->was_cut && egress_was_cut(shard, here->first_port + in_port, entry->packet, now_ps)) {
        lose_crossing(shard, &crossing, LOST_LINK_DOWN, now_ps);
        return;
    }
    crossing.out_port = shard->policy->forward(shard, &crossing);
    if (crossing.out_port == SWITCH_NO_PORT)
        lose_crossing(shard, &crossing, LOST_NO_ROUTE, now_ps);
    else
        admit_packet(shard, &crossing, now_ps);
}

void node_policy_run(struct shard *shard, uint32_t switch_index, struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    const struct mailbox_entry *sorted = sort_entries(entries, count, shard->spare);
    const struct engine_switch *here = &shard->switches[switch_index];
    uint64_t next_ps;

    memset(&shard->used[here->first_word], 0xff, (here->port_count + 63) / 64 * sizeof(uint64_t));

    for (uint32_t i = 0; i < count; i++) {
        uint64_t now_ps = open_ps + mailbox_offset_ps(&sorted[i]);

        if (is_due(shard, switch_index, now_ps))
            advance_switch(shard, switch_index, now_ps);
        if (node_policy_is_pause(&sorted[i]))
            receive_pause(shard, switch_index, &sorted[i], now_ps);
        else
            receive_packet(shard, switch_index, &sorted[i], now_ps);
    }
    next_ps = advance_switch(shard, switch_index, end_ps - 1);
    if (next_ps != PORT_NEVER_PS)
        shard_wake(shard, shard->nic_count + switch_index, next_ps);
}

void node_policy_init(struct sim *sim, struct arena *arena)
{
    uint32_t count = sim->policy ? sim->topology->switch_count : 0;

    sim->departures =
        arena_take(arena, count, sizeof(*sim->departures), _Alignof(struct deadline_heap));
    for (uint32_t i = 0; i < count; i++) {
        struct deadline_heap measured;

        deadline_heap_init(sim->departures ? &sim->departures[i] : &measured, arena,
            topology_port_count(sim->topology, i));
    }
}

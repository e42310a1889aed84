/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of the NIC. A port that goes down is abandoned immediately. A port that comes up is used
 * after a hold-down and some answered probes. Peers are informed (docs/protocol.md §18). */
#include "transport/nic.h"

static void report_port(struct transport *nic, uint32_t port, bool up)
{
    uint32_t bit = UINT32_C(1) << port;

    nic->port_events_up = up ? nic->port_events_up | bit : nic->port_events_up & ~bit;
    nic->port_events_down = up ? nic->port_events_down & ~bit : nic->port_events_down | bit;
}

static uint8_t update_tries(const struct transport *nic)
{
    return (uint8_t)(nic->env.parameters->port_update_retries + 1);
}

void peer_tell_ports(struct transport *nic, struct peer *peer, uint8_t tries, uint64_t now_ns)
{
    if (peer->update_count < tries)
        peer->update_count = tries;
    peer->update_ns = now_ns;
    peer_schedule(nic, peer, now_ns);
}

void peer_tell_ports_again(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    peer->update_count = update_tries(nic);
    peer_schedule(nic, peer, now_ns);
    peer_arm(nic, peer, peer->update_ns);
}

void peer_remind_of_ports(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    if (peer->update_count == 0 && now_ns >= peer->update_ns)
        peer_tell_ports(nic, peer, 1, now_ns);
}

void nic_tell_link_rate(const struct transport *nic, struct peer *peer)
{
    cc_on_link_rate(&peer->cc, nic->env.parameters->link_bps / nic->env.port_count *
                                   (uint32_t)__builtin_popcount(nic->env.usable_mask));
}

static void tell_peers(struct transport *nic, uint64_t now_ns)
{
    receive_share_update(nic);
    nic->ports_told_from = nic->update_id;
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct qp *qp = nic->qps[i];

        if (!qp || (qp->env.attributes.state != QP_RTR && qp->env.attributes.state != QP_RTS))
            continue;
        peer_tell_ports(nic, qp->env.peer, update_tries(nic), now_ns);
        nic_tell_link_rate(nic, qp->env.peer);
        qp_update(nic, qp, now_ns);
    }
}

static void put_down(struct transport *nic, uint32_t port, uint64_t now_ns)
{
    bool was_usable = nic->env.usable_mask >> port & 1;

    nic->ports[port].state = NIC_PORT_DOWN;
    nic->env.usable_mask &= ~(UINT32_C(1) << port);
    report_port(nic, port, false);
    if (!was_usable)
        return;
    for (uint32_t i = 0; i < nic->qp_count_max; i++)
        if (nic->qps[i] && nic->qps[i]->env.attributes.state == QP_RTS && nic->qps[i]->requester)
            requester_on_port_down(nic->qps[i]->requester, &nic->qps[i]->env, port, now_ns);
    tell_peers(nic, now_ns);
}

static void take_up(struct transport *nic, uint32_t port, uint64_t now_ns)
{
    nic->ports[port].state = NIC_PORT_UP;
    nic->env.usable_mask |= UINT32_C(1) << port;
    report_port(nic, port, true);
    tell_peers(nic, now_ns);
}

void transport_set_port_rate(struct transport *nic, uint32_t port, uint64_t rate_bps)
{
    nic->ports[port].rate_mbps = (uint32_t)(rate_bps / 1000000);
    receive_share_update(nic);
}

void transport_set_penalty(struct transport *nic, uint8_t penalty)
{
    nic->env.penalty = penalty;
}

void transport_drain_ports(struct transport *nic, uint32_t port_mask)
{
    nic->env.draining_mask = port_mask;
}

/* Returns the hold-down of a port that came up: 0 if no other port is usable. */
static uint64_t hold_ns(const struct transport *nic)
{
    return nic->env.usable_mask ? PARAMETERS_TIMER_NS(nic->env.parameters, port_up_holddown,
                                      (uint32_t)nic->env.parameters->base_rtt)
                                : 0;
}

/* Ends the hold-down of all ports if no port is usable. */
static void end_hold_down(struct transport *nic, uint64_t now_ns)
{
    for (uint32_t port = 0; nic->env.usable_mask == 0 && port < nic->env.port_count; port++)
        if (nic->ports[port].state == NIC_PORT_HELD)
            nic->ports[port].due_ns = now_ns;
}

/* A port waits only in the hold-down and while it is verified. */
static uint64_t port_due_ns(const struct nic_port *port)
{
    return port->state >= NIC_PORT_HELD ? port->due_ns : UINT64_MAX;
}

/* Sets the timer of the NIC to the first port that is due. */
static void arm_ports(struct transport *nic)
{
    uint64_t due_ns = UINT64_MAX;

    for (uint32_t i = 0; i < nic->env.port_count; i++)
        due_ns = deadlines_sooner_ns(due_ns, port_due_ns(&nic->ports[i]));
    deadlines_set(&nic->deadlines, nic->qp_count_max, due_ns);
}

struct transport_ports transport_ports(const struct transport *nic)
{
    return (struct transport_ports){ .up_mask = nic->up_mask, .usable_mask = nic->env.usable_mask };
}

void transport_ports_changed(struct transport *nic, uint32_t up_mask, uint64_t now_ns)
{
    for (uint32_t port = 0; port < nic->env.port_count; port++) {
        bool was_up = nic->up_mask >> port & 1;
        bool is_up = up_mask >> port & 1;

        if (was_up && !is_up)
            put_down(nic, port, now_ns);
        if (!was_up && is_up) {
            nic->ports[port].state = NIC_PORT_HELD;
            nic->ports[port].due_ns = now_ns + hold_ns(nic);
        }
    }
    nic->up_mask = up_mask & ((UINT32_C(1) << nic->env.port_count) - 1);
    end_hold_down(nic, now_ns);
    arm_ports(nic);
}

uint32_t nic_draw_ev(struct transport *nic, const struct qp *qp, uint32_t plane)
{
    uint32_t chosen = PATH_NONE;
    uint32_t good_count = 0;
    uint32_t bad_count = 0;

    for (uint32_t i = 0; i < qp->env.profile->entry_count; i++) {
        bool is_bad = qp_knows_bad(qp, i);
        uint32_t count;

        if (qp->env.profile->entries[i].plane != plane || (is_bad && good_count > 0))
            continue;
        count = is_bad ? ++bad_count : ++good_count;
        if (prng_below(&nic->prng, count) == 0)
            chosen = i;
    }
    return chosen;
}

/* Sends a probe to a random connected peer on a random path, because the paths tried before may be
 * dead. Without a peer there is nothing to verify. */
static bool probe_port(struct transport *nic, uint32_t port)
{
    uint32_t start = prng_below(&nic->prng, nic->qp_count_max);

    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        uint32_t at = start + i < nic->qp_count_max ? start + i : start + i - nic->qp_count_max;
        const struct qp *qp = nic->qps[at];
        uint32_t ev_index;

        if (!qp || (qp->env.attributes.state != QP_RTR && qp->env.attributes.state != QP_RTS) ||
            !(qp->env.peer->ports >> port & 1))
            continue;
        ev_index = nic_draw_ev(nic, qp, port);
        if (ev_index == PATH_NONE)
            continue;
        nic_request_endpoint(nic, &(struct nic_endpoint){ .use = NIC_ENDPOINT_PORT,
                                      .dst = qp->env.attributes.peer_address,
                                      .ev = env_ev(&qp->env, ev_index),
                                      .port = (uint8_t)port,
                                      .class = DSCP_CONTROL });
        return true;
    }
    return false;
}

/* Returns the number of answers that verify a port: one if no other port is usable. */
static uint32_t answers_needed(const struct transport *nic)
{
    uint32_t needed = (uint32_t)nic->env.parameters->port_up_probes;

    return nic->env.usable_mask == 0 && needed > 1 ? 1 : needed;
}

void nic_port_on_answer(struct transport *nic, uint32_t port, uint64_t now_ns)
{
    if (nic->ports[port].state != NIC_PORT_VERIFYING)
        return;
    nic->ports[port].answers++;
    nic->ports[port].due_ns = now_ns;
    nic_ports_expire(nic, now_ns);
}

/* Returns the time after which an unanswered probe is followed by the next, on another path. */
static uint64_t probe_interval_ns(const struct transport *nic)
{
    return nic_probe_timeout_ns(nic, (uint32_t)nic->env.parameters->base_rtt);
}

void nic_ports_expire(struct transport *nic, uint64_t now_ns)
{
    for (uint32_t i = 0; i < nic->env.port_count; i++) {
        struct nic_port *port = &nic->ports[i];

        if (port_due_ns(port) > now_ns)
            continue;
        if (port->state == NIC_PORT_HELD) {
            port->state = NIC_PORT_VERIFYING;
            port->answers = 0;
        }
        if (port->answers >= answers_needed(nic) || !probe_port(nic, i))
            take_up(nic, i, now_ns);
        else
            port->due_ns = now_ns + probe_interval_ns(nic);
    }
    arm_ports(nic);
}

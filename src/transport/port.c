/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of the NIC: down at once, up again after a hold-down and a few answered probes; peers are
 * told (docs/protocol.md §18). */
#include "transport/nic.h"

static void report(struct transport *nic, uint32_t port, bool up)
{
    uint32_t bit = UINT32_C(1) << port;

    nic->port_events_up = up ? nic->port_events_up | bit : nic->port_events_up & ~bit;
    nic->port_events_down = up ? nic->port_events_down & ~bit : nic->port_events_down | bit;
}

void qp_tell_ports(struct transport *nic, struct qp *qp, uint8_t tries, uint64_t now_ns)
{
    if (qp->port_update_count < tries)
        qp->port_update_count = tries;
    qp->port_update_ns = now_ns;
    qp_schedule(nic, qp, now_ns);
}

void qp_remind_of_ports(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    if (qp->port_update_count == 0 && now_ns >= qp->port_update_ns)
        qp_tell_ports(nic, qp, 1, now_ns);
}

void nic_tell_link_rate(const struct transport *nic, struct qp *qp)
{
    cc_on_link_rate(&qp->cc, nic->parameters->link_bps / nic->port_count *
                                 (uint32_t)__builtin_popcount(nic->usable_mask));
}

static void tell_peers(struct transport *nic, uint64_t now_ns)
{
    nic->ports_told_from = nic->endpoint_id;
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct qp *qp = nic->qps[i];

        if (!qp || (qp->attributes.state != QP_RTR && qp->attributes.state != QP_RTS))
            continue;
        qp_tell_ports(nic, qp, (uint8_t)(nic->parameters->port_update_retries + 1), now_ns);
        nic_tell_link_rate(nic, qp);
        qp_update(nic, qp, now_ns);
    }
}

static void put_down(struct transport *nic, uint32_t port, uint64_t now_ns)
{
    bool was_usable = nic->usable_mask >> port & 1;

    nic->ports[port].state = NIC_PORT_DOWN;
    nic->ports[port].due_ns = UINT64_MAX;
    nic->usable_mask &= ~(UINT32_C(1) << port);
    report(nic, port, false);
    if (!was_usable)
        return;
    for (uint32_t i = 0; i < nic->qp_count_max; i++)
        if (nic->qps[i] && nic->qps[i]->attributes.state == QP_RTS && nic->qps[i]->requester)
            requester_on_port_down(nic, nic->qps[i], port, now_ns);
    tell_peers(nic, now_ns);
}

static void take_up(struct transport *nic, uint32_t port, uint64_t now_ns)
{
    nic->ports[port].state = NIC_PORT_UP;
    nic->ports[port].due_ns = UINT64_MAX;
    nic->usable_mask |= UINT32_C(1) << port;
    report(nic, port, true);
    tell_peers(nic, now_ns);
}

void transport_drain_ports(struct transport *nic, uint32_t port_mask)
{
    nic->draining_mask = port_mask;
}

void transport_ports_changed(struct transport *nic, uint32_t up_mask, uint64_t now_ns)
{
    for (uint32_t port = 0; port < nic->port_count; port++) {
        bool was_up = nic->up_mask >> port & 1;
        bool is_up = up_mask >> port & 1;

        if (was_up && !is_up)
            put_down(nic, port, now_ns);
        if (!was_up && is_up) {
            nic->ports[port].state = NIC_PORT_HELD;
            nic->ports[port].due_ns = now_ns + nic->parameters->port_up_holddown;
        }
    }
    nic->up_mask = up_mask & ((UINT32_C(1) << nic->port_count) - 1);
    nic_update(nic);
}

/* Any connected peer will do; without one there is nothing to verify. */
static bool probe_port(struct transport *nic, uint32_t port)
{
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        const struct qp *qp = nic->qps[i];
        uint32_t ev_index = 0;

        if (!qp || (qp->attributes.state != QP_RTR && qp->attributes.state != QP_RTS) ||
            !(qp->attributes.peer_ports >> port & 1))
            continue;
        while (ev_index < qp->profile->entry_count && qp->profile->entries[ev_index].plane != port)
            ev_index++;
        if (ev_index == qp->profile->entry_count)
            continue;
        nic_request_endpoint(nic, &(struct nic_endpoint){ .use = NIC_ENDPOINT_PORT,
                                      .dst = qp->attributes.peer_address,
                                      .ev = qp_ev(qp, ev_index),
                                      .port = (uint8_t)port,
                                      .class = DSCP_CONTROL });
        return true;
    }
    return false;
}

void nic_port_on_answer(struct transport *nic, uint32_t port, uint64_t now_ns)
{
    if (nic->ports[port].state != NIC_PORT_VERIFYING)
        return;
    nic->ports[port].answers++;
    nic->ports[port].due_ns = now_ns;
    nic_ports_expire(nic, now_ns);
}

void nic_ports_expire(struct transport *nic, uint64_t now_ns)
{
    for (uint32_t i = 0; i < nic->port_count; i++) {
        struct nic_port *port = &nic->ports[i];

        if (port->due_ns > now_ns)
            continue;
        if (port->state == NIC_PORT_HELD) {
            port->state = NIC_PORT_VERIFYING;
            port->answers = 0;
        }
        if (port->answers >= nic->parameters->port_up_probes || !probe_port(nic, i))
            take_up(nic, i, now_ns);
        else
            port->due_ns = now_ns + (UINT64_C(1024) << nic->parameters->timeout);
    }
    nic_update(nic);
}

void nic_update(struct transport *nic)
{
    uint64_t due_ns = UINT64_MAX;

    for (uint32_t i = 0; i < nic->port_count; i++)
        if (nic->ports[i].due_ns < due_ns)
            due_ns = nic->ports[i].due_ns;
    deadlines_set(&nic->deadlines, nic->qp_count_max, due_ns);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reliability Probes: of silent tails, of bad EVs, of the base RTT (docs/protocol.md §16.1). */
#include "transport/nic.h"
#include "transport/requester_packet.h"
#include "wire/stamp.h"

enum {
    EV_PROBE_BURST = 64, /* a plane's worth may be due together */
};

static void send_probe(
    struct transport *nic, struct qp *qp, uint32_t ev_index, struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;

    requester_packet_address(nic, qp, ev_index, out);
    out->class = DSCP_NO_TRIM;
    out->opcode = OPCODE_PROBE;
    out->flags = 0;
    out->psn = psn(0);
    out->probe = (struct packet_probe){ .probe_id = requester_probe_id(
                                            requester->probe_sequence++, ev_index),
        .spdcid = (uint16_t)qp->qpn,
        .dpdcid = (uint16_t)qp->attributes.peer_qpn,
        .tx_timestamp = (uint16_t)(now_ns / STAMP_UNIT_NS) };
    requester->last_probe_ticks = (uint32_t)(now_ns / SEND_WINDOW_TICK_NS);
    requester_watch(nic, qp, ev_index, now_ns);
}

/* The EV of the oldest hole. If the first probe without it had no answer, it is no worse than
 * others. */
static uint32_t ev_to_avoid(const struct transport *nic, const struct requester *requester)
{
    const struct send_window *window = &requester->window;

    if (send_window_count(window) == 0 ||
        (nic->parameters->tail_avoids && requester->tail_rounds > 1))
        return PATH_NONE;
    return send_window_record(window, window->oldest).ev_index;
}

/* Where no EV is usable, a bad one may have become good. */
static uint32_t pick_for_each_plane(struct qp *qp, uint32_t mask, uint32_t hole_ev, uint64_t now_ns)
{
    uint32_t ev_index = path_pick_other(qp->paths, mask, PATH_NONE, hole_ev, now_ns);

    return ev_index == PATH_NONE ? path_pick_desperate(qp->paths, mask) : ev_index;
}

/* §19.3: where there is no queue, what a round trip takes is the base RTT. */
static void turn_into_base_probe(
    struct transport *nic, struct requester *requester, struct packet *out)
{
    out->class = DSCP_CONTROL;
    out->ecn = ECN_NOT_ECT;
    requester->probe_base = false;
    requester->base_awaited = true;
    nic_count(nic, COUNTER_BASE_RTT_PROBES);
}

/* One on the best plane, or (nothing was heard in answer to that) one on each of `probe_planes`. */
bool requester_send_tail_probe(
    struct transport *nic, struct qp *qp, uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint32_t planes = qp_planes(nic, qp);
    uint32_t hole_ev = ev_to_avoid(nic, requester);
    uint32_t ev_index;

    requester->probe_planes &= (uint16_t)planes;
    if (requester->probe_once)
        ev_index = path_pick_other(qp->paths, planes & ready_ports,
            hole_ev == PATH_NONE ? PATH_NONE : requester_packet_repair_plane(qp, hole_ev), hole_ev,
            now_ns);
    else
        ev_index = pick_for_each_plane(qp, requester->probe_planes & ready_ports, hole_ev, now_ns);
    if (ev_index == PATH_NONE) {
        requester->probe_planes &= (uint16_t)~ready_ports; /* there is no EV to probe */
        if (path_usable_planes(qp->paths, planes) == 0)
            requester->probe_once = false;
        return false;
    }
    requester->probe_once = false;
    requester->probe_planes &= (uint16_t) ~(1u << qp_plane_of_ev(qp, ev_index));
    send_probe(nic, qp, ev_index, out, now_ns);
    if (requester->probe_base)
        turn_into_base_probe(nic, requester, out);
    else
        nic_count(nic, COUNTER_TAIL_PROBES);
    return true;
}

static bool ev_probe_rate_allows(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    uint64_t per_second = nic->parameters->ev_probe_rate * nic->port_count;
    uint64_t gap_ns = UINT64_C(1000000000) / per_second;

    if (rate_allows(&nic->ev_probes, gap_ns, EV_PROBE_BURST, now_ns))
        return true;
    qp->requester->ev_probe_ns = now_ns + EV_PROBE_BURST * gap_ns;
    qp_arm(nic, qp, qp->requester->ev_probe_ns);
    return false;
}

/* A bad EV whose probe is due keeps its turn until its port is ready. */
bool requester_send_ev_probe(
    struct transport *nic, struct qp *qp, uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    struct requester *requester = qp->requester;
    uint32_t ev_index = requester->ev_to_probe;

    if (ev_index == REQUESTER_NO_EV) {
        if (!ev_probe_rate_allows(nic, qp, now_ns))
            return false;
        ev_index = path_probe_next(qp->paths, qp_planes(nic, qp), now_ns);
        requester_ev_probes_changed(nic, qp);
        if (ev_index == PATH_NONE)
            return false;
    }
    requester->ev_to_probe = REQUESTER_NO_EV;
    if (!(qp_planes(nic, qp) >> qp_plane_of_ev(qp, ev_index) & 1))
        return false; /* its plane went down meanwhile */
    if (!(ready_ports >> qp_plane_of_ev(qp, ev_index) & 1)) {
        requester->ev_to_probe = (uint16_t)ev_index;
        return false;
    }
    send_probe(nic, qp, ev_index, out, now_ns);
    nic_count(nic, COUNTER_EV_PROBES);
    return true;
}

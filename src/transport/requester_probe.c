/* SPDX-License-Identifier: Apache-2.0 */
/* Sends Reliability Probes: tail probes, probes of bad EVs and of the base RTT (docs/protocol.md
 * §16.1). */
#include "transport/requester_packet.h"
#include "wire/stamp.h"

enum {
    EV_PROBE_BURST = 64, /* all EVs of a plane may be due at the same time */
};

static void send_probe(struct requester *requester, const struct env *env, uint32_t ev_index,
    struct packet *out, uint64_t now_ns)
{
    requester_packet_address(env, ev_index, out);
    out->class = DSCP_NO_TRIM;
    out->opcode = OPCODE_PROBE;
    out->flags = 0;
    out->psn = psn(0);
    out->probe = (struct packet_probe){ .probe_id = requester_probe_id(
                                            requester->probe_sequence++, ev_index),
        .spdcid = (uint16_t)env->qpn,
        .dpdcid = (uint16_t)env->attributes.peer_qpn,
        .tx_timestamp = (uint16_t)(now_ns / STAMP_UNIT_NS) };
    requester->last_probe_ticks = (uint32_t)(now_ns / SEND_WINDOW_TICK_NS);
}

/* Returns the EV of the oldest gap. If the first probe, on another EV, was not answered, that EV is
 * no worse than others and need not be avoided. */
static uint32_t ev_to_avoid(const struct requester *requester)
{
    const struct send_window *window = &requester->window;

    if (send_window_count(window) == 0 || requester->tail_rounds > 1)
        return PATH_NONE;
    return send_window_record(window, window->oldest).ev_index;
}

/* If no EV is usable, picks a bad one, which may have recovered. */
static uint32_t pick_for_each_plane(
    const struct env *env, uint32_t mask, uint32_t hole_ev, uint64_t now_ns)
{
    uint32_t ev_index = path_pick_other(env->paths, mask, PATH_NONE, hole_ev, now_ns);

    return ev_index == PATH_NONE ? path_pick_desperate(env->paths, mask) : ev_index;
}

/* The probe travels in the control class, which has no queue, so its round trip is the base RTT
 * (§19.3). */
static void turn_into_base_probe(
    struct requester *requester, const struct env *env, struct packet *out)
{
    out->class = DSCP_CONTROL;
    out->ecn = ECN_NOT_ECT;
    requester->probe_base = false;
    requester->base_awaited = true;
    env_count(env, COUNTER_BASE_RTT_PROBES);
}

/* Sends one probe on the best plane or, if that was not answered, one on each of `probe_planes`. */
bool requester_send_tail_probe(struct requester *requester, const struct env *env,
    uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    uint32_t planes = env_planes(env);
    uint32_t hole_ev = ev_to_avoid(requester);
    uint32_t plane =
        hole_ev == PATH_NONE ? PATH_NONE : requester_packet_repair_plane(requester, env, hole_ev);
    uint32_t ev_index;

    requester->probe_planes &= (uint16_t)planes;
    if (requester->probe_once)
        ev_index = path_pick_other(env->paths,
            requester_packet_ports(env, planes & ready_ports, plane, hole_ev), plane, hole_ev,
            now_ns);
    else
        ev_index = pick_for_each_plane(env, requester->probe_planes & ready_ports, hole_ev, now_ns);
    if (ev_index == PATH_NONE) {
        requester->probe_planes &= (uint16_t)~ready_ports; /* these planes have no EV to probe */
        if (path_usable_planes(env->paths, planes) == 0)
            requester->probe_once = false;
        return false;
    }
    requester->probe_once = false;
    requester->probe_planes &= (uint16_t) ~(1u << env_plane_of_ev(env, ev_index));
    send_probe(requester, env, ev_index, out, now_ns);
    if (requester->probe_base)
        turn_into_base_probe(requester, env, out);
    else
        env_count(env, COUNTER_TAIL_PROBES);
    return true;
}

static bool ev_probe_rate_allows(
    struct requester *requester, const struct env *env, uint64_t now_ns)
{
    uint64_t per_second = env->nic->parameters->ev_probe_rate * env->nic->port_count;
    uint64_t gap_ns = UINT64_C(1000000000) / per_second;

    if (rate_allows(env->nic->ev_probes, gap_ns, EV_PROBE_BURST, now_ns))
        return true;
    requester->ev_probe_ns = now_ns + EV_PROBE_BURST * gap_ns;
    return false;
}

void requester_draw_ev_probe(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    if (!ev_probe_rate_allows(requester, env, now_ns))
        return;
    requester->ev_to_probe = (uint16_t)path_probe_next(env->paths, env_planes(env), now_ns);
    requester_ev_probes_changed(requester, env);
}

/* A bad EV whose probe is due keeps its turn until its port is ready. */
bool requester_send_ev_probe(struct requester *requester, const struct env *env,
    uint32_t ready_ports, struct packet *out, uint64_t now_ns)
{
    uint32_t ev_index = requester->ev_to_probe;
    uint32_t plane = env_plane_of_ev(env, ev_index);
    bool is_up = env_planes(env) >> plane & 1;

    if (is_up && !(ready_ports >> plane & 1)) {
        path_probe_waits(env->paths, ev_index, now_ns);
        requester_ev_probes_changed(requester, env);
        return false;
    }
    requester->ev_to_probe = REQUESTER_NO_EV;
    if (!is_up)
        return false;
    send_probe(requester, env, ev_index, out, now_ns);
    out->class = DSCP_CONTROL;
    out->ecn = ECN_NOT_ECT;
    out->probe.probe_id |= REQUESTER_PROBE_TESTS_EV;
    path_probe_left(env->paths, ev_index, now_ns);
    requester_ev_probes_changed(requester, env);
    env_count(env, COUNTER_EV_PROBES);
    return true;
}

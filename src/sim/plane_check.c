/* SPDX-License-Identifier: Apache-2.0 */
/* Counts since the last packet for which a plane was out of the question. */
#include "sim/plane_check.h"

struct plane_check *plane_check_init(struct arena *arena)
{
    struct plane_check *planes =
        arena_take(arena, 1, sizeof(*planes), _Alignof(struct plane_check));

    if (planes)
        *planes = (struct plane_check){ 0 };
    return planes;
}

static uint32_t all_planes(const struct sim *sim)
{
    return (UINT32_C(1) << sim->plane_count) - 1;
}

/* Every plane is usable at both ends and has a GOOD EV. */
static bool every_plane_is_fit(const struct sim *sim, uint32_t nic, uint32_t qpn)
{
    struct transport *transport = sim->nics[nic].transport;
    const struct path_set *paths = transport_qp_paths(transport, qpn);
    struct qp_status status;
    uint32_t good = 0;

    if (transport_qp_status(transport, qpn, &status) != 0)
        return false;
    for (uint32_t i = 0; i < path_ev_count(paths) && good != all_planes(sim); i++)
        if (path_is_active(paths, i) && path_state_of(paths, i) == EV_GOOD)
            good |= UINT32_C(1) << path_plane_of(paths, i);
    return good == all_planes(sim) && status.plane_mask == all_planes(sim);
}

static uint32_t apart(const struct sim *sim, const struct plane_check *planes)
{
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;

    for (uint32_t p = 0; p < sim->plane_count; p++) {
        least = planes->in_turn[p] < least ? planes->in_turn[p] : least;
        most = planes->in_turn[p] > most ? planes->in_turn[p] : most;
    }
    return most - least;
}

void plane_check_send(struct sim *sim, uint32_t nic, uint32_t ready_ports,
    const struct packet *packet, uint64_t now_ps)
{
    uint32_t flow;
    struct plane_check *planes;

    if (!opcode_is_write(packet->opcode) || packet->flags & PACKET_RETRANSMISSION)
        return;
    flow = sim->flow_of_qp[sim->nics[nic].first_qp + packet->local_qpn - ENGINE_FIRST_QPN];
    planes = sim->flows[flow].planes;
    planes->in_turn[packet->port]++;
    if (ready_ports != all_planes(sim) || !every_plane_is_fit(sim, nic, packet->local_qpn))
        for (uint32_t p = 0; p < sim->plane_count; p++)
            planes->in_turn[p] = 0;
    else if (apart(sim, planes) > 1)
        engine_violated(sim, "planes were not taken in turn, flow", flow, now_ps);
}

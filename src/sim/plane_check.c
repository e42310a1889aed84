/* SPDX-License-Identifier: Apache-2.0 */
/* Checks equal shares of planes, packet by packet or in total. */
#include "sim/plane_check.h"

enum {
    PACKETS_LEAST = 1000, /* of each plane, for a judgement */
    EVEN_PARTS = 200,     /* 0.5 % */
    CHANCE = 9,           /* three standard deviations of independent draws, squared */
};

struct plane_check *plane_check_init(struct arena *arena)
{
    struct plane_check *planes =
        arena_take(arena, 1, sizeof(*planes), _Alignof(struct plane_check));

    if (planes)
        *planes = (struct plane_check){ 0 };
    return planes;
}

static uint32_t all_planes(const struct shard *shard)
{
    return (UINT32_C(1) << shard->plane_count) - 1;
}

/* Returns true if every plane is usable at both ends and has a GOOD EV. */
static bool every_plane_is_fit(const struct shard *shard, uint32_t nic, uint32_t qpn)
{
    struct transport *transport = shard->nics[nic].endpoint;
    const struct path_set *paths = transport_qp_paths(transport, qpn);
    struct qp_status status;
    uint32_t good = 0;

    if (transport_qp_status(transport, qpn, &status) != 0)
        return false;
    for (uint32_t i = 0; i < path_ev_count(paths) && good != all_planes(shard); i++)
        if (path_is_active(paths, i) && path_state_of(paths, i) == EV_GOOD)
            good |= UINT32_C(1) << path_plane_of(paths, i);
    return good == all_planes(shard) && status.plane_mask == all_planes(shard);
}

/* QPs to one destination that share their paths also share the rotation. */
static bool takes_turns(const struct shard *shard)
{
    return shard->sim->parameters.plane_share == PLANE_SHARE_EQUAL &&
           shard->sim->parameters.ev_state_scope == EV_STATE_SCOPE_QP;
}

/* ---- in turn --------------------------------------------------------------------------------- */

static uint32_t apart(const struct shard *shard, const struct plane_check *planes)
{
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;

    for (uint32_t p = 0; p < shard->plane_count; p++) {
        least = planes->in_turn[p] < least ? planes->in_turn[p] : least;
        most = planes->in_turn[p] > most ? planes->in_turn[p] : most;
    }
    return most - least;
}

static void check_turns(struct shard *shard, uint32_t nic, uint32_t ready_ports,
    const struct packet *packet, uint64_t now_ps)
{
    const struct engine_flow *flow = transport_sender(shard->nics[nic].endpoint, packet);
    struct plane_check *planes = flow->planes;

    planes->in_turn[packet->port]++;
    if (ready_ports != all_planes(shard) || !every_plane_is_fit(shard, nic, flow->qpn_out))
        for (uint32_t p = 0; p < shard->plane_count; p++)
            planes->in_turn[p] = 0;
    else if (apart(shard, planes) > 1)
        shard_violated(shard, "planes were not taken in turn, flow",
            (uint64_t)(flow - shard->sim->flows), now_ps);
}

/* ---- in total -------------------------------------------------------------------------------- */

/* Returns true if planes are equal and every flow may use all of them. */
static bool is_healthy(const struct shard *shard)
{
    const struct sim_config *config = &shard->sim->config;

    for (uint32_t i = 0; i < config->workload_count; i++)
        if (config->workloads[i].ev_count > 0)
            return false;
    return !shard->topology->graph && config->fault_count == 0 && config->generator_count == 0 &&
           shard->topology->config.exception_count == 0;
}

/* Allows deviations by chance beyond the tolerance: planes do not have their full queues at the
 * same places. */
static bool is_even(uint64_t packets, uint64_t mean)
{
    uint64_t difference = packets > mean ? packets - mean : mean - packets;
    uint64_t allowed = mean / EVEN_PARTS;

    return difference <= allowed ||
           (difference - allowed) * (difference - allowed) <= CHANCE * mean;
}

void plane_check_sums(struct shard *shard, const uint64_t *plane_bytes, uint64_t now_ps)
{
    const struct sim *sim = shard->sim;
    uint64_t packet_bytes = sim->parameters.pmtu;
    uint64_t mean = 0;

    if (takes_turns(shard) || !is_healthy(shard))
        return;
    for (uint32_t p = 0; p < sim->plane_count; p++)
        mean += plane_bytes[p] / packet_bytes / sim->plane_count;
    if (mean < PACKETS_LEAST)
        return;
    for (uint32_t p = 0; p < sim->plane_count; p++)
        if (!is_even(plane_bytes[p] / packet_bytes, mean))
            shard_violated(shard, "shares of planes differ, plane", p, now_ps);
}

/* ---- a packet -------------------------------------------------------------------------------- */

void plane_check_send(struct shard *shard, uint32_t nic, uint32_t ready_ports,
    const struct packet *packet, uint64_t now_ps)
{
    if (!opcode_is_write(packet->opcode) || packet->flags & PACKET_RETRANSMISSION)
        return;
    if (takes_turns(shard))
        check_turns(shard, nic, ready_ports, packet, now_ps);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and planes of the packets of the requester. */
#pragma once

#include "transport/requester.h"
#include "wire/packet.h"

/* Fills in the addresses and port of a packet to the peer on this EV. */
static inline void requester_packet_address(
    const struct env *env, uint32_t ev_index, struct packet *out)
{
    const struct path_entry *entry = &env->profile->entries[ev_index];

    out->ev = entry->ev;
    out->port = entry->plane;
    out->src = env->nic->address;
    out->dst = env->attributes.peer_address;
    out->dest_qpn = env->attributes.peer_qpn;
    out->ecn = ECN_ECT0;
    out->sender = env->index;
}

/* Returns the plane for a retransmission (§12): that of the last acknowledgement, unless the packet
 * was lost there. */
static inline uint32_t requester_packet_repair_plane(
    const struct requester *requester, const struct env *env, uint32_t lost_ev_index)
{
    uint32_t plane = requester->last_plane;

    return plane == env_plane_of_ev(env, lost_ev_index) ? PATH_NONE : plane;
}

/* Returns those of the ready ports on which a repeated packet or a probe should leave that prefers
 * `plane` (PATH_NONE: none), after a packet on `lost_ev_index` (PATH_NONE: none) was lost or is
 * late. The port of a dead plane is idle, and on a busy NIC often the only one that is ready. The
 * plane of the lost packet, and another that delivers little, are therefore used only if there is
 * no other. */
static inline uint32_t requester_packet_ports(
    const struct env *env, uint32_t ready_ports, uint32_t plane, uint32_t lost_ev_index)
{
    uint32_t preferred = plane < PATH_PLANE_COUNT_MAX ? UINT32_C(1) << plane : 0;
    uint32_t lost =
        lost_ev_index == PATH_NONE ? 0 : UINT32_C(1) << env_plane_of_ev(env, lost_ev_index);
    uint32_t delivering =
        planes_delivering(&env->peer->planes, path_usable_planes(env->paths, env_planes(env)));

    if (delivering & ~lost)
        delivering &= ~lost;
    return delivering ? ready_ports & (delivering | preferred) : ready_ports;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Where packets of the sending half go. */
#pragma once

#include "transport/nic.h"
#include "wire/packet.h"

/* From us to the peer, by this EV. */
static inline void requester_packet_address(
    const struct transport *nic, const struct qp *qp, uint32_t ev_index, struct packet *out)
{
    out->src = nic->address;
    out->dst = qp->attributes.peer_address;
    out->dest_qpn = qp->attributes.peer_qpn;
    out->ev = qp_ev(qp, ev_index);
    out->port = (uint8_t)qp_plane_of_ev(qp, ev_index);
    out->ecn = ECN_ECT0;
    out->local_qpn = qp->qpn;
}

/* §12: the plane heard from last, unless it is the one that lost the packet. */
static inline uint32_t requester_packet_repair_plane(const struct qp *qp, uint32_t lost_ev_index)
{
    uint32_t plane = qp->requester->last_plane;

    if (plane == REQUESTER_NO_PLANE || plane == qp_plane_of_ev(qp, lost_ev_index))
        return PATH_NONE;
    return plane;
}

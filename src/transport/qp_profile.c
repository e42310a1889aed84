/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the profiles of a QP in any state (docs/protocol.md §2). */
#include <errno.h>

#include "transport/nic.h"

size_t transport_paths_bytes(const struct path_profile *profile)
{
    return path_set_bytes(profile);
}

/* Returns the entry that replaces an EV of the former profile: the same EV, or one of its plane. */
static uint32_t successor(const struct path_profile *profile, const struct path_entry *former)
{
    uint32_t same = path_profile_find(profile, former->ev);

    if (same != PATH_NONE && profile->entries[same].plane == former->plane)
        return same;
    for (uint32_t i = 0; i < profile->entry_count; i++)
        if (profile->entries[i].plane == former->plane)
            return i;
    return 0;
}

/* Moves packets in flight to the new profile. They stay in the window, but their loss or delivery
 * does not count for the new EVs. */
static void move_packets(
    struct transport *nic, struct qp *qp, const struct path_profile *former, uint64_t now_ns)
{
    uint16_t successors[PATH_EV_COUNT_MAX];

    for (uint32_t i = 0; i < former->entry_count; i++)
        successors[i] = (uint16_t)successor(qp->env.profile, &former->entries[i]);
    send_window_rename(&qp->requester->window, successors, former->entry_count);
    requester_join_peer(qp->requester, &qp->env);
    requester_forget_evs(qp->requester, &qp->env, now_ns);
    requester_base_rtt_changed(&qp->env);
    qp_share_paths(nic, qp);
}

int transport_qp_set_paths(struct transport *nic, uint32_t qpn, const struct path_profile *profile,
    void *memory, uint64_t now_ns)
{
    struct qp *qp = nic_find(nic, qpn);
    const struct path_profile *former;

    if (!qp)
        return -ENOENT;
    if (profile->entry_count == 0 || profile->entry_count > PATH_EV_COUNT_MAX ||
        profile->plane_count != qp->env.profile->plane_count || !memory || qp->borrows)
        return -EINVAL;
    former = qp->env.profile;
    qp_unshare_paths(nic, qp);
    if (qp->requester && qp->env.attributes.state == QP_RTS) /* packets may change planes */
        requester_leave_peer(qp->requester, &qp->env);
    qp->env.profile = profile;
    if (qp->env.peer && qp->env.peer->way_back.profile == former)
        way_back_change_profile(nic, qp->env.peer, profile);
    if (qp->env.peer)
        way_back_qps_changed(&qp->env.peer->way_back);
    if (qp->requester) {
        qp->own_paths = memory;
        qp_start_paths(nic, qp);
        if (qp->env.attributes.state == QP_RTS)
            move_packets(nic, qp, former, now_ns);
    }
    qp_update(nic, qp, now_ns);
    return 0;
}

int transport_qp_set_cc(
    struct transport *nic, uint32_t qpn, const struct cc_profile *profile, uint64_t now_ns)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp)
        return -ENOENT;
    qp->cc_profile = profile;
    if (qp->env.peer && qp->env.attributes.state != QP_ERR) {
        peer_leave(nic, qp);
        peer_join(nic, qp);
    }
    qp_update(nic, qp, now_ns);
    return 0;
}

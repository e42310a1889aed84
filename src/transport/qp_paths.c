/* SPDX-License-Identifier: Apache-2.0 */
/* Reports EV changes of a QP to counters, trace and controller, and manages the path set that QPs
 * to one peer share (docs/protocol.md §15). */
#include "transport/nic.h"

bool qp_knows_bad(const struct qp *qp, uint32_t ev_index)
{
    return qp->requester && qp->env.attributes.state == QP_RTS &&
           path_state_of(qp->env.paths, ev_index) == EV_ASSUMED_BAD;
}

static void follow_ev_probes(struct transport *nic, struct qp *qp)
{
    requester_ev_probes_changed(qp->requester, &qp->env);
    qp_arm(nic, qp, qp->requester->ev_probe_ns);
}

static struct qp *partner(const struct transport *nic, const struct qp *qp)
{
    const struct peer *peer = qp->env.peer;

    for (struct qp *other = nic_next_qp(nic, peer, NULL); other;
         other = nic_next_qp(nic, peer, other))
        if (other != qp && other->env.paths && other->env.attributes.state == QP_RTS &&
            other->env.profile == qp->env.profile)
            return other;
    return NULL;
}

void qp_unshare_paths(struct transport *nic, struct qp *qp)
{
    struct qp *heir = NULL;

    if (!qp->env.paths)
        return;
    if (qp->env.paths != qp->own_paths) {
        qp_start_paths(nic, qp);
        requester_base_rtt_changed(&qp->env);
        return;
    }
    for (uint32_t i = 0; i < nic->qp_count_max; i++) {
        struct qp *other = nic->qps[i];

        if (!other || other == qp || other->env.paths != qp->own_paths)
            continue;
        if (!heir) {
            heir = other;
            path_set_move(heir->own_paths, qp->own_paths, heir);
        }
        other->env.paths = heir->own_paths;
    }
    if (heir)
        follow_ev_probes(nic, heir);
}

void qp_share_paths(struct transport *nic, struct qp *qp)
{
    const struct qp *other = NULL;

    if (nic->env.parameters->ev_state_scope != EV_STATE_SCOPE_DESTINATION)
        return;
    other = partner(nic, qp);
    if (!other)
        return;
    qp->env.paths = other->env.paths;
    qp->requester->ev_probe_ns = UINT64_MAX; /* one QP probes for all that share the set */
}

static void count_change(struct transport *nic, const struct path_change *change)
{
    if (change->to == EV_SKIP && change->from == EV_GOOD)
        nic_count(nic, COUNTER_EV_SKIPPED);
    if (change->to == EV_ASSUMED_BAD)
        nic_count(nic, COUNTER_EV_TURNED_BAD);
    if (change->from == EV_ASSUMED_BAD && change->to != EV_DENIED)
        nic_count(nic, COUNTER_EV_RECOVERED);
    if (change->to == EV_DENIED)
        nic_count(nic, COUNTER_EV_DENIED);
}

/* Removes a bad EV from the way back: answers to the peer take the same paths. */
static void avoid_way_back(struct transport *nic, struct qp *qp, uint32_t ev_index)
{
    if (qp->env.peer && qp->env.peer->way_back.profile == qp->env.profile)
        path_reverse_avoid(&qp->env.peer->way_back.reverse, qp->env.profile, ev_index, &nic->prng);
}

void qp_on_ev_change(void *listener, const struct path_change *change, uint64_t now_ns)
{
    struct qp *qp = listener;
    struct transport *nic = qp->nic;

    count_change(nic, change);
    nic_trace(nic, EVENT_EV, qp->env.qpn, now_ns, env_ev(&qp->env, change->ev_index),
        (uint64_t)change->from << 8 | (uint64_t)change->to, change->cause);
    if (change->to == EV_ASSUMED_BAD || change->to == EV_DENIED)
        avoid_way_back(nic, qp, change->ev_index);
    if (change->to <= EV_SKIP && change->from <= EV_SKIP)
        return;
    if (qp->env.attributes.state == QP_RTS)
        follow_ev_probes(nic, qp);
    nic_note(nic, &(struct nic_note){ .kind = TRANSPORT_EV_CHANGED,
                      .qpn = qp->env.qpn,
                      .ev_index = (uint16_t)change->ev_index,
                      .from = (uint8_t)change->from,
                      .to = (uint8_t)change->to,
                      .cause = (uint8_t)change->cause });
}

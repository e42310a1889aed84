/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes known of a QP's paths: to counters, trace and controller, and to the other QPs with
 * the same peer (docs/protocol.md §15). */
#include "transport/nic.h"

enum ev_state_scope { SCOPE_QP, SCOPE_DESTINATION };

static bool has_same_peer(const struct qp *qp, const struct qp *other)
{
    return other && other != qp && other->paths && other->attributes.state == QP_RTS &&
           ip_address_equal(&qp->attributes.peer_address, &other->attributes.peer_address);
}

/* The index that an EV of `from` has in `to`; PATH_NONE: it does not have it. */
static uint32_t translate(const struct qp *from, const struct qp *to, uint32_t ev_index)
{
    return from->profile == to->profile ? ev_index
                                        : path_profile_find(to->profile, qp_ev(from, ev_index));
}

static void tell(
    struct qp *qp, const struct qp *teller, const struct path_change *change, uint64_t now_ns)
{
    struct path_change told = *change;

    told.ev_index = translate(teller, qp, change->ev_index);
    if (told.ev_index != PATH_NONE)
        path_learn(qp->paths, &told, now_ns);
}

static bool has_way_back_to_same_peer(const struct qp *qp, const struct qp *other)
{
    return other && other != qp && !other->requester && other->attributes.state >= QP_RTR &&
           other->attributes.state <= QP_RTS &&
           ip_address_equal(&qp->attributes.peer_address, &other->attributes.peer_address);
}

/* A QP that only receives has no states of EVs, but answers on one of each plane. */
static void warn(struct transport *nic, struct qp *qp, const struct qp *teller, uint32_t ev_index)
{
    uint32_t own_index = translate(teller, qp, ev_index);

    if (own_index != PATH_NONE)
        path_reverse_avoid(&qp->reverse, qp->profile, own_index, &nic->prng);
}

bool qp_knows_bad(const struct transport *nic, const struct qp *qp, uint32_t ev_index)
{
    if (qp->requester)
        return qp->attributes.state == QP_RTS &&
               path_state_of(qp->paths, ev_index) == EV_ASSUMED_BAD;
    if (nic->parameters->ev_state_scope != SCOPE_DESTINATION)
        return false;
    for (uint32_t i = 0; i < nic->qp_count_max; i++)
        if (has_same_peer(qp, nic->qps[i])) {
            uint32_t its_index = translate(qp, nic->qps[i], ev_index);

            return its_index != PATH_NONE &&
                   path_state_of(nic->qps[i]->paths, its_index) == EV_ASSUMED_BAD;
        }
    return false;
}

static void tell_others(
    struct transport *nic, const struct qp *qp, const struct path_change *change, uint64_t now_ns)
{
    if (nic->is_sharing || change->cause == PATH_REPLACED)
        return;
    nic->is_sharing = true;
    for (uint32_t i = 0; i < nic->qp_count_max; i++)
        if (has_same_peer(qp, nic->qps[i]))
            tell(nic->qps[i], qp, change, now_ns);
        else if (change->to >= EV_ASSUMED_BAD && has_way_back_to_same_peer(qp, nic->qps[i]))
            warn(nic, nic->qps[i], qp, change->ev_index);
    nic->is_sharing = false;
}

void qp_learn_paths(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    const struct qp *other = NULL;

    if (nic->parameters->ev_state_scope != SCOPE_DESTINATION)
        return;
    for (uint32_t i = 0; i < nic->qp_count_max && !other; i++)
        if (has_same_peer(qp, nic->qps[i]))
            other = nic->qps[i];
    if (!other)
        return;
    nic->is_sharing = true;
    for (uint32_t i = 0; i < other->profile->entry_count; i++)
        if (path_state_of(other->paths, i) >= EV_ASSUMED_BAD)
            tell(qp, other,
                &(struct path_change){ .ev_index = i, .to = path_state_of(other->paths, i) },
                now_ns);
    nic->is_sharing = false;
}

static void count(struct transport *nic, const struct path_change *change)
{
    if (change->to == EV_SKIP && change->from == EV_GOOD)
        nic_count(nic, COUNTER_EV_SKIPPED);
    if (change->to == EV_ASSUMED_BAD)
        nic_count(nic, COUNTER_EV_TURNED_BAD);
    if (change->from == EV_ASSUMED_BAD && change->to != EV_DENIED)
        nic_count(nic, COUNTER_EV_RECOVERED);
    if (change->to == EV_DENIED)
        nic_count(nic, COUNTER_EV_DENIED);
    if (nic->is_sharing)
        nic_count(nic, COUNTER_EV_TOLD);
}

void qp_on_ev_change(void *context, const struct path_change *change, uint64_t now_ns)
{
    struct qp *qp = context;
    struct transport *nic = qp->nic;

    count(nic, change);
    nic_trace(nic, EVENT_EV, qp->qpn, now_ns, qp_ev(qp, change->ev_index),
        (uint64_t)change->from << 8 | (uint64_t)change->to, change->cause);
    if (change->to == EV_ASSUMED_BAD || change->to == EV_DENIED)
        path_reverse_avoid(&qp->reverse, qp->profile, change->ev_index, &nic->prng);
    if (change->to <= EV_SKIP && change->from <= EV_SKIP)
        return;
    if (qp->attributes.state == QP_RTS)
        requester_ev_probes_changed(nic, qp);
    nic_note(nic, &(struct nic_note){ .kind = TRANSPORT_EV_CHANGED,
                      .qpn = qp->qpn,
                      .ev_index = (uint16_t)change->ev_index,
                      .from = (uint8_t)change->from,
                      .to = (uint8_t)change->to,
                      .cause = (uint8_t)change->cause });
    if (nic->parameters->ev_state_scope == SCOPE_DESTINATION)
        tell_others(nic, qp, change, now_ns);
}

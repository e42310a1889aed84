/* SPDX-License-Identifier: Apache-2.0 */
/* Lends records to QPs that send, and takes them back when their work is done: what a QP needs only
 * while it sends can be shared by QPs that send one after the other. */
#include <assert.h>
#include <stdalign.h>

#include "transport/nic.h"

/* QP, responder and requester are adjacent (qp.c). */
static struct requester *requester_of(struct qp *qp)
{
    return qp->responder ? (struct requester *)(qp->responder + 1) : (struct requester *)(qp + 1);
}

static struct path_set *take_paths(struct arena *arena, const struct path_profile *profile)
{
    return arena_take(arena, 1, transport_paths_bytes(profile), alignof(uint64_t));
}

/* In the order in which transport_qp_lend() takes them. */
static size_t records_bytes(
    const struct path_profile *profile, uint32_t send_depth, uint32_t psn_count)
{
    struct arena measure;

    arena_init(&measure, NULL, 0);
    take_paths(&measure, profile);
    requester_init(NULL, &measure, send_depth, psn_count);
    return measure.used_bytes;
}

size_t transport_qp_records_bytes(const struct qp_init *init)
{
    return records_bytes(init->paths, init->send_depth, init->window_psns_max);
}

void transport_qp_lend(struct transport *nic, uint32_t qpn, void *memory)
{
    struct qp *qp = nic_find(nic, qpn);
    struct arena arena;

    assert(qp && qp->borrows && !qp->own_paths);
    assert(qp->env.attributes.state == QP_RTS);
    qp->requester = requester_of(qp);
    arena_init(&arena, memory,
        records_bytes(
            qp->env.profile, qp->requester->queue.depth, qp->requester->window.psn_count));
    qp->own_paths = take_paths(&arena, qp->env.profile);
    qp_start_paths(nic, qp);
    requester_lend(qp->requester, &qp->env, &arena);
    qp_share_paths(nic, qp);
}

static bool owns_paths(const struct transport *nic, const struct qp *qp)
{
    return nic->env.parameters->ev_state_scope == EV_STATE_SCOPE_QP ||
           qp->env.peer->sender_count == 1;
}

bool transport_qp_owns_paths(const struct transport *nic, uint32_t qpn)
{
    return owns_paths(nic, nic_find(nic, qpn));
}

void *transport_qp_reclaim(struct transport *nic, uint32_t qpn, uint64_t now_ns)
{
    struct qp *qp = nic_find(nic, qpn);
    void *memory;

    if (!qp || !qp->borrows || !qp->requester || qp->env.attributes.state != QP_RTS)
        return NULL;
    if (qp->is_listed || qp->is_eventful || !requester_is_idle(qp->requester, now_ns) ||
        !path_is_whole(qp->own_paths) || !owns_paths(nic, qp) || qp->env.paths != qp->own_paths)
        return NULL;
    memory = qp->own_paths;
    qp->requester = NULL;
    qp->own_paths = qp->env.paths = NULL;
    return memory;
}

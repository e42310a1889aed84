/* SPDX-License-Identifier: Apache-2.0 */
/* The number of PSNs that responders admit. With dynamic MPR, the responders of a NIC may share a
 * pool: QPs that have been idle for long give PSNs to QPs that need them (docs/protocol.md
 * §4.1). */
#include "transport/nic.h"

enum { UNIT_PSNS = 128 };

/* The range may change only if the peer learns of changes. */
static bool shares_pool(const struct env *env)
{
    return env->nic->parameters->mpr_pool > 0 && env->attributes.dynamic_mpr;
}

static void set_range(struct transport *nic, struct responder *responder, uint32_t range_psns)
{
    nic->range_psns += range_psns - responder->range_psns;
    responder->range_psns = range_psns;
}

static void halve_if_silent(struct transport *nic, struct responder *responder, uint64_t now_ns)
{
    uint32_t half_psns = responder->range_psns / 2 / UNIT_PSNS * UNIT_PSNS;

    if (half_psns >= UNIT_PSNS &&
        now_ns - responder->last_arrival_ns > nic->env.parameters->mpr_idle)
        set_range(nic, responder, half_psns);
}

static void collect_ranges(struct transport *nic, const struct qp *needy, uint64_t now_ns)
{
    for (uint32_t i = 0; i < nic->qp_count_max; i++)
        if (nic->qps[i] && nic->qps[i] != needy && nic->qps[i]->responder &&
            shares_pool(&nic->qps[i]->env))
            halve_if_silent(nic, nic->qps[i]->responder, now_ns);
}

/* A responder that places packets in order admits only the next one. */
static uint32_t admitted_psns(const struct qp *qp)
{
    return qp->env.nic->parameters->placement == PLACEMENT_IN_ORDER
               ? 1
               : responder_full_range_psns(qp->responder, &qp->env);
}

void qp_widen_range(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    struct responder *responder = qp->responder;
    uint64_t pool_psns = nic->env.parameters->mpr_pool * UNIT_PSNS;
    uint32_t full_psns = admitted_psns(qp);
    uint64_t others_psns = nic->range_psns - responder->range_psns;
    uint64_t left_psns;

    if (responder->range_psns == full_psns)
        return;
    if (!shares_pool(&qp->env)) {
        set_range(nic, responder, full_psns);
        return;
    }
    if (others_psns + full_psns > pool_psns - pool_psns / 4)
        collect_ranges(nic, qp, now_ns);
    others_psns = nic->range_psns - responder->range_psns;
    left_psns = others_psns < pool_psns ? pool_psns - others_psns : 0;
    if (left_psns < UNIT_PSNS) /* never 0: the peer would wait forever */
        left_psns = UNIT_PSNS;
    set_range(nic, responder, left_psns < full_psns ? (uint32_t)left_psns : full_psns);
}

void qp_close_range(struct transport *nic, struct qp *qp)
{
    if (qp->responder)
        set_range(nic, qp->responder, 0);
}

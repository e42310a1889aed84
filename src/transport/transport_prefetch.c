/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches what one NIC of very many touches next. */
#include "transport/prefetch.h"

enum {
    QPS_MOST = 2, /* a simulated NIC has one that sends and one that receives */
    PATHS_BYTES = 256,
};

static uint32_t few_qps(const struct transport *nic)
{
    return nic->qp_count_max < QPS_MOST ? nic->qp_count_max : QPS_MOST;
}

static void prefetch_bytes(const void *first, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PREFETCH_LINE_BYTES)
        prefetch_line((const uint8_t *)first + at);
}

void transport_prefetch_qps(const struct transport *nic)
{
    for (uint32_t i = 0; i < few_qps(nic); i++)
        if (nic->qps[i])
            prefetch_bytes(nic->qps[i], sizeof(struct qp) + sizeof(struct requester));
    prefetch_bytes(nic->peers, few_qps(nic) * sizeof(struct peer));
}

static void prefetch_work(const struct qp *qp)
{
    if (qp->responder)
        prefetch_received(qp, qp->responder->window.cack);
    if (!qp->requester)
        return;
    prefetch_next(qp);
    prefetch_record(&qp->requester->window, qp->requester->window.oldest);
    prefetch_bytes(qp->env.paths, PATHS_BYTES);
}

void transport_prefetch_work(const struct transport *nic)
{
    for (uint32_t i = 0; i < few_qps(nic); i++)
        if (nic->qps[i])
            prefetch_work(nic->qps[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that inline verbs reach through the context. Those of queues refuse for now: no
 * queue can be made. */
#include <errno.h>

#include "verbs/device.h"

static int refuse(void)
{
    errno = EOPNOTSUPP;
    return EOPNOTSUPP;
}

static int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
    (void)cq;
    (void)num_entries;
    (void)wc;
    return -refuse();
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    (void)cq;
    (void)solicited_only;
    return refuse();
}

static int post_srq_recv(
    struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
{
    (void)srq;
    *bad_recv_wr = recv_wr;
    return refuse();
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
    (void)qp;
    *bad_wr = wr;
    return refuse();
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
    (void)qp;
    *bad_wr = wr;
    return refuse();
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    (void)pd;
    (void)type;
    refuse();
    return NULL;
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)
{
    (void)qp;
    (void)mw;
    (void)mw_bind;
    return refuse();
}

static int dealloc_mw(struct ibv_mw *mw)
{
    (void)mw;
    return refuse();
}

void device_fill_ops(struct verbs_context *verbs)
{
    struct ibv_context_ops *ops = &verbs->context.ops;

    ops->poll_cq = poll_cq;
    ops->req_notify_cq = req_notify_cq;
    ops->post_srq_recv = post_srq_recv;
    ops->post_send = post_send;
    ops->post_recv = post_recv;
    ops->alloc_mw = alloc_mw;
    ops->bind_mw = bind_mw;
    ops->dealloc_mw = dealloc_mw;
    verbs->query_port = device_query_port;
    verbs->query_device_ex = device_query_ex;
}

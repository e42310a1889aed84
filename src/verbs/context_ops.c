/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that inline verbs call through the context. */
#include <errno.h>

#include "verbs/objects.h"
#include "verbs/refuse.h"

static int post_srq_recv(
    struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
{
    (void)srq;
    *bad_recv_wr = recv_wr;
    return refuse(REFUSE_SRQ);
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    (void)pd;
    (void)type;
    return refuse_null(REFUSE_MEMORY_WINDOW);
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)
{
    (void)qp;
    (void)mw;
    (void)mw_bind;
    return refuse(REFUSE_MEMORY_WINDOW);
}

static int dealloc_mw(struct ibv_mw *mw)
{
    (void)mw;
    return refuse(REFUSE_MEMORY_WINDOW);
}

static struct ibv_srq *create_srq_ex(
    struct ibv_context *context, struct ibv_srq_init_attr_ex *srq_init_attr_ex)
{
    (void)context;
    (void)srq_init_attr_ex;
    return refuse_null(REFUSE_SRQ);
}

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
    (void)context;
    (void)attr;
    return refuse_null(REFUSE_DEVICE_MEMORY);
}

void verbs_device_fill_ops(struct verbs_context *verbs)
{
    struct ibv_context_ops *ops = &verbs->context.ops;

    ops->poll_cq = objects_poll_cq;
    ops->req_notify_cq = objects_req_notify_cq;
    ops->post_srq_recv = post_srq_recv;
    ops->post_send = objects_post_send;
    ops->post_recv = objects_post_recv;
    ops->alloc_mw = alloc_mw;
    ops->bind_mw = bind_mw;
    ops->dealloc_mw = dealloc_mw;
    verbs->query_port = verbs_device_query_port;
    verbs->query_device_ex = verbs_device_query_ex;
    verbs->create_cq_ex = objects_create_cq_ex;
    verbs->create_qp_ex = objects_create_qp_ex;
    verbs->create_srq_ex = create_srq_ex;
    verbs->alloc_dm = alloc_dm;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs: a reliable connection of verbs is an MRC QP. */
#include <errno.h>
#include <stdlib.h>

#include "verbs/objects.h"
#include "verbs/refuse.h"

#define SEND_OPS ((uint64_t)IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
#define COMP_MASK                                                                                  \
    ((uint32_t)IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |                             \
        IBV_QP_INIT_ATTR_CREATE_FLAGS)

#define RETRY_FOREVER 25 /* mrc.h: exp_cnt */

/* ---- refusals -------------------------------------------------------------------------------- */

static int check_type(enum ibv_qp_type type)
{
    switch (type) {
    case IBV_QPT_RC:
        return 0;
    case IBV_QPT_UC:
        return refuse(REFUSE_UC);
    case IBV_QPT_UD:
        return refuse(REFUSE_UD);
    default:
        return refuse(REFUSE_OTHER_QP);
    }
}

static int check_send_ops(uint64_t flags)
{
    if (flags & (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM))
        return refuse(REFUSE_SEND);
    if (flags & IBV_QP_EX_WITH_RDMA_READ)
        return refuse(REFUSE_READ);
    if (flags & (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD))
        return refuse(REFUSE_ATOMIC);
    if (flags & IBV_QP_EX_WITH_BIND_MW)
        return refuse(REFUSE_MEMORY_WINDOW);
    return flags & ~SEND_OPS ? refuse(REFUSE_QP_FEATURE) : 0;
}

static int check_attributes(const struct ibv_qp_init_attr_ex *attr)
{
    int number = check_type(attr->qp_type);

    if (number)
        return number;
    if (attr->srq)
        return refuse(REFUSE_SRQ);
    if (attr->comp_mask & ~COMP_MASK ||
        (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags))
        return refuse(REFUSE_QP_FEATURE);
    if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd || !attr->send_cq || !attr->recv_cq)
        return EINVAL;
    return attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? check_send_ops(attr->send_ops_flags)
                                                             : 0;
}

/* ---- creation and destruction ---------------------------------------------------------------- */

static struct mrc_qp *make_mrc(
    struct qp *qp, struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
    struct mrc_qp_init_attr init = { .qp_context = qp,
        .send_cq = objects_cq(attr->send_cq)->mrc,
        .recv_cq = objects_cq(attr->recv_cq)->mrc,
        .cap = attr->cap,
        .sq_sig_all = attr->sq_sig_all,
        .pd = attr->pd };
    struct mrc_qp *mrc = mrc_create_qp(verbs_device_context(context)->mrc, &init);

    if (mrc)
        attr->cap = init.cap;
    return mrc;
}

static void fill_qp(
    struct qp *qp, struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr)
{
    struct ibv_qp *base = &qp->ibv.qp_base;

    base->context = context;
    base->qp_context = attr->qp_context;
    base->pd = attr->pd;
    base->send_cq = attr->send_cq;
    base->recv_cq = attr->recv_cq;
    base->state = IBV_QPS_RESET;
    base->qp_type = IBV_QPT_RC;
    mrc_get_qpn(qp->mrc, &base->qp_num);
    base->handle = base->qp_num;
    pthread_mutex_init(&base->mutex, NULL);
    pthread_cond_init(&base->cond, NULL);
    qp->cap = attr->cap;
    qp->signals_all = attr->sq_sig_all;
}

struct ibv_qp *objects_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
    int number = check_attributes(attr);
    struct qp *qp = number ? NULL : calloc(1, sizeof(*qp));

    if (!qp) {
        errno = number ? number : ENOMEM;
        return NULL;
    }
    qp->mrc = make_mrc(qp, context, attr);
    if (!qp->mrc) {
        number = errno;
        goto free_qp;
    }
    fill_qp(qp, context, attr);
    if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
        number = -objects_batch_init(qp);
    if (number)
        goto destroy_mrc;
    return &qp->ibv.qp_base;

destroy_mrc:
    mrc_destroy_qp(qp->mrc);
free_qp:
    free(qp);
    errno = number;
    return NULL;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
    struct ibv_qp_init_attr_ex attr = { .qp_context = qp_init_attr->qp_context,
        .send_cq = qp_init_attr->send_cq,
        .recv_cq = qp_init_attr->recv_cq,
        .srq = qp_init_attr->srq,
        .cap = qp_init_attr->cap,
        .qp_type = qp_init_attr->qp_type,
        .sq_sig_all = qp_init_attr->sq_sig_all,
        .comp_mask = IBV_QP_INIT_ATTR_PD,
        .pd = pd };
    struct ibv_qp *qp = objects_create_qp_ex(pd->context, &attr);

    if (qp)
        qp_init_attr->cap = attr.cap;
    return qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    struct qp *own = objects_qp(qp);
    int number = mrc_destroy_qp(own->mrc);

    if (number)
        return number;
    objects_batch_fini(own);
    pthread_mutex_destroy(&qp->mutex);
    pthread_cond_destroy(&qp->cond);
    free(own);
    return 0;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
    return objects_qp(qp)->batch.requests ? &objects_qp(qp)->ibv : NULL;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* On a single path, programs use long timeouts, often of seconds, and few retries. MRC checks its
 * paths at each timeout, so it keeps its own interval and retries more often, for the same time in
 * total. A timeout of 0 means no limit. */
static void be_as_patient(
    const struct qp *qp, const struct ibv_qp_attr *attr, int attr_mask, struct mrc_qp_attr *mrc)
{
    uint32_t tries = 1 + (attr_mask & IBV_QP_RETRY_CNT ? attr->retry_cnt & 7u : 7u);
    uint64_t wanted_ns = (UINT64_C(4096) << (attr->timeout & 31u)) * tries;
    uint64_t interval_ns;
    uint64_t waited_ns;

    mrc_query_qp(qp->mrc, NULL, 0, mrc, MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT, NULL);
    interval_ns = UINT64_C(1024) << mrc->timeout;
    waited_ns = interval_ns * (mrc->retry.linear_cnt + 1u);
    for (uint8_t doublings = 1; waited_ns < wanted_ns && doublings < RETRY_FOREVER; doublings++) {
        interval_ns *= 2;
        waited_ns += interval_ns;
        if (doublings > mrc->retry.exp_cnt)
            mrc->retry.exp_cnt = doublings;
    }
    if (attr->timeout == 0)
        mrc->retry.exp_cnt = RETRY_FOREVER;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
    struct mrc_qp_attr mrc;
    int mrc_mask = 0;
    int number;

    if (attr_mask & IBV_QP_TIMEOUT) {
        be_as_patient(objects_qp(qp), attr, attr_mask, &mrc);
        mrc_mask = MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT;
    }
    number = mrc_modify_qp(objects_qp(qp)->mrc, attr, attr_mask, mrc_mask ? &mrc : NULL, mrc_mask);

    if (number == 0 && attr_mask & IBV_QP_STATE)
        qp->state = attr->qp_state;
    return number;
}

int ibv_query_qp(
    struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
{
    struct qp *own = objects_qp(qp);
    int number = mrc_query_qp(own->mrc, attr, attr_mask | IBV_QP_STATE, NULL, 0, NULL);

    if (number)
        return number;
    qp->state = attr->qp_state;
    *init_attr = (struct ibv_qp_init_attr){ .qp_context = qp->qp_context,
        .send_cq = qp->send_cq,
        .recv_cq = qp->recv_cq,
        .cap = own->cap,
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = own->signals_all };
    return 0;
}

/* Packets take many paths: only a completion shows that all of a message has arrived. */
int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
    (void)qp;
    (void)op;
    (void)flags;
    return 0;
}

/* Programs continue without it. */
int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
    (void)qp;
    (void)ece;
    return refuse_silently();
}

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
    (void)qp;
    return ece->vendor_id || ece->options ? refuse(REFUSE_ECE) : 0;
}

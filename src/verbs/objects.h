/* SPDX-License-Identifier: Apache-2.0 */
/* Queues, QPs and channels as programs see them, and their private parts. Each begins with the
 * structure that programs know, in its longest form. */
#pragma once

#include <stdbool.h>

#include "verbs/verbs_device.h"

struct channel {
    struct ibv_comp_channel ibv;
    struct mrc_comp_channel *mrc;
};

struct cq {
    struct ibv_cq_ex ibv;
    struct mrc_cq *mrc;
    struct ibv_wc current; /* valid between start_poll and end_poll, which hold the queue's mutex */
};

/* Requests between wr_start and wr_complete, which hold the QP's mutex. */
struct batch {
    struct ibv_send_wr *requests; /* NULL if the QP was not created for these calls */
    struct ibv_sge *pieces;
    uint8_t *inline_bytes;
    uint32_t count;
    int problem; /* errno of the first error */
};

struct qp {
    struct ibv_qp_ex ibv;
    struct mrc_qp *mrc;
    struct ibv_qp_cap cap;
    int signals_all;
    struct batch batch;
};

static inline struct cq *objects_cq(struct ibv_cq *cq)
{
    return (struct cq *)(void *)cq;
}

static inline struct cq *objects_cq_ex(struct ibv_cq_ex *cq)
{
    return (struct cq *)cq;
}

static inline struct ibv_cq *objects_ibv_cq(struct cq *cq)
{
    return (struct ibv_cq *)(void *)&cq->ibv;
}

static inline struct qp *objects_qp(struct ibv_qp *qp)
{
    return (struct qp *)qp;
}

static inline struct qp *objects_qp_ex(struct ibv_qp_ex *qp)
{
    return (struct qp *)qp;
}

/* The functions that inline verbs call. */
int objects_poll_cq(struct ibv_cq *, int num_entries, struct ibv_wc *);
int objects_req_notify_cq(struct ibv_cq *, int solicited_only);
struct ibv_cq_ex *objects_create_cq_ex(struct ibv_context *, struct ibv_cq_init_attr_ex *);
struct ibv_qp *objects_create_qp_ex(struct ibv_context *, struct ibv_qp_init_attr_ex *);
int objects_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad_wr);
int objects_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **bad_wr);

/* cq_ex.c: the calls of an extended queue. */
void objects_fill_cq_ex(struct cq *, uint64_t wc_flags);

/* wr.c: the ibv_wr_ calls. Returns 0 or a negative errno. */
int objects_batch_init(struct qp *);
void objects_batch_fini(struct qp *);

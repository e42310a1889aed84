/* SPDX-License-Identifier: Apache-2.0 */
/* The ibv_wr_ calls: requests are collected from wr_start on and posted as a list by wr_complete.
 * An error in one of them refuses all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/objects.h"
#include "verbs/refuse.h"

static void spoil_batch(struct qp *qp, int number)
{
    if (!qp->batch.problem)
        qp->batch.problem = number;
}

/* ---- operations ------------------------------------------------------------------------------ */

static struct ibv_send_wr *add_request(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
    struct qp *qp = objects_qp_ex(ibv);
    struct batch *batch = &qp->batch;
    struct ibv_send_wr *request;

    if (batch->count == qp->cap.max_send_wr) {
        spoil_batch(qp, ENOMEM);
        return NULL;
    }
    request = &batch->requests[batch->count];
    *request = (struct ibv_send_wr){ .wr_id = ibv->wr_id,
        .sg_list = &batch->pieces[(size_t)batch->count * qp->cap.max_send_sge],
        .opcode = IBV_WR_RDMA_WRITE,
        .send_flags = ibv->wr_flags,
        .wr.rdma = { .remote_addr = remote_addr, .rkey = rkey } };
    if (batch->count > 0)
        batch->requests[batch->count - 1].next = request;
    batch->count++;
    return request;
}

static void wr_rdma_write(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
    add_request(ibv, rkey, remote_addr);
}

static void wr_rdma_write_imm(
    struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr, __be32 imm_data)
{
    struct ibv_send_wr *request = add_request(ibv, rkey, remote_addr);

    if (request) {
        request->opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
        request->imm_data = imm_data;
    }
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Returns the request that was added last. */
static struct ibv_send_wr *last(struct qp *qp)
{
    if (qp->batch.count == 0)
        spoil_batch(qp, EINVAL);
    return qp->batch.count && !qp->batch.problem ? &qp->batch.requests[qp->batch.count - 1] : NULL;
}

static void wr_set_sge_list(struct ibv_qp_ex *ibv, size_t num_sge, const struct ibv_sge *sg_list)
{
    struct qp *qp = objects_qp_ex(ibv);
    struct ibv_send_wr *request = last(qp);

    if (num_sge > qp->cap.max_send_sge)
        spoil_batch(qp, EINVAL);
    if (!request || qp->batch.problem)
        return;
    memcpy(request->sg_list, sg_list, num_sge * sizeof(*sg_list));
    request->num_sge = (int)num_sge;
}

static void wr_set_sge(struct ibv_qp_ex *ibv, uint32_t lkey, uint64_t addr, uint32_t length)
{
    struct ibv_sge piece = { .addr = addr, .length = length, .lkey = lkey };

    wr_set_sge_list(ibv, length ? 1 : 0, &piece);
}

/* Copies the bytes, because the caller may change them after the call. */
static void wr_set_inline_data_list(
    struct ibv_qp_ex *ibv, size_t num_buf, const struct ibv_data_buf *buf_list)
{
    struct qp *qp = objects_qp_ex(ibv);
    struct ibv_send_wr *request = last(qp);
    uint8_t *to;
    size_t length = 0;

    if (!request)
        return;
    to = qp->batch.inline_bytes + (size_t)(qp->batch.count - 1) * qp->cap.max_inline_data;
    for (size_t i = 0; i < num_buf; i++) {
        if (buf_list[i].length > qp->cap.max_inline_data - length) {
            spoil_batch(qp, EINVAL);
            return;
        }
        memcpy(to + length, buf_list[i].addr, buf_list[i].length);
        length += buf_list[i].length;
    }
    request->sg_list[0] = (struct ibv_sge){ .addr = (uintptr_t)to, .length = (uint32_t)length };
    request->num_sge = length ? 1 : 0;
    request->send_flags |= IBV_SEND_INLINE;
}

static void wr_set_inline_data(struct ibv_qp_ex *ibv, void *addr, size_t length)
{
    struct ibv_data_buf bytes = { .addr = addr, .length = length };

    wr_set_inline_data_list(ibv, 1, &bytes);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void wr_start(struct ibv_qp_ex *ibv)
{
    struct qp *qp = objects_qp_ex(ibv);

    pthread_mutex_lock(&ibv->qp_base.mutex);
    qp->batch.count = 0;
    qp->batch.problem = 0;
}

static int wr_complete(struct ibv_qp_ex *ibv)
{
    struct qp *qp = objects_qp_ex(ibv);
    struct ibv_send_wr *bad;
    int number = qp->batch.problem;

    if (!number && qp->batch.count > 0)
        number = mrc_post_send(qp->mrc, qp->batch.requests, &bad);
    pthread_mutex_unlock(&ibv->qp_base.mutex);
    return number;
}

static void wr_abort(struct ibv_qp_ex *ibv)
{
    pthread_mutex_unlock(&ibv->qp_base.mutex);
}

int objects_batch_init(struct qp *qp)
{
    struct batch *batch = &qp->batch;

    batch->requests = calloc(qp->cap.max_send_wr, sizeof(*batch->requests));
    batch->pieces =
        calloc((size_t)qp->cap.max_send_wr * qp->cap.max_send_sge, sizeof(*batch->pieces));
    batch->inline_bytes = calloc(qp->cap.max_send_wr, (size_t)qp->cap.max_inline_data + 1);
    if (!batch->requests || !batch->pieces || !batch->inline_bytes) {
        objects_batch_fini(qp);
        return -ENOMEM;
    }
    qp->ibv.wr_rdma_write = wr_rdma_write;
    qp->ibv.wr_rdma_write_imm = wr_rdma_write_imm;
    qp->ibv.wr_set_sge = wr_set_sge;
    qp->ibv.wr_set_sge_list = wr_set_sge_list;
    qp->ibv.wr_set_inline_data = wr_set_inline_data;
    qp->ibv.wr_set_inline_data_list = wr_set_inline_data_list;
    qp->ibv.wr_start = wr_start;
    qp->ibv.wr_complete = wr_complete;
    qp->ibv.wr_abort = wr_abort;
    return 0;
}

void objects_batch_fini(struct qp *qp)
{
    free(qp->batch.requests);
    free(qp->batch.pieces);
    free(qp->batch.inline_bytes);
    qp->batch = (struct batch){ 0 };
}

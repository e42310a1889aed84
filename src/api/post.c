/* SPDX-License-Identifier: Apache-2.0 */
/* Posts writes and receives. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "api/api_objects.h"
#include "api/error.h"

#define SEND_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)

static int to_host(const struct mrc_qp *qp, const struct ibv_send_wr *wr, struct host_send *out,
    struct host_piece *pieces)
{
    bool has_immediate = wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

    if (wr->opcode != IBV_WR_RDMA_WRITE && !has_immediate)
        return -EINVAL;
    if (wr->send_flags & ~(unsigned int)SEND_FLAGS || wr->num_sge < 0 ||
        (uint32_t)wr->num_sge > qp->piece_max || (wr->num_sge > 0 && !wr->sg_list))
        return -EINVAL;
    for (int i = 0; i < wr->num_sge; i++)
        pieces[i] = (struct host_piece){ .address = wr->sg_list[i].addr,
            .length_bytes = wr->sg_list[i].length,
            .lkey = wr->sg_list[i].lkey };
    *out = (struct host_send){ .id = wr->wr_id,
        .remote_va = wr->wr.rdma.remote_addr,
        .rkey = wr->wr.rdma.rkey,
        .immediate = has_immediate ? be32toh(wr->imm_data) : 0,
        .flags = (wr->send_flags & IBV_SEND_SIGNALED ? WORK_SIGNALED : 0u) |
                 (wr->send_flags & IBV_SEND_SOLICITED ? WORK_SOLICITED : 0u) |
                 (wr->send_flags & IBV_SEND_INLINE ? HOST_SEND_INLINE : 0u) |
                 (has_immediate ? WORK_WITH_IMMEDIATE : 0u),
        .piece_count = (uint32_t)wr->num_sge,
        .pieces = pieces };
    return 0;
}

static int post_one(struct mrc_qp *qp, const struct ibv_send_wr *wr)
{
    struct host_piece pieces[DEVICE_PIECE_MAX];
    struct host_send send;
    int err = to_host(qp, wr, &send, pieces);

    return err ? err : host_qp_post_send(qp->host, &send);
}

int mrc_post_send(struct mrc_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
    int err = 0;

    if (!qp || !wr || !bad_wr)
        return error_number(-EINVAL);
    spinlock_lock(&qp->lock);
    for (; wr; wr = wr->next) {
        err = post_one(qp, wr);
        if (err)
            break;
    }
    spinlock_unlock(&qp->lock);
    if (err)
        *bad_wr = wr;
    host_kick(qp->context->device->nic);
    return error_number(err);
}

/* A receive waits for an immediate; the writer determines where data goes. Buffers are allowed and
 * not touched. */
static int receive_one(struct mrc_qp *qp, const struct ibv_recv_wr *wr)
{
    if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->init.cap.max_recv_sge ||
        (wr->num_sge > 0 && !wr->sg_list))
        return -EINVAL;
    return host_qp_post_recv(qp->host, wr->wr_id);
}

int mrc_post_recv(struct mrc_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
    int err = 0;

    if (!qp || !wr || !bad_wr)
        return error_minus_one(-EINVAL);
    spinlock_lock(&qp->lock);
    for (; wr; wr = wr->next) {
        err = receive_one(qp, wr);
        if (err)
            break;
    }
    spinlock_unlock(&qp->lock);
    if (err)
        *bad_wr = wr;
    return error_minus_one(err);
}

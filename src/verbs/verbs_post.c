/* SPDX-License-Identifier: Apache-2.0 */
/* Posting: passes on the operations that MRC supports, and refuses the others with a warning. */
#include <errno.h>

#include "verbs/objects.h"
#include "verbs/refuse.h"

static int refuse_opcode(enum ibv_wr_opcode opcode)
{
    switch (opcode) {
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM:
        return refuse(REFUSE_SEND);
    case IBV_WR_RDMA_READ:
        return refuse(REFUSE_READ);
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
    case IBV_WR_ATOMIC_WRITE:
        return refuse(REFUSE_ATOMIC);
    case IBV_WR_LOCAL_INV:
    case IBV_WR_SEND_WITH_INV:
        return refuse(REFUSE_INVALIDATE);
    case IBV_WR_BIND_MW:
        return refuse(REFUSE_MEMORY_WINDOW);
    case IBV_WR_TSO:
        return refuse(REFUSE_TSO);
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_DRIVER1:
        break;
    }
    return EINVAL;
}

/* The peer waits for a message that MRC cannot send. A write that the peer must refuse (0 is never
 * a valid key) fails the QP at both ends and flushes its receives. */
static void end_connection(struct qp *qp, const struct ibv_send_wr *send)
{
    struct ibv_send_wr doomed = { .wr_id = send->wr_id,
        .sg_list = send->sg_list,
        .num_sge = send->num_sge,
        .opcode = IBV_WR_RDMA_WRITE,
        .send_flags = send->send_flags & IBV_SEND_INLINE };
    struct ibv_send_wr *bad;

    mrc_post_send(qp->mrc, &doomed, &bad);
}

int objects_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
    int number = mrc_post_send(objects_qp(qp)->mrc, wr, bad_wr);

    if (number != EINVAL || !wr || !bad_wr)
        return number;
    if ((*bad_wr)->opcode == IBV_WR_SEND || (*bad_wr)->opcode == IBV_WR_SEND_WITH_IMM)
        end_connection(objects_qp(qp), *bad_wr);
    return refuse_opcode((*bad_wr)->opcode);
}

int objects_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
    if (wr && wr->num_sge > 0 && wr->sg_list && wr->sg_list[0].length > 0)
        refuse_receive_buffer();
    return mrc_post_recv(objects_qp(qp)->mrc, wr, bad_wr) == 0 ? 0 : errno;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Posting: what MRC can send goes straight through, what it cannot is named. */
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

int objects_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
    int number = mrc_post_send(objects_qp(qp)->mrc, wr, bad_wr);

    return number == EINVAL && wr && bad_wr ? refuse_opcode((*bad_wr)->opcode) : number;
}

int objects_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
    if (wr && wr->num_sge > 0 && wr->sg_list && wr->sg_list[0].length > 0)
        refuse_receive_buffer();
    return mrc_post_recv(objects_qp(qp)->mrc, wr, bad_wr) == 0 ? 0 : errno;
}

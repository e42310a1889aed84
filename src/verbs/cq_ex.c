/* SPDX-License-Identifier: Apache-2.0 */
/* Extended completion queues: one completion at a time, read member by member. */
#include <errno.h>

#include "verbs/objects.h"

static int poll_one(struct cq *cq)
{
    int count = objects_poll_cq(objects_ibv_cq(cq), 1, &cq->current);

    if (count < 0)
        return errno;
    if (count == 0)
        return ENOENT;
    cq->ibv.status = cq->current.status;
    cq->ibv.wr_id = cq->current.wr_id;
    return 0;
}

/* Programs call end_poll only after a success. */
static int start_poll(struct ibv_cq_ex *ibv, struct ibv_poll_cq_attr *attr)
{
    struct cq *cq = objects_cq_ex(ibv);
    int number;

    if (attr->comp_mask)
        return EINVAL;
    pthread_mutex_lock(&ibv->mutex);
    number = poll_one(cq);
    if (number)
        pthread_mutex_unlock(&ibv->mutex);
    return number;
}

static int next_poll(struct ibv_cq_ex *ibv)
{
    return poll_one(objects_cq_ex(ibv));
}

static void end_poll(struct ibv_cq_ex *ibv)
{
    pthread_mutex_unlock(&ibv->mutex);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.wc_flags;
}

static uint32_t read_slid(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.slid;
}

static uint8_t read_sl(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ibv)
{
    return objects_cq_ex(ibv)->current.dlid_path_bits;
}

/* Sets the functions that the program requested. Programs test for NULL to find out which exist. */
void objects_fill_cq_ex(struct cq *cq, uint64_t wc_flags)
{
    struct ibv_cq_ex *ibv = &cq->ibv;

    ibv->start_poll = start_poll;
    ibv->next_poll = next_poll;
    ibv->end_poll = end_poll;
    ibv->read_opcode = read_opcode;
    ibv->read_vendor_err = read_vendor_err;
    ibv->read_wc_flags = read_wc_flags;
    ibv->read_byte_len = wc_flags & IBV_WC_EX_WITH_BYTE_LEN ? read_byte_len : NULL;
    ibv->read_imm_data = wc_flags & IBV_WC_EX_WITH_IMM ? read_imm_data : NULL;
    ibv->read_qp_num = wc_flags & IBV_WC_EX_WITH_QP_NUM ? read_qp_num : NULL;
    ibv->read_src_qp = wc_flags & IBV_WC_EX_WITH_SRC_QP ? read_src_qp : NULL;
    ibv->read_slid = wc_flags & IBV_WC_EX_WITH_SLID ? read_slid : NULL;
    ibv->read_sl = wc_flags & IBV_WC_EX_WITH_SL ? read_sl : NULL;
    ibv->read_dlid_path_bits =
        wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS ? read_dlid_path_bits : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Hints of a program about its traffic. They are stored and returned by queries; the transport does
 * not use them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_objects.h"
#include "api/error.h"

#define KNOWN                                                                                      \
    (MRC_QP_HINT_NUM_QPS_PER_PEER | MRC_QP_HINT_NUM_SEND_PEERS |                                   \
        MRC_QP_HINT_NUM_REMOTE_RECV_PEERS | (uint32_t)MRC_QP_HINT_VENDOR_CFG)

static bool is_valid(const struct mrc_qp_hint_attr *attr, uint32_t mask)
{
    return !(mask & MRC_QP_HINT_NUM_QPS_PER_PEER && attr->num_qps_per_peer < 0) &&
           !(mask & MRC_QP_HINT_NUM_SEND_PEERS && attr->num_send_peers < 0) &&
           !(mask & MRC_QP_HINT_NUM_REMOTE_RECV_PEERS && attr->num_remote_recv_peers < 0);
}

static void copy_attributes(
    struct mrc_qp_hint_attr *to, const struct mrc_qp_hint_attr *from, uint32_t mask)
{
    if (mask & MRC_QP_HINT_NUM_QPS_PER_PEER)
        to->num_qps_per_peer = from->num_qps_per_peer;
    if (mask & MRC_QP_HINT_NUM_SEND_PEERS)
        to->num_send_peers = from->num_send_peers;
    if (mask & MRC_QP_HINT_NUM_REMOTE_RECV_PEERS)
        to->num_remote_recv_peers = from->num_remote_recv_peers;
    if (mask & (uint32_t)MRC_QP_HINT_VENDOR_CFG)
        memcpy(to->vendor_cfg, from->vendor_cfg, sizeof(to->vendor_cfg));
}

struct mrc_qp_hint *mrc_create_qp_hint(
    struct mrc_context *mrc_ctx, struct mrc_qp_hint_init_attr *init_attr)
{
    struct mrc_qp_hint *hint;
    bool has_room;

    if (!mrc_ctx || !init_attr || !is_valid(&init_attr->attr, KNOWN))
        return error_null(-EINVAL);
    hint = calloc(1, sizeof(*hint));
    if (!hint)
        return error_null(-ENOMEM);
    hint->context = mrc_ctx;
    hint->attr = init_attr->attr;
    pthread_mutex_lock(&mrc_ctx->device->mutex);
    has_room = mrc_ctx->device->hint_count < DEVICE_HINT_MAX;
    mrc_ctx->device->hint_count += has_room;
    pthread_mutex_unlock(&mrc_ctx->device->mutex);
    if (!has_room) {
        free(hint);
        return error_null(-ENOMEM);
    }
    atomic_fetch_add(&mrc_ctx->child_count, 1);
    return hint;
}

int mrc_destroy_qp_hint(struct mrc_qp_hint *qp_hint)
{
    struct device *device;
    bool is_used;

    if (!qp_hint)
        return error_minus_one(-EINVAL);
    device = qp_hint->context->device;
    pthread_mutex_lock(&device->mutex);
    is_used = qp_hint->qp_count > 0;
    device->hint_count -= !is_used;
    pthread_mutex_unlock(&device->mutex);
    if (is_used)
        return error_minus_one(-EBUSY);
    atomic_fetch_sub(&qp_hint->context->child_count, 1);
    free(qp_hint);
    return 0;
}

int mrc_query_qp_hint(
    struct mrc_qp_hint *qp_hint, struct mrc_qp_hint_attr *qp_hint_attr, int qp_hint_attr_mask)
{
    uint32_t mask = (uint32_t)qp_hint_attr_mask;

    if (!qp_hint || !qp_hint_attr || mask == 0 || mask & ~KNOWN)
        return error_minus_one(-EINVAL);
    pthread_mutex_lock(&qp_hint->context->device->mutex);
    copy_attributes(qp_hint_attr, &qp_hint->attr, mask);
    pthread_mutex_unlock(&qp_hint->context->device->mutex);
    return 0;
}

int mrc_modify_qp_hint(
    struct mrc_qp_hint *qp_hint, struct mrc_qp_hint_attr *qp_hint_attr, int qp_hint_attr_mask)
{
    uint32_t mask = (uint32_t)qp_hint_attr_mask;

    if (!qp_hint || !qp_hint_attr || mask == 0 || mask & ~KNOWN || !is_valid(qp_hint_attr, mask))
        return error_minus_one(-EINVAL);
    pthread_mutex_lock(&qp_hint->context->device->mutex);
    copy_attributes(&qp_hint->attr, qp_hint_attr, mask);
    pthread_mutex_unlock(&qp_hint->context->device->mutex);
    return 0;
}

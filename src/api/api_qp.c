/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, modifies, queries and destroys queue pairs. */
#include "api/api_qp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/error.h"

#define SEND_OPS ((uint64_t)IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)

static int check_init(const struct mrc_context *context, const struct mrc_qp_init_attr *init)
{
    if (!init->send_cq || !init->recv_cq || init->send_cq->context->device != context->device ||
        init->recv_cq->context->device != context->device || !init->send_cq->host ||
        !init->recv_cq->host)
        return -EINVAL;
    if (!init->pd || init->pd->context != context->verbs)
        return -EINVAL;
    if (init->protocol_version != MRC_PROTOCOL_VERSION_0 &&
        init->protocol_version != MRC_PROTOCOL_VERSION_1)
        return -EINVAL;
    if (init->send_ops_flags & ~SEND_OPS)
        return -EINVAL;
    return init->cap.max_send_wr > DEVICE_WORK_MAX || init->cap.max_recv_wr > DEVICE_WORK_MAX ||
                   init->cap.max_send_sge > DEVICE_PIECE_MAX ||
                   init->cap.max_recv_sge > DEVICE_PIECE_MAX ||
                   init->cap.max_inline_data > DEVICE_INLINE_MAX
               ? -EINVAL
               : 0;
}

static uint32_t at_least_one(uint32_t value)
{
    return value ? value : 1;
}

static void start_attributes(struct mrc_qp *qp, const struct qp_attributes *host)
{
    qp->verbs = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET,
        .cur_qp_state = IBV_QPS_RESET,
        .path_mig_state = IBV_MIG_MIGRATED,
        .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
        .port_num = 1,
        .cap = qp->init.cap };
    qp->mrc = (struct mrc_qp_attr){ .mpr = { .mpr = host->mpr, .mpr_dest = host->mpr_dest },
        .wimm = { .max_wimm = host->max_wimm, .max_wimm_dest = host->max_wimm_dest },
        .timeout = host->timeout,
        .retry = { .linear_cnt = host->retry_linear, .exp_cnt = host->retry_exponential } };
}

static int open_host(struct mrc_qp *qp)
{
    const struct ibv_qp_cap *cap = &qp->init.cap;
    struct device *device = qp->context->device;
    struct host_qp_config config = { .send_cq = qp->init.send_cq->host,
        .recv_cq = qp->init.recv_cq->host,
        .user = qp,
        .domain = api_objects_pd(qp->init.pd)->domain,
        .send_depth = at_least_one(cap->max_send_wr),
        .recv_depth = cap->max_recv_wr,
        .pieces_max = at_least_one(cap->max_send_sge),
        .inline_bytes_max = cap->max_inline_data,
        .mpr_max = device_mpr_max(device),
        .write_imm_max = device_write_imm_max(device),
        .signal_all = qp->init.sq_sig_all != 0 };
    struct qp_attributes attributes;
    struct host_nic *nic;
    int err = device_claim(device, &nic);

    if (!err)
        err = host_qp_create(nic, &config, &qp->host);
    if (err)
        return err;
    host_qp_query(qp->host, &attributes);
    start_attributes(qp, &attributes);
    return 0;
}

struct mrc_qp *mrc_create_qp(struct mrc_context *mrc_ctx, struct mrc_qp_init_attr *mrc_qp_attr)
{
    struct mrc_qp *qp;
    int err;

    if (!mrc_ctx || !mrc_qp_attr)
        return error_null(-EINVAL);
    err = check_init(mrc_ctx, mrc_qp_attr);
    qp = err ? NULL : calloc(1, sizeof(*qp));
    if (!qp)
        return error_null(err ? err : -ENOMEM);
    qp->context = mrc_ctx;
    qp->init = *mrc_qp_attr;
    qp->init.cap.max_send_wr = at_least_one(qp->init.cap.max_send_wr);
    qp->init.cap.max_send_sge = at_least_one(qp->init.cap.max_send_sge);
    qp->piece_max = qp->init.cap.max_send_sge;
    spinlock_init(&qp->lock);
    err = open_host(qp);
    if (err) {
        free(qp);
        return error_null(err);
    }
    mrc_qp_attr->cap = qp->init.cap;
    atomic_fetch_add(&mrc_ctx->child_count, 1);
    atomic_fetch_add(&api_objects_pd(qp->init.pd)->user_count, 1);
    return qp;
}

static void set_hint(struct mrc_qp *qp, struct mrc_qp_hint *hint)
{
    if (qp->mrc.qp_hint)
        qp->mrc.qp_hint->qp_count--;
    if (hint)
        hint->qp_count++;
}

int mrc_destroy_qp(struct mrc_qp *qp)
{
    struct device *device;
    int err;

    if (!qp)
        return error_number(-EINVAL);
    device = qp->context->device;
    err = host_qp_destroy(qp->host);
    if (err)
        return error_number(err);
    pthread_mutex_lock(&device->mutex);
    device_hand_out_async(device);
    set_hint(qp, NULL);
    device_ev_profile_release(device, qp->ev_profile);
    device_cc_profile_release(device, qp->cc_profile);
    pthread_mutex_unlock(&device->mutex);
    async_queue_forget(&qp->context->async, qp);
    async_queue_wait_acknowledged(&qp->async_events);
    atomic_fetch_sub(&api_objects_pd(qp->init.pd)->user_count, 1);
    atomic_fetch_sub(&qp->context->child_count, 1);
    free(qp);
    return 0;
}

/* Updates the state that we keep: the QP may have failed since it was last set. */
static void catch_up(struct mrc_qp *qp, struct qp_attributes *attributes)
{
    if (host_qp_query(qp->host, attributes) == 0)
        qp->verbs.qp_state = api_qp_state_to_verbs(attributes->state);
    qp->verbs.cur_qp_state = qp->verbs.qp_state;
}

/* ---- modify ---------------------------------------------------------------------------------- */

struct profiles {
    struct device_ev_profile *ev;
    struct device_cc_profile *cc;
};

static int acquire_profiles(
    struct device *device, const struct mrc_qp_attr *mrc, struct profiles *out)
{
    int err = device_ev_profile_acquire(device, mrc->profile.ev_profile_id, &out->ev);

    if (err)
        return err;
    err = device_cc_profile_acquire(device, mrc->profile.cc_profile_id, &out->cc);
    if (err)
        device_ev_profile_release(device, out->ev);
    return err;
}

static void release_profiles(struct device *device, const struct profiles *profiles)
{
    device_ev_profile_release(device, profiles->ev);
    device_cc_profile_release(device, profiles->cc);
}

static int set_profiles(struct mrc_qp *qp, const struct profiles *profiles)
{
    if (profiles->ev == qp->ev_profile && profiles->cc == qp->cc_profile)
        return 0;
    return host_qp_set_profiles(qp->host, profiles->ev ? profiles->ev->host : NULL,
        profiles->cc ? profiles->cc->host : NULL);
}

/* Applies profiles first: only they can be restored if the rest is refused. */
static int apply_change(struct mrc_qp *qp, const struct qp_change *change)
{
    struct device *device = qp->context->device;
    struct profiles before = { .ev = qp->ev_profile, .cc = qp->cc_profile };
    struct profiles wanted;
    int err = acquire_profiles(device, &change->mrc, &wanted);

    if (err)
        return err;
    err = set_profiles(qp, &wanted);
    if (!err) {
        qp->ev_profile = wanted.ev;
        qp->cc_profile = wanted.cc;
        err = host_qp_modify(qp->host, &change->host, change->host_mask);
        if (err) {
            set_profiles(qp, &before);
            qp->ev_profile = before.ev;
            qp->cc_profile = before.cc;
        }
    }
    release_profiles(device, err ? &wanted : &before);
    return err;
}

/* Reports the timeout in use: the NIC may have raised it. Verbs count in units of 4.096 us, which
 * are four of ours; 0 means no timeout. */
static void tell_timeout(struct mrc_qp *qp)
{
    struct qp_attributes now;

    if (host_qp_query(qp->host, &now) != 0)
        return;
    qp->mrc.timeout = now.timeout;
    if (qp->verbs.timeout > 0 && qp->verbs.timeout + 2 < now.timeout)
        qp->verbs.timeout = (uint8_t)(now.timeout - 2);
}

static void finish_change(struct mrc_qp *qp, const struct qp_change *change)
{
    if (change->verbs_mask & IBV_QP_ACCESS_FLAGS)
        host_qp_allow_remote_write(
            qp->host, change->verbs.qp_access_flags & IBV_ACCESS_REMOTE_WRITE);
    if (change->mrc_mask & MRC_QP_HINT)
        set_hint(qp, change->mrc.qp_hint);
    qp->verbs = change->verbs;
    qp->verbs.cur_qp_state = qp->verbs.qp_state;
    qp->mrc = change->mrc;
    tell_timeout(qp);
}

int mrc_modify_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
    struct mrc_qp_attr *mrc_attr, int mrc_attr_mask)
{
    struct qp_attributes attributes;
    struct qp_change change;
    int err;

    if (!qp)
        return error_number(-EINVAL);
    pthread_mutex_lock(&qp->context->device->mutex);
    catch_up(qp, &attributes);
    err = api_qp_change_prepare(
        qp, vattr, (uint32_t)vattr_mask, mrc_attr, (uint32_t)mrc_attr_mask, &change);
    if (!err)
        err = apply_change(qp, &change);
    if (!err)
        finish_change(qp, &change);
    pthread_mutex_unlock(&qp->context->device->mutex);
    return error_number(err);
}

/* ---- query ----------------------------------------------------------------------------------- */

int mrc_query_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
    struct mrc_qp_attr *mrc_attr, int mrc_attr_mask, struct mrc_qp_init_attr *init_attr)
{
    struct qp_attributes attributes;

    if (!qp || (vattr_mask && !vattr) || (mrc_attr_mask && !mrc_attr))
        return error_number(-EINVAL);
    pthread_mutex_lock(&qp->context->device->mutex);
    catch_up(qp, &attributes);
    if (vattr)
        *vattr = qp->verbs;
    if (mrc_attr)
        *mrc_attr = qp->mrc;
    if (init_attr)
        *init_attr = qp->init;
    pthread_mutex_unlock(&qp->context->device->mutex);
    return 0;
}

int mrc_get_qpn(struct mrc_qp *qp, uint32_t *qpn)
{
    if (!qp || !qpn)
        return error_minus_one(-EINVAL);
    *qpn = host_qp_number(qp->host);
    return 0;
}

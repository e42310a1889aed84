/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which attributes a change of a QP may contain, and in which state. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_qp.h"

/* Attributes of verbs that MRC does not use. Programs written for RoCE set them. They are ignored
 * unless MRC_STRICT requires that they are refused, as in mrc.h. */
#define VERBS_IGNORED                                                                              \
    (IBV_QP_PORT | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MIN_RNR_TIMER |   \
        IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC)
#define VERBS_KNOWN                                                                                \
    (IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_AV |       \
        IBV_QP_PATH_MTU | IBV_QP_RQ_PSN | IBV_QP_SQ_PSN | IBV_QP_DEST_QPN)
#define VERBS_FOR_RTR (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define VERBS_FOR_RTS IBV_QP_SQ_PSN
#define MRC_KNOWN                                                                                  \
    (MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST | MRC_QP_MPR | MRC_QP_MPR_DEST | MRC_QP_TIMEOUT |      \
        MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID | MRC_QP_HINT | MRC_QP_RETRY_CNT |             \
        MRC_QP_CAP | (uint32_t)MRC_QP_VENDOR_CFG)
#define CAP_KNOWN                                                                                  \
    ((uint32_t)MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED | MRC_QP_CAP_DYNAMIC_MPR |                    \
        MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED)

#define TIMEOUT_MAX     24
#define LINEAR_MAX      7
#define EXPONENTIAL_MAX 25
#define QPN_MAX         0xffffff
#define PSN_MASK        0xffffff

enum ibv_qp_state api_qp_state_to_verbs(enum qp_state state)
{
    static const enum ibv_qp_state table[QP_STATE_COUNT] = {
        [QP_RESET] = IBV_QPS_RESET,
        [QP_INIT] = IBV_QPS_INIT,
        [QP_RTR] = IBV_QPS_RTR,
        [QP_RTS] = IBV_QPS_RTS,
        [QP_ERR] = IBV_QPS_ERR,
    };

    return table[state];
}

static bool state_from_verbs(enum ibv_qp_state state, enum qp_state *out)
{
    for (int i = 0; i < QP_STATE_COUNT; i++)
        if (api_qp_state_to_verbs((enum qp_state)i) == state) {
            *out = (enum qp_state)i;
            return true;
        }
    return false;
}

static bool is_strict(void)
{
    const char *text = getenv("MRC_STRICT");

    return text && text[0] && strcmp(text, "0") != 0;
}

/* RESET, INIT, RTR and RTS follow each other. A change to the same state sets attributes. RESET and
 * ERR can be entered from any state. */
static int check_state(
    const struct qp_change *change, enum ibv_qp_state verbs_state, enum ibv_qp_state wanted_verbs)
{
    enum qp_state from = QP_RESET;
    enum qp_state to;
    uint32_t mask = change->verbs_mask;

    if (!state_from_verbs(verbs_state, &from))
        return -EINVAL;
    if (!(mask & IBV_QP_STATE)) /* attributes only, from INIT on */
        return from == QP_RESET || from == QP_ERR ? -EINVAL : 0;
    if (!state_from_verbs(wanted_verbs, &to))
        return -EINVAL;
    if (to == QP_RESET || to == QP_ERR)
        return 0;
    if (to != from && to != from + 1)
        return -EINVAL;
    if (to == QP_RTR && from == QP_INIT && (mask & VERBS_FOR_RTR) != VERBS_FOR_RTR)
        return -EINVAL;
    if (to == QP_RTS && from == QP_RTR && (mask & VERBS_FOR_RTS) != VERBS_FOR_RTS)
        return -EINVAL;
    return 0;
}

static int take_address(const struct mrc_qp *qp, struct qp_change *change)
{
    const struct ibv_ah_attr *to = &change->verbs.ah_attr;
    uint32_t port_count = qp->context->device->store.port_count;

    if (!to->is_global || (to->grh.sgid_index != 0 && to->grh.sgid_index != 3))
        return -EINVAL;
    memcpy(change->host.peer_address.octets, to->grh.dgid.raw, 16);
    change->host.peer_ports = (uint32_t)((UINT64_C(1) << port_count) - 1);
    return 0;
}

/* The transport takes address and number of the peer as one attribute. */
static int take_peer(const struct mrc_qp *qp, struct qp_change *change)
{
    uint32_t peer = change->verbs_mask & (IBV_QP_AV | IBV_QP_DEST_QPN);

    if (!peer)
        return 0;
    if (peer != (IBV_QP_AV | IBV_QP_DEST_QPN) || change->verbs.dest_qp_num > QPN_MAX)
        return -EINVAL;
    change->host.peer_qpn = change->verbs.dest_qp_num;
    change->host_mask |= QP_ATTR_PEER;
    return take_address(qp, change);
}

static int take_mtu(const struct mrc_qp *qp, struct qp_change *change)
{
    uint32_t bytes;

    if (change->verbs.path_mtu < IBV_MTU_256 || change->verbs.path_mtu > IBV_MTU_4096)
        return -EINVAL;
    bytes = 128u << change->verbs.path_mtu;
    if (bytes > host_pmtu_max(qp->context->device->nic))
        return -EINVAL;
    change->host.pmtu_bytes = bytes;
    change->host_mask |= QP_ATTR_PMTU;
    return 0;
}

static int take_verbs(const struct mrc_qp *qp, struct qp_change *change)
{
    uint32_t mask = change->verbs_mask;
    int err = take_peer(qp, change);

    if (!err && mask & IBV_QP_PATH_MTU)
        err = take_mtu(qp, change);
    if (err)
        return err;
    if (mask & IBV_QP_PKEY_INDEX && change->verbs.pkey_index != 0)
        return -EINVAL;
    if (mask & IBV_QP_STATE) {
        state_from_verbs(change->verbs.qp_state, &change->host.state);
        change->host_mask |= QP_ATTR_STATE;
    }
    if (mask & IBV_QP_RQ_PSN) {
        change->host.rq_psn.value = change->verbs.rq_psn & PSN_MASK;
        change->host_mask |= QP_ATTR_RQ_PSN;
    }
    if (mask & IBV_QP_SQ_PSN) {
        change->host.sq_psn.value = change->verbs.sq_psn & PSN_MASK;
        change->host_mask |= QP_ATTR_SQ_PSN;
    }
    return 0;
}

/* For programs that set only the attributes of verbs. IB counts in units of 4.096 us, which are
 * four of ours; 0 means to wait forever. */
static void take_verbs_retry(struct qp_change *change)
{
    uint8_t timeout = change->verbs.timeout;

    if (change->verbs_mask & IBV_QP_RETRY_CNT && !(change->mrc_mask & MRC_QP_RETRY_CNT)) {
        change->mrc.retry.linear_cnt =
            change->verbs.retry_cnt < LINEAR_MAX ? change->verbs.retry_cnt : LINEAR_MAX;
        change->mrc_mask |= MRC_QP_RETRY_CNT;
    }
    if (change->verbs_mask & IBV_QP_TIMEOUT && !(change->mrc_mask & MRC_QP_TIMEOUT)) {
        if (timeout == 0) {
            change->mrc.retry.exp_cnt = EXPONENTIAL_MAX;
            change->mrc_mask |= MRC_QP_RETRY_CNT;
        } else {
            change->mrc.timeout = (uint8_t)(timeout + 2 < TIMEOUT_MAX ? timeout + 2 : TIMEOUT_MAX);
            change->mrc_mask |= MRC_QP_TIMEOUT;
        }
    }
}

static bool range_is_valid(uint32_t value, uint32_t most)
{
    return value >= 1 && value <= most;
}

static int check_mrc(const struct mrc_qp *qp, const struct qp_change *change)
{
    const struct device *device = qp->context->device;
    const struct mrc_qp_attr *mrc = &change->mrc;
    uint32_t mask = change->mrc_mask;

    if ((mask & MRC_QP_MPR && !range_is_valid(mrc->mpr.mpr, device_mpr_max(device))) ||
        (mask & MRC_QP_MPR_DEST && !range_is_valid(mrc->mpr.mpr_dest, device_mpr_max(device))) ||
        (mask & MRC_QP_MAX_WIMM &&
            !range_is_valid(mrc->wimm.max_wimm, device_write_imm_max(device))) ||
        (mask & MRC_QP_MAX_WIMM_DEST && mrc->wimm.max_wimm_dest > device_write_imm_max(device)))
        return -EINVAL;
    if ((mask & MRC_QP_TIMEOUT && mrc->timeout > TIMEOUT_MAX) ||
        (mask & MRC_QP_RETRY_CNT &&
            (mrc->retry.linear_cnt > LINEAR_MAX || mrc->retry.exp_cnt > EXPONENTIAL_MAX)) ||
        (mask & MRC_QP_CAP && mrc->cap & ~CAP_KNOWN))
        return -EINVAL;
    return mask & MRC_QP_HINT && mrc->qp_hint && mrc->qp_hint->context != qp->context ? -EINVAL : 0;
}

static void take_mrc(struct qp_change *change)
{
    static const struct {
        uint32_t mrc;
        uint32_t host;
    } bits[] = {
        { MRC_QP_MPR, QP_ATTR_MPR },
        { MRC_QP_MPR_DEST, QP_ATTR_MPR_DEST },
        { MRC_QP_MAX_WIMM, QP_ATTR_MAX_WIMM },
        { MRC_QP_MAX_WIMM_DEST, QP_ATTR_MAX_WIMM_DEST },
        { MRC_QP_TIMEOUT, QP_ATTR_TIMEOUT },
        { MRC_QP_RETRY_CNT, QP_ATTR_RETRY },
        { MRC_QP_CAP, QP_ATTR_CAPABILITIES },
    };
    const struct mrc_qp_attr *mrc = &change->mrc;

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if (change->mrc_mask & bits[i].mrc)
            change->host_mask |= bits[i].host;
    change->host.mpr = mrc->mpr.mpr;
    change->host.mpr_dest = mrc->mpr.mpr_dest;
    change->host.max_wimm = mrc->wimm.max_wimm;
    change->host.max_wimm_dest = mrc->wimm.max_wimm_dest;
    change->host.timeout = mrc->timeout;
    change->host.retry_linear = mrc->retry.linear_cnt;
    change->host.retry_exponential = mrc->retry.exp_cnt;
    change->host.dynamic_mpr = mrc->cap & MRC_QP_CAP_DYNAMIC_MPR;
    change->host.trim_nack = true;
    change->host.service_time = true;
    change->host.peer_trim_nack = !(mrc->cap & MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED);
    change->host.peer_service_time = !(mrc->cap & MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED);
}

static void merge_verbs(struct ibv_qp_attr *to, const struct ibv_qp_attr *from, uint32_t mask)
{
    if (mask & IBV_QP_STATE)
        to->qp_state = from->qp_state;
    if (mask & IBV_QP_ACCESS_FLAGS)
        to->qp_access_flags = from->qp_access_flags;
    if (mask & IBV_QP_PKEY_INDEX)
        to->pkey_index = from->pkey_index;
    if (mask & IBV_QP_PORT)
        to->port_num = from->port_num;
    if (mask & IBV_QP_AV)
        to->ah_attr = from->ah_attr;
    if (mask & IBV_QP_PATH_MTU)
        to->path_mtu = from->path_mtu;
    if (mask & IBV_QP_RQ_PSN)
        to->rq_psn = from->rq_psn & PSN_MASK;
    if (mask & IBV_QP_SQ_PSN)
        to->sq_psn = from->sq_psn & PSN_MASK;
    if (mask & IBV_QP_DEST_QPN)
        to->dest_qp_num = from->dest_qp_num;
    if (mask & IBV_QP_TIMEOUT)
        to->timeout = from->timeout;
    if (mask & IBV_QP_RETRY_CNT)
        to->retry_cnt = from->retry_cnt;
    if (mask & IBV_QP_RNR_RETRY)
        to->rnr_retry = from->rnr_retry;
    if (mask & IBV_QP_MIN_RNR_TIMER)
        to->min_rnr_timer = from->min_rnr_timer;
    if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
        to->max_rd_atomic = from->max_rd_atomic;
    if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
        to->max_dest_rd_atomic = from->max_dest_rd_atomic;
}

static void merge_mrc(struct mrc_qp_attr *to, const struct mrc_qp_attr *from, uint32_t mask)
{
    if (mask & MRC_QP_MPR)
        to->mpr.mpr = from->mpr.mpr;
    if (mask & MRC_QP_MPR_DEST)
        to->mpr.mpr_dest = from->mpr.mpr_dest;
    if (mask & MRC_QP_MAX_WIMM)
        to->wimm.max_wimm = from->wimm.max_wimm;
    if (mask & MRC_QP_MAX_WIMM_DEST)
        to->wimm.max_wimm_dest = from->wimm.max_wimm_dest;
    if (mask & MRC_QP_TIMEOUT)
        to->timeout = from->timeout;
    if (mask & MRC_QP_RETRY_CNT)
        to->retry = from->retry;
    if (mask & MRC_QP_EV_PROFILE_ID)
        to->profile.ev_profile_id = from->profile.ev_profile_id;
    if (mask & MRC_QP_CC_PROFILE_ID)
        to->profile.cc_profile_id = from->profile.cc_profile_id;
    if (mask & MRC_QP_HINT)
        to->qp_hint = from->qp_hint;
    if (mask & MRC_QP_CAP)
        to->cap = from->cap;
    if (mask & (uint32_t)MRC_QP_VENDOR_CFG)
        memcpy(to->vendor_cfg, from->vendor_cfg, sizeof(to->vendor_cfg));
}

int api_qp_change_prepare(const struct mrc_qp *qp, const struct ibv_qp_attr *verbs,
    uint32_t verbs_mask, const struct mrc_qp_attr *mrc, uint32_t mrc_mask, struct qp_change *change)
{
    enum ibv_qp_state state = qp->verbs.qp_state;
    int err;

    *change = (struct qp_change){
        .verbs_mask = verbs_mask, .mrc_mask = mrc_mask, .verbs = qp->verbs, .mrc = qp->mrc
    };
    if ((verbs_mask && !verbs) || (mrc_mask && !mrc) || !(verbs_mask | mrc_mask) ||
        verbs_mask & ~(uint32_t)(VERBS_KNOWN | VERBS_IGNORED) || mrc_mask & ~MRC_KNOWN ||
        (verbs_mask & VERBS_IGNORED && is_strict()))
        return -EINVAL;
    if (verbs_mask & IBV_QP_CUR_STATE && verbs->cur_qp_state != state)
        return -EINVAL;
    if (verbs)
        merge_verbs(&change->verbs, verbs, verbs_mask);
    if (mrc)
        merge_mrc(&change->mrc, mrc, mrc_mask);
    err = check_state(change, state, change->verbs.qp_state);
    if (!err)
        err = take_verbs(qp, change);
    if (err)
        return err;
    take_verbs_retry(change);
    take_mrc(change);
    return check_mrc(qp, change);
}

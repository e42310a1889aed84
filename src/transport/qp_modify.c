/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the attributes and the state of a QP (docs/protocol.md §2). */
#include <errno.h>

#include "transport/nic.h"
#include "transport/retry.h"

static bool transition_is_allowed(enum qp_state from, enum qp_state to)
{
    if (to == QP_RESET || to == QP_ERR)
        return true;
    return from == to || to == from + 1;
}

static bool attributes_are_valid(const struct qp *qp, const struct qp_attributes *wanted)
{
    uint32_t pmtu = wanted->pmtu_bytes;

    return pmtu >= 256 && pmtu <= 4096 && (pmtu & (pmtu - 1)) == 0 && wanted->mpr >= 1 &&
           wanted->mpr_dest >= 1 && wanted->timeout <= RETRY_TIMEOUT_MAX &&
           wanted->retry_linear <= 7 && wanted->retry_exponential <= RETRY_EXPONENTIAL_FOREVER &&
           (!qp->requester || wanted->max_wimm >= 1) &&
           wanted->max_wimm_dest <= qp->write_imm_max_dest;
}

static void merge_attributes(
    struct qp_attributes *into, const struct qp_attributes *from, uint32_t mask)
{
    if (mask & QP_ATTR_STATE)
        into->state = from->state;
    if (mask & QP_ATTR_PEER) {
        into->peer_address = from->peer_address;
        into->peer_qpn = from->peer_qpn;
        into->peer_ports = from->peer_ports;
    }
    if (mask & QP_ATTR_PMTU)
        into->pmtu_bytes = from->pmtu_bytes;
    if (mask & QP_ATTR_RQ_PSN)
        into->rq_psn = psn(from->rq_psn.value);
    if (mask & QP_ATTR_SQ_PSN)
        into->sq_psn = psn(from->sq_psn.value);
    if (mask & QP_ATTR_MPR)
        into->mpr = from->mpr;
    if (mask & QP_ATTR_MPR_DEST)
        into->mpr_dest = from->mpr_dest;
    if (mask & QP_ATTR_MAX_WIMM)
        into->max_wimm = from->max_wimm;
    if (mask & QP_ATTR_MAX_WIMM_DEST)
        into->max_wimm_dest = from->max_wimm_dest;
    if (mask & QP_ATTR_TIMEOUT)
        into->timeout = from->timeout;
    if (mask & QP_ATTR_RETRY) {
        into->retry_linear = from->retry_linear;
        into->retry_exponential = from->retry_exponential;
    }
    if (mask & QP_ATTR_CAPABILITIES) {
        into->dynamic_mpr = from->dynamic_mpr;
        into->peer_trim_nack = from->peer_trim_nack;
        into->trim_nack = from->trim_nack;
        into->peer_service_time = from->peer_service_time;
        into->service_time = from->service_time;
    }
}

/* Timers of software on a shared CPU cannot be as short as those of hardware (decision 26). */
static void raise_timeout(struct qp_attributes *attributes, const struct parameters *parameters)
{
    attributes->timeout =
        retry_raised_timeout((struct retry_schedule){ .timeout = attributes->timeout,
                                 .linear = attributes->retry_linear,
                                 .exponential = attributes->retry_exponential },
            (uint8_t)parameters->timeout_floor, parameters->give_up_floor);
}

/* Returns the attributes that must not change in a state: those of the responder from RTR on, when
 * packets may arrive, and those of the requester from RTS on, when packets may be sent. */
static uint32_t fixed_attributes(enum qp_state state)
{
    uint32_t fixed = 0;

    if (state >= QP_RTR)
        fixed |= QP_ATTR_PEER | QP_ATTR_PMTU | QP_ATTR_RQ_PSN;
    if (state >= QP_RTS)
        fixed |= QP_ATTR_SQ_PSN;
    return fixed;
}

static bool is_connected(enum qp_state state)
{
    return state == QP_RTR || state == QP_RTS;
}

/* Applies changes that take effect immediately: the range of the responder if dynamic MPR was
 * agreed (§4.1), window and timeout of the requester. */
static void apply_changes(struct transport *nic, struct qp *qp, uint32_t mask, uint64_t now_ns)
{
    if (mask & QP_ATTR_MPR_DEST && qp->responder && is_connected(qp->env.attributes.state)) {
        qp_close_range(nic, qp);
        qp_widen_range(nic, qp, now_ns);
    }
    if (mask & (QP_ATTR_MPR | QP_ATTR_TIMEOUT) && qp->requester &&
        qp->env.attributes.state == QP_RTS)
        requester_attributes_changed(qp->requester, &qp->env);
}

static void clear_queues(struct qp *qp)
{
    if (qp->requester)
        send_queue_start(&qp->requester->queue);
    if (qp->responder)
        recv_queue_clear(&qp->responder->queue);
    qp->async = 0;
}

/* Removes the packets in flight from the count of the peer. This needs the send queue and the state
 * before the change. */
static void leave_peer(struct transport *nic, struct qp *qp, enum qp_state from)
{
    enum qp_state to = qp->env.attributes.state;

    qp->env.attributes.state = from;
    peer_leave(nic, qp);
    qp->env.attributes.state = to;
}

static void enter_state(
    struct transport *nic, struct qp *qp, enum qp_state from, enum qp_state to, uint64_t now_ns)
{
    if (from == to)
        return;
    if (to != QP_ERR) /* qp_fail() traces the change to ERR, with the status */
        nic_trace(nic, EVENT_QP_STATE, qp->env.qpn, now_ns, from, to, 0);
    if (to == QP_RESET) {
        leave_peer(nic, qp, from);
        clear_queues(qp);
        control_queue_forget(&nic->control, qp->env.index);
    }
    if (!is_connected(to))
        qp_close_range(nic, qp);
    if (to == QP_RTR) {
        qp_connect(nic, qp);
        peer_join(nic, qp);
    }
    if (to == QP_RTR && qp->responder) {
        qp_close_range(nic, qp);
        responder_start(qp->responder, &qp->env, now_ns);
        qp_widen_range(nic, qp, now_ns);
    }
    if (to == QP_RTS && qp->requester) {
        requester_start(qp->requester, &qp->env);
        way_back_qps_changed(&qp->env.peer->way_back);
        qp_share_paths(nic, qp);
        if (qp->borrows)
            qp->requester = NULL;
    }
    if (to == QP_ERR) {
        qp->env.attributes.state = from;
        qp_fail(nic, qp, qp_oldest_request(qp), COMPLETION_FLUSHED, -1, now_ns);
    }
}

int transport_qp_modify(struct transport *nic, uint32_t qpn, const struct qp_attributes *attributes,
    uint32_t mask, uint64_t now_ns)
{
    struct qp *qp = nic_find(nic, qpn);
    struct qp_attributes wanted;
    enum qp_state from;

    if (!qp)
        return -ENOENT;
    from = qp->env.attributes.state;
    wanted = qp->env.attributes;
    wanted.timeout = qp->timeout_wanted;
    merge_attributes(&wanted, attributes, mask);
    if (wanted.state >= QP_STATE_COUNT || !transition_is_allowed(from, wanted.state) ||
        !attributes_are_valid(qp, &wanted) || mask & fixed_attributes(from) ||
        (qp->borrows && from == QP_RTS && wanted.state == QP_RESET))
        return -EINVAL;
    if (mask & (QP_ATTR_TIMEOUT | QP_ATTR_RETRY)) {
        qp->timeout_wanted = wanted.timeout;
        raise_timeout(&wanted, nic->env.parameters);
    } else {
        wanted.timeout = qp->env.attributes.timeout;
    }
    qp->env.attributes = wanted;
    apply_changes(nic, qp, mask, now_ns);
    enter_state(nic, qp, from, wanted.state, now_ns);
    qp_update(nic, qp, now_ns);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs: life, attributes, and the one place that knows both halves (docs/protocol.md §2,
 * §22). */
#include "transport/qp.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stddef.h>

#include "transport/nic.h"
#include "transport/retry.h"

enum {
    QPN_LEAST = 3, /* 0 and 1 are InfiniBand's, 2 is for Endpoint operations */
    QPN_COUNT = 1 << 24,
    WINDOW_LEAST = 128,
    WINDOW_MOST = 32768,
    SACK_THRESHOLD_MOST = 16384,
};

_Static_assert(sizeof(struct qp) + sizeof(struct requester) + sizeof(struct responder) +
                       PATH_SET_BYTES(256) + SEND_WINDOW_BYTES(1024) + RECV_WINDOW_BYTES(1024) <=
                   8192,
    "256 EVs and 1,024 PSNs both ways fit 8 KiB, without the work queues the application sizes");

uint32_t qp_planes(const struct transport *nic, const struct qp *qp)
{
    return nic->usable_mask & qp->attributes.peer_ports;
}

static void take_parts(struct arena *arena, const struct qp_init *init,
    struct requester **requester, struct responder **responder)
{
    *requester = init->window_psns_max
                     ? requester_init(arena, init->send_depth, init->window_psns_max)
                     : NULL;
    *responder = init->window_psns_max_dest
                     ? responder_init(arena, init->recv_depth, init->window_psns_max_dest,
                           init->write_imm_max_dest)
                     : NULL;
}

size_t transport_qp_bytes(const struct transport *nic, const struct qp_init *init)
{
    struct requester *requester;
    struct responder *responder;
    struct arena measure;

    arena_init(&measure, NULL, 0);
    arena_take(&measure, 1, sizeof(struct qp), alignof(struct qp));
    take_parts(&measure, init, &requester, &responder);
    if (init->window_psns_max)
        arena_take(&measure, 1,
            path_set_bytes(init->paths->entry_count, nic->path_config.skip_backoff),
            alignof(uint64_t));
    return measure.used_bytes;
}

/* Changes of EV state: to the counters, the trace and, as events, to a controller. */
static void on_ev_change(void *context, const struct path_change *change, uint64_t now_ns)
{
    struct qp *qp = context;
    struct transport *nic = qp->nic;

    if (change->to == EV_SKIP && change->from == EV_GOOD)
        nic_count(nic, COUNTER_EV_SKIPPED);
    if (change->to == EV_ASSUMED_BAD)
        nic_count(nic, COUNTER_EV_TURNED_BAD);
    if (change->from == EV_ASSUMED_BAD && change->to != EV_DENIED)
        nic_count(nic, COUNTER_EV_RECOVERED);
    if (change->to == EV_DENIED)
        nic_count(nic, COUNTER_EV_DENIED);
    nic_trace(nic, EVENT_EV, qp->qpn, now_ns, qp_ev(qp, change->ev_index),
        (uint64_t)change->from << 8 | (uint64_t)change->to, change->cause);
    if (change->to == EV_ASSUMED_BAD || change->to == EV_DENIED)
        path_reverse_avoid(&qp->reverse, qp->profile, change->ev_index, &nic->prng);
    if (change->to <= EV_SKIP && change->from <= EV_SKIP)
        return;
    if (qp->attributes.state == QP_RTS)
        requester_ev_probes_changed(nic, qp);
    if (nic->ev_event_tail - nic->ev_event_head == NIC_EV_EVENT_SLOTS) {
        nic_count(nic, COUNTER_EV_EVENTS_LOST);
        return;
    }
    nic->ev_events[nic->ev_event_tail++ % NIC_EV_EVENT_SLOTS] =
        (struct transport_event){ .kind = TRANSPORT_EV_CHANGED, .qpn = qp->qpn, .change = *change };
}

static bool window_is_valid(uint32_t psns)
{
    return psns == 0 || (psns >= WINDOW_LEAST && psns <= WINDOW_MOST && (psns & (psns - 1)) == 0);
}

static bool init_is_valid(const struct qp_init *init)
{
    if (!window_is_valid(init->window_psns_max) || !window_is_valid(init->window_psns_max_dest))
        return false;
    if (init->window_psns_max && init->send_depth == 0)
        return false;
    return init->paths && init->paths->entry_count > 0 &&
           init->paths->entry_count <= PATH_EV_COUNT_MAX && init->cc;
}

static struct qp_attributes default_attributes(
    const struct transport *nic, const struct qp_init *init)
{
    const struct parameters *parameters = &nic->config.parameters;

    return (struct qp_attributes){ .state = QP_RESET,
        .pmtu_bytes = (uint32_t)parameters->pmtu,
        .peer_ports = (UINT32_C(1) << init->paths->plane_count) - 1,
        .mpr = (uint8_t)parameters->mpr,
        .mpr_dest = (uint8_t)parameters->mpr,
        .max_wimm = (uint16_t)parameters->max_wimm,
        .max_wimm_dest =
            (uint16_t)(parameters->max_wimm < init->write_imm_max_dest ? parameters->max_wimm
                                                                       : init->write_imm_max_dest),
        .timeout = (uint8_t)parameters->timeout,
        .retry_linear = (uint8_t)parameters->retry_linear,
        .retry_exponential = (uint8_t)parameters->retry_exponential,
        .peer_trim_nack = true,
        .trim_nack = true };
}

static uint32_t sack_threshold_bytes(const struct transport *nic, const struct qp *qp)
{
    uint64_t configured_bytes = nic->config.parameters.sack_gen_threshold;
    uint32_t four_packets = 4 * qp->attributes.pmtu_bytes;

    if (configured_bytes)
        return (uint32_t)configured_bytes;
    return four_packets < SACK_THRESHOLD_MOST ? four_packets : SACK_THRESHOLD_MOST;
}

/* Whatever an earlier connection taught about paths and congestion is forgotten. */
static void connect(struct transport *nic, struct qp *qp)
{
    struct arena arena;

    qp->sack_threshold_bytes = sack_threshold_bytes(nic, qp);
    qp->port_update_known = false;
    qp->port_update_owed = false;
    cc_init(&qp->cc, qp->cc.profile);
    path_reverse_init(&qp->reverse, qp->profile);
    if (!qp->requester)
        return;
    arena_init(
        &arena, qp->paths, path_set_bytes(qp->profile->entry_count, nic->path_config.skip_backoff));
    path_set_init(&arena, qp->profile, &nic->path_config,
        (struct path_listener){ .on_change = on_ev_change, .context = qp },
        prng_stream(nic->config.seed, UINT64_C(1) << 32 | qp->qpn));
}

int transport_qp_create(
    struct transport *nic, uint32_t qpn, const struct qp_init *init, void *memory)
{
    struct arena arena;
    struct qp *qp;

    if (qpn < QPN_LEAST || qpn >= QPN_COUNT || !init_is_valid(init) || !memory)
        return -EINVAL;
    if (nic_find(nic, qpn))
        return -EEXIST;
    if (nic->qp_count == nic->config.qp_count_max)
        return -ENOMEM;
    arena_init(&arena, memory, transport_qp_bytes(nic, init));
    qp = arena_take(&arena, 1, sizeof(*qp), alignof(struct qp));
    qp->nic = nic;
    qp->qpn = qpn;
    qp->profile = init->paths;
    qp->signal_all = init->signal_all;
    qp->write_imm_max_dest = init->write_imm_max_dest;
    qp->attributes = default_attributes(nic, init);
    take_parts(&arena, init, &qp->requester, &qp->responder);
    qp->cc.profile = init->cc;
    if (qp->requester)
        qp->paths = arena_take(&arena, 1,
            path_set_bytes(init->paths->entry_count, nic->path_config.skip_backoff),
            alignof(uint64_t));
    connect(nic, qp);
    nic_add(nic, qp);
    return 0;
}

int transport_qp_destroy(struct transport *nic, uint32_t qpn)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp)
        return -ENOENT;
    nic_remove(nic, qp);
    return 0;
}

int transport_qp_query(const struct transport *nic, uint32_t qpn, struct qp_attributes *attributes)
{
    const struct qp *qp = nic_find(nic, qpn);

    if (!qp)
        return -ENOENT;
    *attributes = qp->attributes;
    return 0;
}

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

static void merge(struct qp_attributes *into, const struct qp_attributes *from, uint32_t mask)
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

/* What only makes sense before traffic flows. */
static bool touches_connection(uint32_t mask)
{
    return mask & (QP_ATTR_PEER | QP_ATTR_PMTU | QP_ATTR_RQ_PSN | QP_ATTR_SQ_PSN);
}

/* A responder may change its range while it runs, if dynamic MPR was agreed (§4.1). */
static void apply_range(struct qp *qp)
{
    uint32_t range_psns = (uint32_t)qp->attributes.mpr_dest * 128;

    if (qp->responder)
        qp->responder->range_psns = range_psns < qp->responder->window.psn_count
                                        ? range_psns
                                        : qp->responder->window.psn_count;
}

static void clear_queues(struct qp *qp)
{
    if (qp->requester)
        send_queue_start(&qp->requester->queue);
    if (qp->responder)
        recv_queue_clear(&qp->responder->queue);
    qp->async = 0;
}

static void enter(
    struct transport *nic, struct qp *qp, enum qp_state from, enum qp_state to, uint64_t now_ns)
{
    if (from == to)
        return;
    if (to != QP_ERR) /* qp_fail() says more */
        nic_trace(nic, EVENT_QP_STATE, qp->qpn, now_ns, from, to, 0);
    if (to == QP_RESET) {
        clear_queues(qp);
        control_queue_forget(&nic->control, qp->index);
    }
    if (to == QP_RTR)
        connect(nic, qp);
    if (to == QP_RTR && qp->responder)
        responder_start(nic, qp);
    if (to == QP_RTS && qp->requester)
        requester_start(nic, qp);
    if (to == QP_ERR) {
        qp->attributes.state = from;
        qp_fail(
            nic, qp, qp->requester ? qp->requester->queue.done : 0, COMPLETION_FLUSHED, -1, now_ns);
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
    from = qp->attributes.state;
    wanted = qp->attributes;
    merge(&wanted, attributes, mask);
    if (wanted.state >= QP_STATE_COUNT || !transition_is_allowed(from, wanted.state) ||
        !attributes_are_valid(qp, &wanted) || (from >= QP_RTS && touches_connection(mask)))
        return -EINVAL;
    qp->attributes = wanted;
    if (mask & QP_ATTR_MPR_DEST)
        apply_range(qp);
    enter(nic, qp, from, wanted.state, now_ns);
    qp_update(nic, qp, now_ns);
    return 0;
}

void qp_fail(struct transport *nic, struct qp *qp, uint32_t failed, enum completion_status status,
    int async, uint64_t now_ns)
{
    if (qp->attributes.state == QP_ERR)
        return;
    nic_trace(nic, EVENT_QP_STATE, qp->qpn, now_ns, qp->attributes.state, QP_ERR, status);
    nic_count(nic, COUNTER_QP_ERRORS);
    qp->attributes.state = QP_ERR;
    qp->failed = failed;
    qp->failure = (uint8_t)status;
    if (async >= 0)
        qp->async = (uint8_t)(async + 1);
    qp_has_event(nic, qp);
    qp_update(nic, qp, now_ns);
}

void qp_answer(struct transport *nic, struct qp *qp, struct control_record answer)
{
    answer.qp_index = qp->index;
    if (!control_queue_push(&nic->control, &answer))
        nic_count(nic, COUNTER_CONTROL_OVERFLOW);
}

/* The first error goes to the request that caused it, everything else is flushed, in order (§22).
 */
static void fill_send_event(const struct qp *qp, uint32_t position, struct transport_event *out)
{
    const struct send_request *request = send_queue_at(&qp->requester->queue, position);
    bool is_done = (int32_t)(qp->requester->queue.done - position) > 0;

    *out = (struct transport_event){ .kind = TRANSPORT_SEND_DONE,
        .qpn = qp->qpn,
        .id = request->work.id,
        .length_bytes = request->work.length_bytes,
        .status = is_done                  ? COMPLETION_SUCCESS
                  : position == qp->failed ? (enum completion_status)qp->failure
                                           : COMPLETION_FLUSHED };
}

static bool next_send_event(struct qp *qp, struct transport_event *out)
{
    struct send_queue *queue = &qp->requester->queue;
    uint32_t end = qp->attributes.state == QP_ERR ? queue->posted : queue->done;

    while (queue->reported != end) {
        uint32_t position = queue->reported++;

        fill_send_event(qp, position, out);
        if (out->status != COMPLETION_SUCCESS || qp->signal_all ||
            send_queue_at(queue, position)->work.flags & WORK_SIGNALED)
            return true;
    }
    return false;
}

static bool next_recv_event(struct qp *qp, struct transport_event *out)
{
    struct recv_queue *queue = &qp->responder->queue;
    uint32_t end = qp->attributes.state == QP_ERR ? queue->posted : queue->done;
    const struct recv_request *request;

    if (queue->reported == end)
        return false;
    request = recv_queue_at(queue, queue->reported);
    *out = (struct transport_event){ .kind = TRANSPORT_RECV_DONE,
        .qpn = qp->qpn,
        .id = request->id,
        .immediate = request->immediate,
        .length_bytes = request->length_bytes,
        .solicited = request->solicited,
        .status = (int32_t)(queue->done - queue->reported) > 0 ? COMPLETION_SUCCESS
                                                               : COMPLETION_FLUSHED };
    queue->reported++;
    return true;
}

bool qp_next_event(struct qp *qp, struct transport_event *out)
{
    if (qp->requester && next_send_event(qp, out))
        return true;
    if (qp->responder && next_recv_event(qp, out))
        return true;
    if (qp->async) {
        *out = (struct transport_event){ .kind = (enum transport_event_kind)(qp->async - 1),
            .qpn = qp->qpn };
        qp->async = 0;
        return true;
    }
    return false;
}

int transport_qp_status(const struct transport *nic, uint32_t qpn, struct qp_status *status)
{
    const struct qp *qp = nic_find(nic, qpn);

    if (!qp)
        return -ENOENT;
    *status = (struct qp_status){ .state = qp->attributes.state,
        .window_bytes = qp->cc.window_bytes,
        .base_rtt_ns = qp->cc.base_rtt_ns,
        .plane_mask = qp_planes(nic, qp),
        .control_plane_mask = qp_planes(nic, qp) & ~(uint32_t)qp->reverse.out_mask };
    if (qp->requester) {
        status->next_psn = qp->requester->window.next;
        status->unacked_psn = qp->requester->window.oldest;
        status->inflight_bytes = qp->requester->window.inflight_bytes;
        status->smoothed_rtt_ns = qp->requester->smoothed_rtt_ns;
        status->reorder_window_ns = qp->requester->reorder_ns;
        status->mpr_psns = qp->requester->mpr_psns;
        status->timeouts = qp->requester->timeouts;
        status->plane_mask = path_usable_planes(qp->paths, status->plane_mask);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs: their memory, creation, destruction and status (docs/protocol.md §2). */
#include "transport/qp.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>

#include "transport/nic.h"
#include "transport/retry.h"

enum {
    QPN_LEAST = 3, /* 0 and 1 belong to InfiniBand, 2 to Endpoint operations */
    QPN_COUNT = 1 << 24,
    MPR_WINDOWS = 4,
    MPR_UNIT_PSNS = 128,
    MPR_LEAST = 8,
    WINDOW_LEAST = 128,
    WINDOW_MOST = 32768,
    SACK_THRESHOLD = 16384,
    TURN_PACKETS_LEAST = 4,
    TURN_PACKETS_MOST = 32, /* a SACK shows 64 PSNs, and some packets are late */
    QUEUE_DEPTH_MOST = 1 << 20,
    WRITE_IMM_MOST = 1 << 15, /* half of the range of rqmsn */
};

_Static_assert(sizeof(struct qp) + sizeof(struct requester) + sizeof(struct responder) +
                       PATH_SET_BYTES(8, 256) + SEND_WINDOW_BYTES(1024) + RECV_WINDOW_BYTES(1024) <=
                   8192,
    "256 EVs of 8 planes and 1,024 PSNs both ways fit 8 KiB, without the work queues the "
    "application sizes");

/* QP, requester and responder are adjacent, so that a packet touches few cache lines. Their windows
 * and queues follow. Returns NULL when measuring. */
static struct qp *take_parts(struct arena *arena, const struct qp_init *init)
{
    struct arena lent;
    struct qp *qp = arena_take(arena, 1, sizeof(*qp), alignof(struct qp));
    struct responder *responder = NULL;
    struct requester *requester = NULL;

    if (init->window_psns_max_dest)
        responder = arena_take(arena, 1, sizeof(*responder), alignof(struct responder));
    if (init->window_psns_max)
        requester = arena_take(arena, 1, sizeof(*requester), alignof(struct requester));
    if (init->window_psns_max_dest)
        responder_init(responder, arena, init->recv_depth, init->window_psns_max_dest,
            init->write_imm_max_dest);
    arena_init(&lent, NULL, 0);
    if (init->window_psns_max)
        requester_init(
            requester, init->borrows ? &lent : arena, init->send_depth, init->window_psns_max);
    if (qp) {
        qp->responder = responder;
        qp->requester = requester;
    }
    return qp;
}

size_t transport_qp_bytes(const struct qp_init *init)
{
    struct arena measure;

    arena_init(&measure, NULL, 0);
    take_parts(&measure, init);
    if (init->window_psns_max && !init->borrows)
        arena_take(&measure, 1, transport_paths_bytes(init->paths), alignof(uint64_t));
    return measure.used_bytes;
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
    if (init->send_depth > QUEUE_DEPTH_MOST || init->recv_depth > QUEUE_DEPTH_MOST ||
        init->write_imm_max_dest > WRITE_IMM_MOST)
        return false;
    return init->paths && init->paths->entry_count > 0 &&
           init->paths->entry_count <= PATH_EV_COUNT_MAX && init->cc;
}

/* While a lost packet is detected and repaired, PSNs in flight span several congestion windows. */
uint8_t transport_mpr(const struct parameters *parameters, const struct cc_profile *cc)
{
    uint64_t window_bytes = cc->settings.max_window_bytes;
    uint64_t units = MPR_WINDOWS * window_bytes / (parameters->pmtu * MPR_UNIT_PSNS) + 1;

    if (parameters->mpr)
        return (uint8_t)parameters->mpr;
    if (units < MPR_LEAST)
        return MPR_LEAST;
    return (uint8_t)(units < UINT8_MAX ? units : UINT8_MAX);
}

static struct qp_attributes default_attributes(
    const struct transport *nic, const struct qp_init *init)
{
    const struct parameters *parameters = nic->env.parameters;

    return (struct qp_attributes){ .state = QP_RESET,
        .pmtu_bytes = (uint32_t)parameters->pmtu,
        .peer_ports = (UINT32_C(1) << init->paths->plane_count) - 1,
        .mpr = transport_mpr(parameters, init->cc),
        .mpr_dest = transport_mpr(parameters, init->cc),
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

static uint32_t sack_threshold_bytes(const struct env *env)
{
    uint64_t configured_bytes = env->nic->parameters->sack_gen_threshold;

    return configured_bytes ? (uint32_t)configured_bytes : SACK_THRESHOLD;
}

/* As many packets as two SACKs answer, but enough to avoid a SACK for every packet or two. Each
 * turn fetches the state of the QP from memory if there are many QPs. */
static uint8_t turn_packets(const struct env *env)
{
    uint32_t packets = 2 * (env->sack_threshold_bytes / env->attributes.pmtu_bytes);

    if (packets < TURN_PACKETS_LEAST)
        return TURN_PACKETS_LEAST;
    return packets < TURN_PACKETS_MOST ? (uint8_t)packets : TURN_PACKETS_MOST;
}

void qp_connect(struct transport *nic, struct qp *qp)
{
    qp->env.sack_threshold_bytes = sack_threshold_bytes(&qp->env);
    qp->env.turn_packets = turn_packets(&qp->env);
    if (qp->own_paths)
        qp_start_paths(nic, qp);
}

static struct path_set *new_paths(const struct transport *nic, struct qp *qp, void *memory)
{
    struct arena arena;

    arena_init(&arena, memory, transport_paths_bytes(qp->env.profile));
    return path_set_init(&arena, qp->env.profile, &nic->path_config, qp,
        prng_stream(nic->seed, UINT64_C(1) << 32 | qp->env.qpn));
}

void qp_start_paths(struct transport *nic, struct qp *qp)
{
    qp->env.paths = new_paths(nic, qp, qp->own_paths);
}

const struct path_set *transport_qp_new_paths(
    const struct transport *nic, uint32_t qpn, void *memory)
{
    return new_paths(nic, nic_find(nic, qpn), memory);
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
    if (nic->qp_count == nic->qp_count_max)
        return -ENOMEM;
    arena_init(&arena, memory, transport_qp_bytes(init));
    qp = take_parts(&arena, init);
    qp->nic = nic;
    qp->env.nic = &nic->env;
    qp->env.qpn = qpn;
    qp->env.owner = init->owner;
    qp->env.profile = init->paths;
    qp->env.signal_all = init->signal_all;
    qp->write_imm_max_dest = (uint16_t)init->write_imm_max_dest;
    qp->env.attributes = default_attributes(nic, init);
    qp->timeout_wanted = qp->env.attributes.timeout;
    qp->cc_profile = init->cc;
    qp->borrows = init->borrows;
    if (qp->requester && !init->borrows)
        qp->own_paths =
            arena_take(&arena, 1, transport_paths_bytes(init->paths), alignof(uint64_t));
    qp_connect(nic, qp);
    nic_add(nic, qp);
    return 0;
}

int transport_qp_destroy(struct transport *nic, uint32_t qpn)
{
    struct qp *qp = nic_find(nic, qpn);

    if (!qp)
        return -ENOENT;
    qp_close_range(nic, qp);
    peer_leave(nic, qp);
    nic_remove(nic, qp);
    return 0;
}

int transport_qp_query(const struct transport *nic, uint32_t qpn, struct qp_attributes *attributes)
{
    const struct qp *qp = nic_find(nic, qpn);

    if (!qp)
        return -ENOENT;
    *attributes = qp->env.attributes;
    if (qp->env.peer)
        attributes->peer_ports = qp->env.peer->ports;
    return 0;
}

int transport_qp_status(const struct transport *nic, uint32_t qpn, struct qp_status *status)
{
    const struct qp *qp = nic_find(nic, qpn);

    if (!qp)
        return -ENOENT;
    *status = (struct qp_status){ .state = qp->env.attributes.state,
        .window_bytes = qp->env.peer ? qp->env.peer->cc.window_bytes : 0,
        .base_rtt_ns = qp->env.peer ? qp->env.peer->cc.base_rtt_ns : 0,
        .plane_mask = qp->env.peer ? env_planes(&qp->env) : 0,
        .control_plane_mask =
            qp->env.peer ? env_planes(&qp->env) & ~(uint32_t)qp->env.peer->way_back.reverse.out_mask
                         : 0 };
    if (qp->requester && qp->env.peer) {
        status->next_psn = qp->requester->window.next;
        status->unacked_psn = qp->requester->window.oldest;
        status->inflight_bytes = qp->requester->window.inflight_bytes;
        status->smoothed_rtt_ns = qp->requester->smoothed_rtt_ns;
        status->reorder_window_ns = qp->requester->reorder_ns;
        status->mpr_psns = qp->requester->mpr_psns;
        status->timeouts = qp->requester->timeouts;
        status->plane_mask = path_usable_planes(qp->env.paths, status->plane_mask);
    }
    return 0;
}

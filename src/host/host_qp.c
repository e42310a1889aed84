/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs: creation, attributes, posting. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/power.h"
#include "host/engine.h"
#include "host/engine_choice.h"
#include "host/ev_profile.h"
#include "host/queue.h"

enum {
    QPN_FIRST = 16,
    QPN_BITS = 24,
    DEPTH_MAX = 1 << 16,
    PSNS_PER_MPR = 128,
    WINDOW_MAX = 32768,
};

static uint32_t window_psns(uint32_t mpr)
{
    uint32_t psns = power_of_two_at_least(mpr * PSNS_PER_MPR);

    return psns < WINDOW_MAX ? psns : WINDOW_MAX;
}

static struct qp_init transport_init_of(struct host_qp *qp)
{
    const struct host_qp_config *config = &qp->config;

    return (struct qp_init){ .send_depth = config->send_depth,
        .recv_depth = config->recv_depth,
        .window_psns_max = window_psns(config->mpr_max),
        .window_psns_max_dest = window_psns(config->mpr_max),
        .write_imm_max_dest = config->write_imm_max,
        .paths = &config->ev_profile->profile,
        .cc = &config->cc_profile->profile,
        .owner = qp,
        .signal_all = config->signal_all };
}

static int create_transport_qp(struct host_qp *qp)
{
    struct qp_init init = transport_init_of(qp);
    size_t bytes = transport_qp_bytes(&init);
    void *memory = qp_memory_take(&qp->nic->qp_memory, bytes);
    struct status_ev_change *changes = calloc(init.paths->entry_count, sizeof(*changes));
    int err = -ENOMEM;

    if (!memory || !changes)
        goto free_both;
    err = transport_qp_create(qp->engine->transport, qp->qpn, &init, memory);
    if (err)
        goto free_both;
    qp->memory = memory;
    qp->ev_changes = changes;
    return 0;

free_both:
    qp_memory_return(&qp->nic->qp_memory, memory);
    free(changes);
    return err;
}

static int alloc_rings(struct host_qp *qp)
{
    const struct host_qp_config *config = &qp->config;
    uint32_t send_slots = power_of_two_at_least(config->send_depth);
    uint32_t recv_slots = power_of_two_at_least(config->recv_depth);

    qp->send.depth = config->send_depth;
    qp->send.mask = send_slots - 1;
    qp->recv.depth = config->recv_depth;
    qp->recv.mask = recv_slots - 1;
    qp->send.slots = calloc(send_slots, sizeof(*qp->send.slots));
    qp->send.pieces = calloc((size_t)send_slots * config->pieces_max, sizeof(*qp->send.pieces));
    qp->send.inline_bytes = calloc(send_slots, (size_t)config->inline_bytes_max + 1);
    qp->recv.ids = calloc(recv_slots, sizeof(*qp->recv.ids));
    return qp->send.slots && qp->send.pieces && qp->send.inline_bytes && qp->recv.ids ? 0 : -ENOMEM;
}

static void free_qp(struct host_qp *qp)
{
    free(qp->send.slots);
    free(qp->send.pieces);
    free(qp->send.inline_bytes);
    free(qp->recv.ids);
    free(qp->paths_memory);
    free(qp->ev_changes);
    free(qp);
}

static void fill_in_defaults(struct host_nic *nic, struct host_qp_config *config)
{
    const struct parameters *parameters = &nic->config.parameters;

    config->pieces_max = config->pieces_max ? config->pieces_max : 1;
    config->write_imm_max =
        config->write_imm_max ? config->write_imm_max : (uint32_t)parameters->max_wimm;
    if (!config->ev_profile)
        config->ev_profile = nic->default_ev;
    if (!config->cc_profile)
        config->cc_profile = nic->default_cc;
    if (!config->mpr_max)
        config->mpr_max = transport_mpr(parameters, &config->cc_profile->profile);
}

static void count_users(struct host_qp *qp, uint32_t one)
{
    qp->config.send_cq->user_count += one;
    qp->config.recv_cq->user_count += one;
    qp->config.ev_profile->user_count += one;
    qp->config.cc_profile->user_count += one;
}

/* The low bits are the index of the engine, so that the receiver of a frame needs no look-up. */
static uint32_t free_number(const struct engine *engine)
{
    uint32_t mask = engine->nic->engine_count - 1;
    uint32_t qpn;

    do
        qpn = (host_random() >> (32 - QPN_BITS) & ~mask) | engine->index;
    while (qpn < QPN_FIRST || transport_qp_owner(engine->transport, qpn));
    return qpn;
}

static struct engine *choose_engine(struct host_nic *nic)
{
    uint32_t qp_counts[HOST_ENGINE_COUNT_MAX];

    for (uint32_t i = 0; i < nic->engine_count; i++)
        qp_counts[i] = nic->engines[i]->qps.count;
    nic->last_engine = engine_choice_next(qp_counts, nic->engine_count, nic->last_engine);
    return nic->engines[nic->last_engine];
}

/* MPR is one byte on the wire, so it may be smaller than the window. A derived MPR follows the rate
 * of this NIC. Its peer may be faster, so the responder takes as much as it has room for. */
static void limit_mpr(struct host_nic *nic, const struct host_qp *qp)
{
    uint8_t most = (uint8_t)qp->config.mpr_max;
    uint8_t mpr = transport_mpr(&nic->config.parameters, &qp->config.cc_profile->profile);
    bool is_set = nic->config.parameters.mpr != 0;

    mpr = mpr < most ? mpr : most;
    transport_qp_modify(qp->engine->transport, qp->qpn,
        &(struct qp_attributes){
            .mpr = mpr, .mpr_dest = is_set ? mpr : most, .pmtu_bytes = nic->pmtu_max },
        QP_ATTR_MPR | QP_ATTR_MPR_DEST | QP_ATTR_PMTU, host_now_ns());
}

static int insert_qp(struct host_nic *nic, struct host_qp *qp)
{
    int err = engine_own_all(nic);

    if (err)
        return err;
    if (nic->qp_count == nic->config.qp_count_max) {
        err = -ENOMEM;
        goto release;
    }
    qp->engine = choose_engine(nic);
    qp->qpn = free_number(qp->engine);
    err = create_transport_qp(qp);
    if (err)
        goto release;
    limit_mpr(nic, qp);
    qp_table_add(&qp->engine->qps, qp);
    nic->qp_count++;
    count_users(qp, 1);
release:
    engine_release_all(nic);
    return err;
}

int host_qp_create(struct host_nic *nic, const struct host_qp_config *config, struct host_qp **out)
{
    struct host_qp *qp;
    int err;

    if (!config->send_cq || !config->recv_cq || config->send_depth == 0 ||
        config->send_depth > DEPTH_MAX || config->recv_depth > DEPTH_MAX ||
        config->pieces_max > ENGINE_PIECES_MAX || config->mpr_max > UINT8_MAX)
        return -EINVAL;
    qp = aligned_alloc(64, (sizeof(*qp) + 63) / 64 * 64);
    if (!qp)
        return -ENOMEM;
    memset(qp, 0, sizeof(*qp));
    qp->nic = nic;
    qp->config = *config;
    qp->remote_write = true;
    fill_in_defaults(nic, &qp->config);
    err = alloc_rings(qp);
    if (!err)
        err = insert_qp(nic, qp);
    if (err)
        free_qp(qp);
    else
        *out = qp;
    return err;
}

int host_qp_destroy(struct host_qp *qp)
{
    struct host_nic *nic = qp->nic;

    if (engine_own_all(nic) == 0) {
        engine_answer(qp->engine, host_now_ns()); /* must happen before the QP is gone */
        transport_qp_destroy(qp->engine->transport, qp->qpn);
        qp_memory_return(&nic->qp_memory, qp->memory);
        qp_table_remove(&qp->engine->qps, qp);
        nic->qp_count--;
        count_users(qp, UINT32_MAX);
        engine_release_all(nic);
    }
    free_qp(qp);
    return 0;
}

uint32_t host_qp_number(const struct host_qp *qp)
{
    return qp->qpn;
}

static void forget_posted(struct host_qp *qp)
{
    qp->send.taken = 0;
    qp->recv.taken = 0;
    atomic_store(&qp->send.posted, 0);
    atomic_store(&qp->send.completed, 0);
    atomic_store(&qp->recv.posted, 0);
    atomic_store(&qp->recv.completed, 0);
}

static void on_modified(struct host_qp *qp, uint32_t mask)
{
    struct qp_attributes now;

    transport_qp_query(qp->engine->transport, qp->qpn, &now);
    if ((mask & QP_ATTR_STATE) && now.state == QP_RESET)
        forget_posted(qp);
    atomic_store(&qp->accepts_sends, now.state >= QP_RTS);
    atomic_store(&qp->accepts_receives, now.state >= QP_INIT);
}

int host_qp_modify(
    struct host_qp *qp, const struct qp_attributes *attributes, uint32_t attribute_mask)
{
    struct engine *engine = qp->engine;
    uint64_t now_ns = host_now_ns();
    int err = attribute_mask & QP_ATTR_PEER ? qp_follow_peer(qp, &attributes->peer_address) : 0;

    if (!err)
        err = engine_own(engine);
    if (err)
        return err;
    if ((attribute_mask & QP_ATTR_PMTU) && attributes->pmtu_bytes > qp->nic->pmtu_max)
        err = -EINVAL;
    else
        err = transport_qp_modify(engine->transport, qp->qpn, attributes, attribute_mask, now_ns);
    if (!err) {
        if (attribute_mask & QP_ATTR_PEER)
            engine_find_route(engine, &attributes->peer_address, &qp->route);
        engine_answer(engine, now_ns);
        engine_report_all(engine); /* before the posted work is discarded */
        on_modified(qp, attribute_mask);
    }
    engine_release(engine);
    return err;
}

int host_qp_query(struct host_qp *qp, struct qp_attributes *attributes)
{
    int err = engine_own(qp->engine);

    if (err)
        return err;
    err = transport_qp_query(qp->engine->transport, qp->qpn, attributes);
    engine_release(qp->engine);
    return err;
}

int host_qp_allow_remote_write(struct host_qp *qp, bool allowed)
{
    int err = engine_own(qp->engine);

    if (err)
        return err;
    qp->remote_write = allowed;
    engine_release(qp->engine);
    return 0;
}

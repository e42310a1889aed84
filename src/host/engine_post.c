/* SPDX-License-Identifier: Apache-2.0 */
/* Hands posted work to the transport. */
#include <assert.h>
#include <errno.h>

#include "host/engine.h"

static bool piece_is_registered(
    const struct engine *engine, struct host_qp *qp, const struct qp_piece *piece)
{
    return piece->lkey == 0 || piece->length_bytes == 0 ||
           memory_table_resolve(&engine->nic->memory,
               &(struct memory_want){ .key = piece->lkey,
                   .domain = qp->config.domain,
                   .va = piece->address,
                   .length_bytes = piece->length_bytes },
               &qp->last_lkey);
}

static bool pieces_are_registered(const struct engine *engine, struct host_qp *qp, uint32_t slot)
{
    const struct qp_piece *pieces = &qp->send.pieces[(size_t)slot * qp->config.pieces_max];

    for (uint32_t i = 0; i < qp->send.slots[slot].piece_count; i++)
        if (!piece_is_registered(engine, qp, &pieces[i]))
            return false;
    return true;
}

void engine_fail_local(
    struct engine *engine, struct host_qp *qp, uint32_t position, uint64_t now_ns)
{
    qp->send.slots[position & qp->send.mask].is_faulty = true;
    transport_qp_modify(engine->transport, qp->qpn, &(struct qp_attributes){ .state = QP_ERR },
        QP_ATTR_STATE, now_ns);
}

/* A post checks the state of the QP before it stores the work. If the QP is reset in between, it
 * discards earlier work and also this request, and the slot is free again. Otherwise the transport
 * always has room. */
static bool is_taken(int err)
{
    assert(err == 0 || err == -EINVAL);
    return err == 0;
}

static uint32_t take_sends(struct engine *engine, struct host_qp *qp, uint64_t now_ns)
{
    uint32_t posted = atomic_load_explicit(&qp->send.posted, memory_order_acquire);
    uint32_t count = 0;

    for (; qp->send.taken != posted; qp->send.taken++, count++) {
        uint32_t slot = qp->send.taken & qp->send.mask;

        if (!is_taken(transport_post_send(
                engine->transport, qp->qpn, &qp->send.slots[slot].work, now_ns)))
            atomic_store_explicit(&qp->send.completed, qp->send.taken + 1, memory_order_release);
        else if (!pieces_are_registered(engine, qp, slot))
            engine_fail_local(engine, qp, qp->send.taken, now_ns);
    }
    return count;
}

static uint32_t take_receives(struct engine *engine, struct host_qp *qp)
{
    uint32_t posted = atomic_load_explicit(&qp->recv.posted, memory_order_acquire);
    uint32_t count = 0;

    for (; qp->recv.taken != posted; qp->recv.taken++, count++)
        if (!is_taken(transport_post_recv(
                engine->transport, qp->qpn, qp->recv.ids[qp->recv.taken & qp->recv.mask])))
            atomic_store_explicit(&qp->recv.completed, qp->recv.taken + 1, memory_order_release);
    return count;
}

static uint32_t take_word(struct engine *engine, uint32_t word, uint64_t now_ns)
{
    uint64_t bits = atomic_exchange(&engine->posted_words[word], 0);
    uint32_t count = 0;

    for (; bits; bits &= bits - 1) {
        struct host_qp *qp = engine->qps.qps[word * 64 + (uint32_t)__builtin_ctzll(bits)];

        if (qp)
            count += take_receives(engine, qp) + take_sends(engine, qp, now_ns);
    }
    return count;
}

uint32_t engine_take_posted(struct engine *engine, uint64_t now_ns)
{
    uint32_t word_count = (engine->nic->config.qp_count_max + 63) / 64;
    uint32_t count = 0;
    uint64_t summary;

    if (!atomic_load_explicit(&engine->posted_summary, memory_order_relaxed))
        return 0;
    summary = atomic_exchange(&engine->posted_summary, 0);
    for (; summary; summary &= summary - 1)
        for (uint32_t word = (uint32_t)__builtin_ctzll(summary); word < word_count; word += 64)
            count += take_word(engine, word, now_ns);
    return count;
}

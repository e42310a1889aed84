/* SPDX-License-Identifier: Apache-2.0 */
/* Posting: the caller's thread fills a slot of the QP and sets its bit in the engine. */
#include <errno.h>
#include <string.h>

#include "host/engine.h"

enum { MESSAGE_BYTES_MAX_LOG2 = 31 };

static void announce_post(struct host_qp *qp)
{
    uint32_t word = qp->index / 64;

    atomic_fetch_or(&qp->engine->posted_words[word], UINT64_C(1) << qp->index % 64);
    atomic_fetch_or(&qp->engine->posted_summary, UINT64_C(1) << word % 64);
}

static bool total_length(const struct host_send *send, uint32_t *out)
{
    uint64_t length = 0;

    for (uint32_t i = 0; i < send->piece_count; i++)
        length += send->pieces[i].length_bytes;
    *out = (uint32_t)length;
    return length <= UINT64_C(1) << MESSAGE_BYTES_MAX_LOG2;
}

/* Copies all bytes into the slot, as one piece. */
static void copy_inline(struct host_qp *qp, uint32_t slot, const struct host_send *send)
{
    uint8_t *to = qp->send.inline_bytes + (size_t)slot * (qp->config.inline_bytes_max + 1u);
    struct qp_piece *piece = &qp->send.pieces[(size_t)slot * qp->config.pieces_max];

    *piece = (struct qp_piece){ .address = (uintptr_t)to };
    for (uint32_t i = 0; i < send->piece_count; i++) {
        memcpy(to + piece->length_bytes, (const void *)(uintptr_t)send->pieces[i].address,
            send->pieces[i].length_bytes);
        piece->length_bytes += send->pieces[i].length_bytes;
    }
    qp->send.slots[slot].piece_count = 1;
}

static void copy_pieces(struct host_qp *qp, uint32_t slot, const struct host_send *send)
{
    struct qp_piece *pieces = &qp->send.pieces[(size_t)slot * qp->config.pieces_max];

    for (uint32_t i = 0; i < send->piece_count; i++)
        pieces[i] = (struct qp_piece){ .address = send->pieces[i].address,
            .length_bytes = send->pieces[i].length_bytes,
            /* 0 means inline here; neither 0 nor UINT32_MAX is a valid key */
            .lkey = send->pieces[i].lkey ? send->pieces[i].lkey : UINT32_MAX };
    qp->send.slots[slot].piece_count = send->piece_count;
}

int host_qp_post_send(struct host_qp *qp, const struct host_send *send)
{
    uint32_t position = atomic_load_explicit(&qp->send.posted, memory_order_relaxed);
    uint32_t slot = position & qp->send.mask;
    bool is_inline = send->flags & HOST_SEND_INLINE;
    uint32_t length;

    if (atomic_load_explicit(&qp->nic->is_dead, memory_order_relaxed))
        return -ENODEV;
    if (!atomic_load_explicit(&qp->accepts_sends, memory_order_relaxed) ||
        send->piece_count > qp->config.pieces_max || !total_length(send, &length) ||
        (is_inline && length > qp->config.inline_bytes_max))
        return -EINVAL;
    if (position - atomic_load_explicit(&qp->send.completed, memory_order_acquire) >=
        qp->send.depth)
        return -ENOMEM;
    qp->send.slots[slot] = (struct qp_send_slot){ .id = send->id,
        .work = { .id = position,
            .local = position,
            .remote_va = send->remote_va,
            .rkey = send->rkey,
            .length_bytes = length,
            .immediate = send->immediate,
            .flags = send->flags & ~HOST_SEND_INLINE } };
    if (is_inline)
        copy_inline(qp, slot, send);
    else
        copy_pieces(qp, slot, send);
    atomic_store_explicit(&qp->send.posted, position + 1, memory_order_release);
    announce_post(qp);
    return 0;
}

int host_qp_post_recv(struct host_qp *qp, uint64_t id)
{
    uint32_t position = atomic_load_explicit(&qp->recv.posted, memory_order_relaxed);

    if (atomic_load_explicit(&qp->nic->is_dead, memory_order_relaxed))
        return -ENODEV;
    if (!atomic_load_explicit(&qp->accepts_receives, memory_order_relaxed))
        return -EINVAL;
    if (position - atomic_load_explicit(&qp->recv.completed, memory_order_acquire) >=
        qp->recv.depth)
        return -ENOMEM;
    qp->recv.ids[position & qp->recv.mask] = id;
    atomic_store_explicit(&qp->recv.posted, position + 1, memory_order_release);
    announce_post(qp);
    return 0;
}

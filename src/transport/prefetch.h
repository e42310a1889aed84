/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetching for NICs with many QPs, whose memory does not fit into the caches. All lines that a
 * packet touches are requested at the same time, so that their latencies overlap: first the QP with
 * requester or responder, which are adjacent, then the places in its windows. With few QPs this
 * would only cost time. */
#pragma once

#include "transport/nic.h"

enum {
    PREFETCH_LINE_BYTES = 64,
    PREFETCH_QPS_LEAST = 256, /* at 8 KiB each, more than the caches of a core hold */
};

/* Fetches a line. The empty statement keeps the call: gcc omits calls of functions that do nothing
 * but prefetch. */
static inline void prefetch_line(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

/* Fetches the lines from `first` up to but not including `end`, as byte offsets into the QP. */
static inline void prefetch_part(const struct qp *qp, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end; at += PREFETCH_LINE_BYTES)
        prefetch_line((const uint8_t *)qp + at);
}

static inline void prefetch_responder(const struct qp *qp)
{
    enum { RESPONDER = sizeof(struct qp) };

    prefetch_part(qp, 0, offsetof(struct qp, requester));
    prefetch_part(qp, RESPONDER, RESPONDER + offsetof(struct responder, queue));
}

static inline void prefetch_requester(const struct qp *qp)
{
    enum { REQUESTER = sizeof(struct qp) + sizeof(struct responder) };

    prefetch_part(qp, 0, sizeof(struct qp));
    prefetch_part(qp, REQUESTER, REQUESTER + sizeof(struct requester));
}

/* Fetches what a received data packet with this PSN also touches. */
static inline void prefetch_received(const struct qp *qp, struct psn psn)
{
    const struct recv_window *window = &qp->responder->window;

    prefetch_line(&window->words[recv_window_slot(window, psn) / 64]);
}

/* Fetches what feedback up to this PSN also touches. */
static inline void prefetch_sent(const struct qp *qp, struct psn psn)
{
    const struct send_window *window = &qp->requester->window;
    uint32_t slot = send_window_slot(window, psn);

    prefetch_line(&window->sent[slot]);
    prefetch_line(&window->flags[slot]);
    prefetch_line(&window->acked[slot / 64]);
    prefetch_line(&window->lost[slot / 64]);
}

/* Fetches what the QP touches when it sends new data. */
static inline void prefetch_next(const struct qp *qp)
{
    const struct send_queue *queue = &qp->requester->queue;

    prefetch_sent(qp, qp->requester->window.next);
    prefetch_line(send_queue_at(queue, queue->cutting));
}

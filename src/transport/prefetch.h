/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetching for NICs with many QPs, whose memory does not fit into the caches. All lines that a
 * packet touches are requested at the same time, so that their latencies overlap: first the QP with
 * requester or responder, which are adjacent, then the places in its windows. With few QPs this
 * would only cost time. */
#pragma once

#include <stddef.h>

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

/* Where the part of the requester begins and ends that data packets and SACKs touch, as byte
 * offsets into a QP that also receives. */
enum {
    PREFETCH_REQUESTER = sizeof(struct qp) + sizeof(struct responder),
    PREFETCH_REQUESTER_HOT = PREFETCH_REQUESTER + offsetof(struct requester, window),
    PREFETCH_REQUESTER_COLD = PREFETCH_REQUESTER + offsetof(struct requester, queue.depth),
};

_Static_assert(PREFETCH_REQUESTER_HOT % PREFETCH_LINE_BYTES == 0 &&
                   PREFETCH_REQUESTER_COLD - PREFETCH_REQUESTER_HOT == 3 * PREFETCH_LINE_BYTES,
    "what data packets and SACKs touch of the requester fills three lines");

static inline void prefetch_requester(const struct qp *qp)
{
    prefetch_part(qp, 0, sizeof(struct qp));
    prefetch_part(qp, PREFETCH_REQUESTER_HOT, PREFETCH_REQUESTER_COLD);
}

/* Fetches what an ACK, and the completion of a message, also touch of the requester. */
static inline void prefetch_completion(const struct qp *qp)
{
    prefetch_line((const uint8_t *)qp + PREFETCH_REQUESTER_HOT - PREFETCH_LINE_BYTES);
    prefetch_line((const uint8_t *)qp + PREFETCH_REQUESTER_COLD);
}

/* Fetches the timer and the QP that expire after the next ones, in a tick with several. */
static inline void prefetch_expiry(const struct transport *nic)
{
    const struct wheel *wheel = nic->deadlines.wheel;
    uint32_t owner = wheel_after_next(wheel);

    if (owner >= nic->qp_count_max)
        return;
    prefetch_line(&wheel->nodes[owner]);
    if (nic->qps[owner])
        prefetch_part(nic->qps[owner], 0, PREFETCH_REQUESTER_COLD);
}

/* Fetches what a received data packet with this PSN also touches. */
static inline void prefetch_received(const struct qp *qp, struct psn psn)
{
    const struct recv_window *window = &qp->responder->window;

    prefetch_line(&window->words[recv_window_slot(window, psn) / 64]);
}

/* Fetches the record of a PSN. */
static inline void prefetch_record(const struct send_window *window, struct psn psn)
{
    uint32_t slot = send_window_slot(window, psn);

    prefetch_line(&window->sent[slot]);
    prefetch_line(&window->flags[slot]);
}

/* Fetches a work request, which may extend over two lines. */
static inline void prefetch_request(const struct send_queue *queue, uint32_t position)
{
    const struct send_request *request = send_queue_at(queue, position);

    prefetch_line(request);
    prefetch_line((const uint8_t *)(request + 1) - 1);
}

/* Fetches what feedback also touches: the oldest PSN, which the window may advance over, and the
 * first one above the cumulative acknowledgement. */
static inline void prefetch_sent(const struct qp *qp, const struct packet *packet)
{
    const struct send_window *window = &qp->requester->window;
    uint32_t slot = send_window_slot(window, window->oldest);

    prefetch_record(window, window->oldest);
    prefetch_record(window, psn_add(packet->psn, 1));
    prefetch_line(&window->acked[slot / 64]);
    prefetch_line(&window->lost[slot / 64]);
    if (packet->opcode == OPCODE_ACK)
        prefetch_request(&qp->requester->queue, qp->requester->queue.done);
}

/* Fetches what a received packet touches in the windows of its QP. */
static inline void prefetch_windows(const struct qp *qp, const struct packet *packet)
{
    if (opcode_is_write(packet->opcode)) {
        if (qp->responder)
            prefetch_received(qp, packet->psn);
    } else if (qp->requester) {
        prefetch_sent(qp, packet);
    }
}

/* Fetches what the QP touches when it sends new data. */
static inline void prefetch_next(const struct qp *qp)
{
    const struct requester *requester = qp->requester;

    prefetch_record(&requester->window, requester->window.next);
    prefetch_request(&requester->queue, requester->queue.cutting);
}

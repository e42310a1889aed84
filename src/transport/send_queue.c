/* SPDX-License-Identifier: Apache-2.0 */
/* The send queue. */
#include "transport/send_queue.h"

#include <assert.h>
#include <stdalign.h>

#include "base/power.h"

void send_queue_init(struct send_queue *queue, struct arena *arena, uint32_t depth)
{
    uint32_t slot_count = power_of_two_at_least(depth);
    struct send_request *requests =
        arena_take(arena, slot_count, sizeof(*requests), alignof(struct send_request));

    if (queue)
        *queue =
            (struct send_queue){ .requests = requests, .slot_count = slot_count, .depth = depth };
}

void send_queue_lend(struct send_queue *queue, struct arena *arena)
{
    queue->requests = arena_take(
        arena, queue->slot_count, sizeof(*queue->requests), alignof(struct send_request));
}

void send_queue_start(struct send_queue *queue)
{
    *queue = (struct send_queue){
        .requests = queue->requests, .slot_count = queue->slot_count, .depth = queue->depth
    };
}

void send_queue_push(struct send_queue *queue, const struct work_request *work, uint32_t pmtu_bytes)
{
    struct send_request *request = send_queue_at(queue, queue->posted);
    uint32_t packet_count =
        work->length_bytes / pmtu_bytes + (work->length_bytes % pmtu_bytes != 0);

    assert(!send_queue_is_full(queue));
    request->work = *work;
    request->packet_count = packet_count ? packet_count : 1;
    queue->posted++;
}

void send_queue_begin(struct send_queue *queue, struct psn first)
{
    struct send_request *request = send_queue_at(queue, queue->cutting);
    bool has_immediate = request->work.flags & WORK_WITH_IMMEDIATE;

    request->first_psn = first;
    request->msn = (uint16_t)queue->cutting;
    request->rqmsn = has_immediate ? queue->next_rqmsn++ : 0;
    queue->imm_begun += has_immediate;
}

/* Binary search: first PSNs ascend with the position. */
struct send_request *send_queue_find(const struct send_queue *queue, struct psn psn)
{
    uint32_t low = queue->done;
    uint32_t high = queue->cutting + (queue->packets_cut > 0);
    struct send_request *request;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (psn_distance(send_queue_at(queue, middle)->first_psn, psn) >= 0)
            low = middle;
        else
            high = middle;
    }
    if (low == high)
        return NULL;
    request = send_queue_at(queue, low);
    if (psn_distance(request->first_psn, psn) < 0 ||
        psn_distance(psn, send_queue_last_psn(request)) < 0)
        return NULL;
    return request;
}

void send_queue_complete(struct send_queue *queue)
{
    assert(queue->done != queue->cutting);
    queue->imm_begun -= (send_queue_at(queue, queue->done)->work.flags & WORK_WITH_IMMEDIATE) != 0;
    queue->done++;
}

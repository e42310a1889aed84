/* SPDX-License-Identifier: Apache-2.0 */
/* Receive requests and early immediates (docs/protocol.md §6.2). */
#include "transport/recv_queue.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "base/power.h"

void recv_queue_init(
    struct recv_queue *queue, struct arena *arena, uint32_t depth, uint32_t imm_max)
{
    uint32_t slot_count = power_of_two_at_least(depth);
    uint32_t stash_count = power_of_two_at_least(imm_max);
    struct recv_request *requests =
        arena_take(arena, slot_count, sizeof(*requests), alignof(struct recv_request));
    struct recv_stash *stash =
        arena_take(arena, stash_count, sizeof(*stash), alignof(struct recv_stash));

    if (queue)
        *queue = (struct recv_queue){ .requests = requests,
            .stash = stash,
            .slot_count = slot_count,
            .depth = depth,
            .stash_count = stash_count };
}

void recv_queue_start(struct recv_queue *queue)
{
    memset(queue->stash, 0, queue->stash_count * sizeof(*queue->stash));
    queue->next_rqmsn = 0;
    queue->has_kept = false;
}

void recv_queue_clear(struct recv_queue *queue)
{
    recv_queue_start(queue);
    queue->reported = queue->done = queue->posted = 0;
}

void recv_queue_push(struct recv_queue *queue, uint64_t id)
{
    assert(!recv_queue_is_full(queue));
    *recv_queue_at(queue, queue->posted++) = (struct recv_request){ .id = id };
}

enum recv_delivery recv_queue_deliver(struct recv_queue *queue, struct psn cack)
{
    struct recv_stash *stash = recv_queue_stash(queue, queue->next_rqmsn);
    struct recv_request *request;

    /* A peer that sends no immediates makes no message wait for the stash, which is in no cache. */
    if (!queue->has_kept || !stash->full || psn_before(cack, stash->psn))
        return RECV_NOTHING;
    if (queue->done == queue->posted)
        return RECV_NO_REQUEST;
    request = recv_queue_at(queue, queue->done++);
    request->immediate = stash->immediate;
    request->length_bytes = stash->length_bytes;
    request->solicited = stash->solicited;
    stash->full = false;
    queue->next_rqmsn++;
    return RECV_DELIVERED;
}

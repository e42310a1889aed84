/* SPDX-License-Identifier: Apache-2.0 */
/* Completion and EV queues. */
#include "host/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/power.h"
#include "host/engine.h"

/* ---- the engine's side ------------------------------------------------------------------------
 */

static void signal_reader(struct host_cq *cq, bool solicited)
{
    uint32_t armed = atomic_load(&cq->armed);

    if (armed == QUEUE_NOT_ARMED || (armed == QUEUE_ARMED_SOLICITED && !solicited) ||
        atomic_exchange(&cq->armed, QUEUE_NOT_ARMED) == QUEUE_NOT_ARMED)
        return;
    atomic_fetch_add(&cq->events, 1);
    if (cq->channel)
        queue_count_up(cq->channel->fd);
}

void queue_push_completion(struct engine *engine, struct host_cq *cq,
    const struct host_completion *completion, bool solicited)
{
    struct queue_part *part = &cq->parts[engine->index];
    uint32_t slot;

    if (!ring_reserve(&part->ring, &slot)) {
        if (!atomic_exchange(&cq->is_overrun, true))
            engine_async(
                engine, &(struct host_async){ .kind = HOST_ASYNC_CQ_ERROR, .user = cq->user });
        return;
    }
    part->completions[slot] = *completion;
    ring_push(&part->ring);
    signal_reader(cq, solicited || completion->status != COMPLETION_SUCCESS);
}

void queue_push_ev_event(
    struct engine *engine, struct host_cq *cq, const struct host_ev_event *event)
{
    struct queue_part *part = &cq->parts[engine->index];
    uint32_t slot;

    if (!ring_reserve(&part->ring, &slot)) {
        part->lost++;
        return;
    }
    part->ev_events[slot] = *event;
    part->ev_events[slot].lost_before = part->lost;
    part->lost = 0;
    ring_push(&part->ring);
    signal_reader(cq, true);
}

/* ---- queues -----------------------------------------------------------------------------------
 */

static void free_queue(struct host_cq *cq)
{
    for (uint32_t i = 0; cq->parts && i < cq->nic->engine_count; i++)
        free(cq->parts[i].completions);
    free(cq->parts);
    free(cq);
}

/* Each part has room for all completions, because all may come from one engine. */
static int make_parts(struct host_cq *cq)
{
    size_t entry_bytes =
        cq->is_ev_queue ? sizeof(struct host_ev_event) : sizeof(struct host_completion);
    uint32_t count = cq->nic->engine_count;

    cq->parts = aligned_alloc(64, count * sizeof(*cq->parts));
    if (!cq->parts)
        return -ENOMEM;
    memset(cq->parts, 0, count * sizeof(*cq->parts));
    for (uint32_t i = 0; i < count; i++) {
        ring_init(&cq->parts[i].ring, cq->depth);
        cq->parts[i].completions = calloc(cq->depth, entry_bytes);
        if (!cq->parts[i].completions)
            return -ENOMEM;
    }
    return 0;
}

static int create_cq(struct host_nic *nic, const struct host_cq *like, struct host_cq **out)
{
    struct host_cq *cq = aligned_alloc(64, (sizeof(*cq) + 63) / 64 * 64);
    struct host_cq **list;
    int err;

    if (!cq)
        return -ENOMEM;
    *cq = *like;
    cq->nic = nic;
    cq->depth = power_of_two_at_least(like->depth ? like->depth : 1);
    err = make_parts(cq);
    if (!err)
        err = engine_own_all(nic);
    if (err) {
        free_queue(cq);
        return err;
    }
    list = cq->is_ev_queue ? &nic->ev_queues : &nic->cqs;
    cq->next = *list;
    *list = cq;
    nic->queue_count++;
    if (cq->channel)
        cq->channel->user_count++;
    engine_release_all(nic);
    *out = cq;
    return 0;
}

int host_cq_create(struct host_nic *nic, uint32_t depth, struct host_channel *channel, void *user,
    struct host_cq **out)
{
    return create_cq(
        nic, &(struct host_cq){ .depth = depth, .channel = channel, .user = user }, out);
}

int host_ev_queue_create(struct host_nic *nic, uint32_t depth, struct host_channel *channel,
    void *user, struct host_cq **out)
{
    return create_cq(nic,
        &(struct host_cq){ .depth = depth, .channel = channel, .user = user, .is_ev_queue = true },
        out);
}

static void unlink_queue(struct host_cq **list, const struct host_cq *cq)
{
    while (*list != cq)
        list = &(*list)->next;
    *list = cq->next;
}

int host_cq_destroy(struct host_cq *cq)
{
    struct host_nic *nic = cq->nic;
    int err = engine_own_all(nic);

    if (!err) {
        if (cq->user_count > 0) {
            engine_release_all(nic);
            return -EBUSY;
        }
        unlink_queue(cq->is_ev_queue ? &nic->ev_queues : &nic->cqs, cq);
        nic->queue_count--;
        if (cq->channel)
            cq->channel->user_count--;
        engine_release_all(nic);
    }
    free_queue(cq);
    return 0;
}

void *host_cq_user(const struct host_cq *cq)
{
    return cq->user;
}

static uint32_t pop_part(struct queue_part *part, struct host_completion *out, uint32_t max)
{
    uint32_t count = 0;
    uint32_t slot;

    while (count < max && ring_peek(&part->ring, &slot)) {
        out[count++] = part->completions[slot];
        ring_pop(&part->ring);
    }
    return count;
}

/* Takes from each part in turn, so that no part waits for the others to be empty. */
static uint32_t pop_completions(struct host_cq *cq, struct host_completion *out, uint32_t max)
{
    uint32_t engine_count = cq->nic->engine_count;
    uint32_t count = 0;

    for (uint32_t i = 0; i < engine_count && count < max; i++) {
        uint32_t part = cq->next_part++ & (engine_count - 1);

        count += pop_part(&cq->parts[part], out + count, max - count);
    }
    return count;
}

int host_cq_poll(struct host_cq *cq, struct host_completion *out, uint32_t max)
{
    uint32_t count = pop_completions(cq, out, max);

    if (count == 0) {
        host_progress(cq->nic);
        count = pop_completions(cq, out, max);
    }
    if (count > 0)
        return (int)count;
    if (host_is_dead(cq->nic))
        return -ENODEV;
    return atomic_load_explicit(&cq->is_overrun, memory_order_relaxed) ? -EIO : 0;
}

static uint32_t pop_ev_events(struct host_cq *cq, struct host_ev_event *out, uint32_t max)
{
    uint32_t count = 0;
    uint32_t slot;

    for (uint32_t i = 0; i < cq->nic->engine_count; i++)
        while (count < max && ring_peek(&cq->parts[i].ring, &slot)) {
            out[count++] = cq->parts[i].ev_events[slot];
            ring_pop(&cq->parts[i].ring);
        }
    return count;
}

int host_ev_queue_poll(struct host_cq *cq, struct host_ev_event *out, uint32_t max)
{
    uint32_t count = pop_ev_events(cq, out, max);

    if (count == 0) {
        host_progress(cq->nic);
        count = pop_ev_events(cq, out, max);
    }
    return (int)count;
}

int host_cq_arm(struct host_cq *cq, bool solicited_only)
{
    if (host_is_dead(cq->nic))
        return -ENODEV;
    if (atomic_load(&cq->armed) != QUEUE_ARMED)
        atomic_store(&cq->armed, solicited_only ? QUEUE_ARMED_SOLICITED : QUEUE_ARMED);
    for (uint32_t i = 0; i < cq->nic->engine_count; i++)
        if (atomic_load(&cq->nic->engines[i]->progress_state) == PROGRESS_WATCHING)
            progress_wake(cq->nic->engines[i]);
    return 0;
}

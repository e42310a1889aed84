/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of events. */
#include "lab/soft_queue.h"

#include <assert.h>
#include <stdlib.h>

bool soft_queue_init(struct soft_queue *queue, uint32_t room)
{
    *queue = (struct soft_queue){ .room = room };
    queue->events = malloc(room * sizeof(*queue->events));
    return queue->events != NULL;
}

void soft_queue_fini(struct soft_queue *queue)
{
    free(queue->events);
}

static bool is_sooner(const struct soft_event *left, const struct soft_event *right)
{
    if (left->time_ps != right->time_ps)
        return left->time_ps < right->time_ps;
    return (int32_t)(left->order - right->order) < 0;
}

void soft_queue_push(
    struct soft_queue *queue, uint64_t time_ps, uint32_t wire, enum soft_event_kind kind)
{
    struct soft_event event = {
        .time_ps = time_ps, .order = queue->pushed++, .what = wire << 1 | kind
    };
    uint32_t place = queue->count++;

    assert(queue->count <= queue->room);
    while (place > 0 && is_sooner(&event, &queue->events[(place - 1) / 2])) {
        queue->events[place] = queue->events[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    queue->events[place] = event;
}

/* Puts an event in the place of the first. */
static void sink(struct soft_queue *queue, struct soft_event moving)
{
    struct soft_event *events = queue->events;
    uint32_t place = 0;

    for (uint32_t child = 1; child < queue->count; child = 2 * place + 1) {
        if (child + 1 < queue->count && is_sooner(&events[child + 1], &events[child]))
            child++;
        if (is_sooner(&moving, &events[child]))
            break;
        events[place] = events[child];
        place = child;
    }
    events[place] = moving;
}

void soft_queue_pop(struct soft_queue *queue)
{
    assert(queue->count > 0);
    queue->count--;
    sink(queue, queue->events[queue->count]);
}

void soft_queue_repeat(struct soft_queue *queue, uint64_t time_ps)
{
    struct soft_event event = queue->events[0];

    assert(queue->count > 0);
    event.time_ps = time_ps;
    event.order = queue->pushed++;
    sink(queue, event);
}

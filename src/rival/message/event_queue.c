/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of events. */
#include "rival/message/event_queue.h"

#include <assert.h>

void event_queue_init(struct event_queue *queue, struct arena *arena, uint32_t room)
{
    *queue = (struct event_queue){ .events = arena_take(arena, room, sizeof(*queue->events),
                                       _Alignof(struct endpoint_event)),
        .room = room };
}

void event_queue_push(struct event_queue *queue, struct endpoint_event event)
{
    assert(queue->in - queue->out < queue->room);
    queue->events[queue->in++ % queue->room] = event;
}

bool event_queue_pop(struct event_queue *queue, struct endpoint_event *out)
{
    if (event_queue_is_empty(queue))
        return false;
    *out = queue->events[queue->out++ % queue->room];
    return true;
}

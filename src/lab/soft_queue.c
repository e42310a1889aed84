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

void soft_queue_push(struct soft_queue *queue, uint64_t time_ps, uint32_t end, uint32_t frame)
{
    struct soft_event event = {
        .time_ps = time_ps, .order = queue->pushed++, .end = end, .frame = frame
    };
    uint32_t place = queue->count++;

    assert(queue->count <= queue->room);
    while (place > 0 && is_sooner(&event, &queue->events[(place - 1) / 2])) {
        queue->events[place] = queue->events[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    queue->events[place] = event;
}

bool soft_queue_pop(struct soft_queue *queue, uint64_t now_ps, struct soft_event *out)
{
    struct soft_event *events = queue->events;
    struct soft_event moving;
    uint32_t place = 0;

    if (queue->count == 0 || events[0].time_ps > now_ps)
        return false;
    *out = events[0];
    moving = events[--queue->count];
    for (uint32_t child = 1; child < queue->count; child = 2 * place + 1) {
        if (child + 1 < queue->count && is_sooner(&events[child + 1], &events[child]))
            child++;
        if (is_sooner(&moving, &events[child]))
            break;
        events[place] = events[child];
        place = child;
    }
    events[place] = moving;
    return true;
}

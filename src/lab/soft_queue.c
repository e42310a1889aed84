/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates the queue of events. */
#include "lab/soft_queue.h"

#include <stdlib.h>

bool soft_queue_init(struct soft_queue *queue, uint32_t room)
{
    *queue = (struct soft_queue){ .heap.room = room };
    queue->heap.events = malloc(room * sizeof(*queue->heap.events));
    return queue->heap.events != NULL;
}

void soft_queue_fini(struct soft_queue *queue)
{
    free(queue->heap.events);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of answers. */
#include "transport/control.h"

#include <stdalign.h>

void control_queue_init(struct control_queue *queue, struct arena *arena, uint32_t slot_count)
{
    struct control_record *records =
        arena_take(arena, slot_count, sizeof(*records), alignof(struct control_record));
    struct ipv6_addr *addresses = arena_take(arena, slot_count, sizeof(*addresses), 1);

    if (queue)
        *queue = (struct control_queue){
            .records = records, .addresses = addresses, .slot_count = slot_count
        };
}

bool control_queue_push(struct control_queue *queue, const struct control_record *record)
{
    if (queue->tail - queue->head == queue->slot_count)
        return false;
    queue->records[queue->tail++ & (queue->slot_count - 1)] = *record;
    return true;
}

bool control_queue_push_endpoint(
    struct control_queue *queue, struct control_record record, const struct ipv6_addr *destination)
{
    uint32_t slot = queue->tail & (queue->slot_count - 1);

    record.kind = CONTROL_ENDPOINT_ANSWER;
    record.qp_index = slot;
    if (!control_queue_push(queue, &record))
        return false;
    queue->addresses[slot] = *destination;
    return true;
}

void control_queue_forget(struct control_queue *queue, uint32_t qp_index)
{
    uint32_t kept = queue->head;

    for (uint32_t at = queue->head; at != queue->tail; at++) {
        uint32_t from = at & (queue->slot_count - 1);
        uint32_t to = kept & (queue->slot_count - 1);

        if (queue->records[from].kind != CONTROL_ENDPOINT_ANSWER &&
            queue->records[from].qp_index == qp_index)
            continue;
        queue->records[to] = queue->records[from];
        if (queue->records[to].kind == CONTROL_ENDPOINT_ANSWER) {
            queue->addresses[to] = queue->addresses[from];
            queue->records[to].qp_index = to;
        }
        kept++;
    }
    queue->tail = kept;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of answers. */
#include "transport/control_queue.h"

#include <stdalign.h>

void control_queue_init(
    struct control_queue *queue, struct arena *arena, uint32_t slot_count, uint32_t address_count)
{
    *queue = (struct control_queue){ .slot_count = slot_count, .address_count = address_count };
    queue->records =
        arena_take(arena, slot_count, sizeof(*queue->records), alignof(struct control_record));
    queue->addresses =
        arena_take(arena, address_count, sizeof(*queue->addresses), alignof(struct ipv6_addr));
}

bool control_queue_push_endpoint(
    struct control_queue *queue, struct control_record record, const struct ipv6_addr *destination)
{
    record.kind = CONTROL_ENDPOINT_ANSWER;
    if (queue->address_tail - queue->address_head == queue->address_count ||
        !control_queue_push(queue, &record))
        return false;
    queue->addresses[queue->address_tail++ & (queue->address_count - 1)] = *destination;
    return true;
}

static bool is_of_qp(const struct control_record *record, uint32_t qp_index)
{
    return record->kind != CONTROL_ENDPOINT_ANSWER && record->qp_index == qp_index;
}

bool control_queue_has(const struct control_queue *queue, uint32_t qp_index)
{
    for (uint32_t place = 0; place < control_queue_count(queue); place++)
        if (is_of_qp(control_queue_at(queue, place), qp_index))
            return true;
    return false;
}

void control_queue_forget(struct control_queue *queue, uint32_t qp_index)
{
    uint32_t kept = queue->head;

    for (uint32_t at = queue->head; at != queue->tail; at++) {
        const struct control_record *record = &queue->records[at & (queue->slot_count - 1)];

        if (!is_of_qp(record, qp_index))
            queue->records[kept++ & (queue->slot_count - 1)] = *record;
    }
    queue->tail = kept;
}

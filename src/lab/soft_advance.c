/* SPDX-License-Identifier: Apache-2.0 */
/* Advances time: frames arrive at switches, ports become free. Each part of the fabric that
 * exchanges no frames with other parts has its own events and advances to the current time before
 * the next part, so that its state stays in the nearest cache. */
#include <stdlib.h>

#include "lab/soft_state.h"

bool soft_advance_open(struct soft *soft)
{
    uint32_t *rooms = calloc(soft->part_count, sizeof(*rooms));
    bool is_fine = rooms != NULL;

    soft->queues = calloc(soft->part_count, sizeof(*soft->queues));
    for (uint32_t i = 0; is_fine && i < soft->wire_count; i++)
        rooms[soft->wires[i].part] += 2; /* an arrival, and the port becomes free */
    for (uint32_t i = 0; is_fine && i < soft->part_count; i++)
        is_fine = soft->queues && soft_queue_init(&soft->queues[i], rooms[i] + 1);
    free(rooms);
    return is_fine;
}

void soft_advance_close(struct soft *soft)
{
    for (uint32_t i = 0; soft->queues && i < soft->part_count; i++)
        soft_queue_fini(&soft->queues[i]);
    free(soft->queues);
}

static void receive_frame(struct soft *soft, struct soft_queue *queue, uint32_t wire_number)
{
    const struct soft_wire *wire = &soft->wires[wire_number];
    uint32_t frame = soft_wire_take(soft, wire_number);

    if (wire->first == SOFT_NO_FRAME)
        soft_queue_pop(queue);
    else
        soft_queue_repeat(queue, soft->frames.list[wire->first].due_ps);
    if (soft_wire_survives(soft, wire_number, frame))
        soft_forward(soft, &wire->link, frame);
}

void soft_advance_part(struct soft *soft, uint32_t part)
{
    struct soft_queue *queue = &soft->queues[part];
    uint64_t until_ps = soft->now_ps;

    while (soft_queue_next_ps(queue) <= until_ps) {
        uint32_t wire_number = soft_queue_wire(queue);

        soft->now_ps = soft_queue_next_ps(queue);
        if (soft_queue_kind(queue) == SOFT_ARRIVAL) {
            receive_frame(soft, queue, wire_number);
            continue;
        }
        soft_queue_pop(queue);
        soft->wires[wire_number].is_scheduled = false;
        soft_work_off(soft, wire_number);
    }
    soft->now_ps = until_ps;
}

void soft_advance(struct soft *soft)
{
    for (uint32_t part = soft->lane; part < soft->part_count; part += soft->lane_count)
        soft_advance_part(soft, part);
}

uint64_t soft_advance_next_ps(const struct soft *soft)
{
    uint64_t next_ps = UINT64_MAX;

    for (uint32_t part = soft->lane; part < soft->part_count; part += soft->lane_count)
        if (soft_queue_next_ps(&soft->queues[part]) < next_ps)
            next_ps = soft_queue_next_ps(&soft->queues[part]);
    return next_ps;
}

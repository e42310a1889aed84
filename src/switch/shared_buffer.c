/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the cells of a shared buffer, and limits queues by what is free. */
#include "switch/shared_buffer.h"

#include <assert.h>

void shared_buffer_init(struct shared_buffer *buffer, const struct shared_buffer_config *config)
{
    *buffer = (struct shared_buffer){ .config = *config };
}

static uint64_t cells_bytes(const struct shared_buffer *buffer, uint32_t length_bytes)
{
    uint32_t cell_bytes = buffer->config.cell_bytes;

    if (cell_bytes == 0)
        return length_bytes;
    return (uint64_t)((length_bytes + cell_bytes - 1) / cell_bytes) * cell_bytes;
}

static uint64_t free_bytes(const struct shared_buffer *buffer)
{
    return buffer->config.size_bytes - buffer->used_bytes;
}

static uint64_t buffer_limit(const struct shared_buffer *buffer)
{
    int32_t shift = buffer->config.alpha_log2;

    return shift >= 0 ? free_bytes(buffer) << shift : free_bytes(buffer) >> -shift;
}

static void take_cells(struct shared_buffer *buffer, uint32_t length_bytes)
{
    buffer->used_bytes += cells_bytes(buffer, length_bytes);
    assert(buffer->used_bytes <= buffer->config.size_bytes);
    if (buffer->used_bytes > buffer->peak_bytes)
        buffer->peak_bytes = buffer->used_bytes;
}

/* Returns the length of the last packet of the data queue, which may be trimmed. */
static uint32_t tail_bytes(const struct port *port)
{
    const struct port_queue *data = &port->queues[PORT_DATA];

    return data->count > 0 ? port->profile->pool->slots[data->tail].entry.length_bytes : 0;
}

/* A packet that is as long as the free memory leaves none for the trimmed tail. */
static bool has_room(
    const struct shared_buffer *buffer, const struct port *port, const struct port_entry *arriving)
{
    uint32_t trimmed_bytes = port->profile->config.trims ? port->profile->config.trimmed_bytes : 0;

    return cells_bytes(buffer, arriving->length_bytes) + cells_bytes(buffer, trimmed_bytes) <=
           free_bytes(buffer);
}

struct port_outcome shared_buffer_admit(struct shared_buffer *buffer, struct port *port,
    const struct port_entry *arriving, uint64_t now_ps)
{
    uint32_t before_bytes = tail_bytes(port);
    struct port_outcome outcome;

    if (!has_room(buffer, port, arriving))
        return port_drop(port, DROP_BUFFER_FULL);
    outcome = port_admit_within(port, arriving, buffer_limit(buffer), now_ps);
    switch (outcome.verdict) {
    case PORT_TRIMMED_TAIL:
        shared_buffer_release(buffer, before_bytes);
        take_cells(buffer, outcome.cut.length_bytes);
        take_cells(buffer, arriving->length_bytes);
        break;
    case PORT_TRIMMED_ARRIVING:
        take_cells(buffer, outcome.cut.length_bytes);
        break;
    case PORT_QUEUED:
        take_cells(buffer, arriving->length_bytes);
        break;
    default:
        break;
    }
    return outcome;
}

void shared_buffer_release(struct shared_buffer *buffer, uint32_t length_bytes)
{
    assert(buffer->used_bytes >= cells_bytes(buffer, length_bytes));
    buffer->used_bytes -= cells_bytes(buffer, length_bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the time at which a port sends next. */
#include "sim/pause.h"

static uint64_t later(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps > b_ps ? a_ps : b_ps;
}

static bool has_control(const struct port *port)
{
    return port->queues[PORT_CONTROL].count > 0;
}

uint64_t pause_wire_free_ps(const struct shard *shard, uint32_t port, uint64_t now_ps)
{
    const struct port *queue = &shard->ports[port];

    return pause_holds(shard, port, now_ps) && !has_control(queue)
               ? shard->port_details[port].free_ps
               : queue->free_ps;
}

void pause_set(struct shard *shard, uint32_t port, uint64_t until_ps, uint64_t now_ps)
{
    struct engine_port *details = &shard->port_details[port];
    struct port *queue = &shard->ports[port];

    details->free_ps = pause_wire_free_ps(shard, port, now_ps);
    details->paused_until_ps = until_ps;
    queue->free_ps = has_control(queue) ? details->free_ps : later(details->free_ps, until_ps);
}

void pause_on_entered(struct shard *shard, uint32_t port, uint64_t now_ps)
{
    struct engine_port *details = &shard->port_details[port];
    struct port *queue = &shard->ports[port];

    if (!pause_holds(shard, port, now_ps) || !has_control(queue) ||
        queue->free_ps < details->paused_until_ps)
        return;
    details->free_ps = later(details->free_ps, now_ps);
    queue->free_ps = details->free_ps;
}

void pause_on_sent(struct shard *shard, uint32_t port)
{
    struct engine_port *details = &shard->port_details[port];
    struct port *queue = &shard->ports[port];

    details->free_ps = queue->free_ps;
    if (!has_control(queue))
        queue->free_ps = later(details->free_ps, details->paused_until_ps);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that find their port idle, and leave it without entering its queue. */
#pragma once

#include "switch/port.h"

/* True if a packet that arrives now can leave at once: nothing waits, the wire is free, the queue
 * of the packet has room, and an empty queue marks nothing. */
static inline bool port_pass_is_open(
    const struct port *port, const struct port_entry *arriving, uint64_t now_ps)
{
    const struct port_config *config = &port->profile->config;

    return port_next_ps(port) == PORT_NEVER_PS && port->free_ps <= now_ps &&
           (!config->marks || config->red_min_bytes > 0) &&
           port_has_room(port, port_queue_of(arriving->class), arriving->length_bytes);
}

/* Sends a packet for which port_pass_is_open() is true, as port_admit() and port_send() would.
 * Returns the end of its transmission, which begins now. */
static inline uint64_t port_pass(
    struct port *port, const struct port_entry *arriving, uint64_t now_ps)
{
    enum port_queue_kind kind = port_queue_of(arriving->class);

    port->free_ps = now_ps;
    port_note_depth(port, kind, arriving->length_bytes);
    port_count_sent(port, kind, arriving->length_bytes);
    return port->free_ps;
}

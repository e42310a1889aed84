/* SPDX-License-Identifier: Apache-2.0 */
/* A switch forwards packets by uSIDs (switch_table.h), queues, marks and trims them at its egress
 * ports (port.h), and counts. switch_frame.h does this for frames as bytes.
 *
 * A switch holds no packets and has no clock. It queues entries that refer to packets by a handle
 * of the owner, and takes the time as an argument. Its owner drives it in one of two ways:
 *
 * - all ports at once, in real time: call switch_transmit() whenever a port of `waiting` can send,
 *   and switch_receive() when a packet arrives;
 * - port by port, lazily: when a packet arrives, switch_table_forward() returns its port; bring
 *   only this port up to date with switch_transmit(), then add the packet with switch_queue(). */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "switch/port.h"
#include "switch/port_pass.h"
#include "switch/shared_buffer.h"
#include "switch/switch_frame.h"
#include "switch/switch_table.h"

struct switch_config {
    struct switch_table table;
    uint32_t port_count;
    uint32_t host_port_count;      /* ports [0, host_port_count) face hosts */
    const struct ipv6_addr *hosts; /* their addresses, the only sources accepted at these ports;
                                      NULL: any source is accepted */
    struct port_config host;       /* of these ports; faces_host is set, and marks
                                      cleared unless marks_hosts */
    struct port_config uplink;     /* of all other ports */
    struct shared_buffer_config buffer;
    uint32_t exception_max; /* maximum number of ports that differ in rate or marking at a time */
    uint32_t slot_count;    /* of the packet buffer, or ... */
    struct port_pool *pool; /* ... one that several switches share; NULL: its own */
    bool marks_hosts;       /* ports that face hosts may mark, too */
    bool counters_by_kind;  /* two sets of counters instead of one per port */
    uint64_t seed;          /* of the random streams, one for each port */
};

struct switch_node {
    struct switch_table table;
    struct port *ports;
    uint64_t *waiting; /* bitmap: ports with queued packets */
    uint64_t *up;      /* bitmap: ports whose link is up; initially all */
    uint32_t port_count;
    uint32_t host_port_count;
    struct ipv6_addr *hosts;       /* NULL: sources are not checked */
    struct port_profile *profiles; /* of host ports, of uplinks, then of exceptions */
    uint32_t *exception_ports;     /* the port of each exception; SWITCH_NO_PORT if free */
    uint32_t exception_max;
    struct port_pool *pool;
    struct port_pool own_pool;
    struct shared_buffer buffer;
    uint64_t drops[DROP_REASON_COUNT]; /* of the whole switch */
};

#define SWITCH_NO_PORT UINT32_MAX

/* With an arena without memory, only measures. Otherwise the node must not move afterwards. */
void switch_init(struct switch_node *, struct arena *, const struct switch_config *);

/* Sets the rate of a port and its cable from now on. A packet that is being sent keeps its rate. */
void switch_set_rate(struct switch_node *, uint32_t port, uint64_t rate_bps);

/* Sets whether a port marks packets when its queue grows. */
void switch_set_marks(struct switch_node *, uint32_t port, bool marks);

/* A port whose link is down drops new packets. Queued packets stay until it is up again or
 * switch_discard() removes them. */
void switch_port_up(struct switch_node *, uint32_t port);
void switch_port_down(struct switch_node *, uint32_t port);

struct switch_outcome {
    struct port_outcome at_port;
    uint32_t port; /* SWITCH_NO_PORT if dropped on arrival */
};

/* Counts a packet that has no egress port. */
struct switch_outcome switch_refuse(struct switch_node *, uint32_t in_port, enum drop_reason);

/* Returns DROP_NONE, or DROP_SOURCE for a frame whose inner source is not the host of its ingress
 * port. Frames from other switches have been checked there. */
static inline enum drop_reason switch_check_source(
    const struct switch_node *node, uint32_t in_port, const struct switch_frame *frame)
{
    if (!node->hosts || in_port >= node->host_port_count)
        return DROP_NONE;
    return switch_frame_is_from(frame, &node->hosts[in_port]) ? DROP_NONE : DROP_SOURCE;
}

/* Counts a packet that is dropped at its egress port, for this reason. */
static inline struct switch_outcome switch_drop(
    struct switch_node *node, uint32_t port, enum drop_reason reason)
{
    node->drops[reason]++;
    return (
        struct switch_outcome){ .at_port = port_drop(&node->ports[port], reason), .port = port };
}

/* Every transmission of this port that begins by `now_ps` must have been taken out before. */
static inline struct switch_outcome switch_queue(
    struct switch_node *node, uint32_t port, struct port_entry entry, uint64_t now_ps)
{
    struct switch_outcome outcome = { .port = port };

    assert(port < node->port_count);
    if (!bits_test(node->up, port))
        return switch_drop(node, port, DROP_PORT_DOWN);
    outcome.at_port = node->buffer.config.size_bytes
                          ? shared_buffer_admit(&node->buffer, &node->ports[port], &entry, now_ps)
                          : port_enqueue(&node->ports[port], entry, now_ps);
    if (outcome.at_port.verdict == PORT_DROPPED)
        node->drops[outcome.at_port.reason]++;
    else
        bits_set(node->waiting, port);
    return outcome;
}

/* True if switch_pass() can send the packet, in place of switch_queue() and switch_transmit(). */
static inline bool switch_pass_is_open(
    const struct switch_node *node, uint32_t port, const struct port_entry *entry, uint64_t now_ps)
{
    return bits_test(node->up, port) && node->buffer.config.size_bytes == 0 &&
           port_pass_is_open(&node->ports[port], entry, now_ps);
}

/* Sends a packet through an idle port. Returns the end of its transmission. */
static inline uint64_t switch_pass(
    struct switch_node *node, uint32_t port, const struct port_entry *entry, uint64_t now_ps)
{
    return port_pass(&node->ports[port], entry, now_ps);
}

/* Forwards a packet that arrived at `in_port`, which shifts `outer`, and queues it. Requires the
 * same as switch_queue(), for all ports. */
static inline struct switch_outcome switch_receive(struct switch_node *node,
    struct port_entry entry, struct ipv6_addr *outer, uint32_t in_port, uint64_t now_ps)
{
    struct switch_way way = switch_table_forward(&node->table, outer);

    if (way.reason != DROP_NONE)
        return switch_refuse(node, in_port, way.reason);
    return switch_queue(node, way.port, entry, now_ps);
}

/* Returns the next packet of a port whose transmission begins by `now_ps`. Returns false if there
 * is none. */
static inline bool switch_transmit(
    struct switch_node *node, uint32_t port, uint64_t now_ps, struct port_transmission *out)
{
    if (!port_transmit(&node->ports[port], now_ps, out))
        return false;
    if (node->buffer.config.size_bytes)
        shared_buffer_release(&node->buffer, out->entry.length_bytes);
    if (port_next_ps(&node->ports[port]) == PORT_NEVER_PS)
        bits_clear(node->waiting, port);
    return true;
}

/* Removes the next packet of a port without sending it, and counts it as DROP_PORT_DOWN. Returns
 * false if nothing waits. */
bool switch_discard(struct switch_node *, uint32_t port, struct port_entry *out);

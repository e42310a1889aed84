/* SPDX-License-Identifier: Apache-2.0 */
/* The switch: what a packet meets between two hosts. It forwards by uSIDs (switch_table.h), queues,
 * marks and trims at its egress ports (port.h), and counts. Frames as bytes: switch_frame.h.
 *
 * A switch holds no packets and has no clock. It queues entries that name packets by a handle of
 * the owner's, and is told the time. Its owner works it off in one of two ways:
 *
 * - all ports at once, in real time: whenever a port of `waiting` can send, switch_transmit();
 *   a packet arrives, switch_receive();
 * - port by port, lazily: a packet arrives, switch_table_forward() names its port, this port alone
 *   is brought up to the time with switch_transmit(), then takes the packet with switch_queue(). */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "switch/port.h"
#include "switch/switch_frame.h"
#include "switch/switch_table.h"

struct switch_config {
    struct switch_table table;
    uint32_t port_count;
    uint32_t host_port_count;      /* ports [0, host_port_count) face hosts */
    const struct ipv6_addr *hosts; /* their addresses: no other source may come in by these ports;
                                      NULL: any may */
    struct port_config host;       /* of these; faces_host is set and marks cleared for them */
    struct port_config uplink;     /* of all others */
    uint32_t exception_max;        /* ports, at a time, that run at a rate of their own */
    uint32_t slot_count;           /* of the packet buffer, or ... */
    struct port_pool *pool;        /* ... one that several switches share; NULL: its own */
    bool counters_by_kind;         /* two sets of counters in place of one for each port */
    uint64_t seed;                 /* of the random streams, one for each port */
};

struct switch_node {
    struct switch_table table;
    struct port *ports;
    uint64_t *waiting; /* bitmap: ports with something in their queues */
    uint64_t *up;      /* bitmap: ports whose link is up; all at first */
    uint32_t port_count;
    uint32_t host_port_count;
    struct ipv6_addr *hosts;       /* NULL: sources are not compared */
    struct port_profile *profiles; /* of host ports, of uplinks, then of exceptions */
    uint32_t *exception_ports;     /* whose; SWITCH_NO_PORT: nobody's */
    uint32_t exception_max;
    struct port_pool *pool;
    struct port_pool own_pool;
    uint64_t drops[DROP_REASON_COUNT]; /* of the whole switch; where: the ports' counters */
};

#define SWITCH_NO_PORT UINT32_MAX

/* Measures with an arena without memory. With one that has, the node must stay where it is. */
void switch_init(struct switch_node *, struct arena *, const struct switch_config *);

/* The rate of a port and its cable, from now on; what is on the wire already keeps its own. */
void switch_set_rate(struct switch_node *, uint32_t port, uint64_t rate_bps);

/* A port whose link is down drops what it is given. What waits there stays until it is up again or
 * switch_discard() takes it out. */
void switch_port_up(struct switch_node *, uint32_t port);
void switch_port_down(struct switch_node *, uint32_t port);

struct switch_outcome {
    struct port_outcome at_port;
    uint32_t port; /* SWITCH_NO_PORT: dropped on arrival */
};

/* Counts a packet that cannot leave the switch at all. */
struct switch_outcome switch_refuse(struct switch_node *, uint32_t in_port, enum drop_reason);

/* DROP_NONE, or DROP_SOURCE for a frame whose inner source is not the host of the port it came in
 * by. Ports between switches bring what other switches have compared. */
static inline enum drop_reason switch_check_source(
    const struct switch_node *node, uint32_t in_port, const struct switch_frame *frame)
{
    if (!node->hosts || in_port >= node->host_port_count)
        return DROP_NONE;
    return switch_frame_is_from(frame, &node->hosts[in_port]) ? DROP_NONE : DROP_SOURCE;
}

/* Counts a packet that leaves the switch by `port`, but for this reason does not. */
static inline struct switch_outcome switch_drop(
    struct switch_node *node, uint32_t port, enum drop_reason reason)
{
    node->drops[reason]++;
    return (
        struct switch_outcome){ .at_port = port_drop(&node->ports[port], reason), .port = port };
}

/* Before: every transmission of this port that begins by `now_ps` has been taken out. */
static inline struct switch_outcome switch_queue(
    struct switch_node *node, uint32_t port, struct port_entry entry, uint64_t now_ps)
{
    struct switch_outcome outcome = { .port = port };

    assert(port < node->port_count);
    if (!bits_test(node->up, port))
        return switch_drop(node, port, DROP_PORT_DOWN);
    outcome.at_port = port_enqueue(&node->ports[port], entry, now_ps);
    if (outcome.at_port.verdict == PORT_DROPPED)
        node->drops[outcome.at_port.reason]++;
    else
        bits_set(node->waiting, port);
    return outcome;
}

/* The whole way of a packet that came in at `in_port`: forwards it, which shortens `outer`, and
 * queues it. Before: as switch_queue(), of all ports. */
static inline struct switch_outcome switch_receive(struct switch_node *node,
    struct port_entry entry, struct ipv6_addr *outer, uint32_t in_port, uint64_t now_ps)
{
    struct switch_way way = switch_table_forward(&node->table, outer);

    if (way.reason != DROP_NONE)
        return switch_refuse(node, in_port, way.reason);
    return switch_queue(node, way.port, entry, now_ps);
}

/* The next packet that a port sends if its transmission begins by `now_ps`; false: none does. */
static inline bool switch_transmit(
    struct switch_node *node, uint32_t port, uint64_t now_ps, struct port_transmission *out)
{
    if (!port_transmit(&node->ports[port], now_ps, out))
        return false;
    if (port_next_ps(&node->ports[port]) == PORT_NEVER_PS)
        bits_clear(node->waiting, port);
    return true;
}

/* Takes out the next packet of a port without sending it: it counts as DROP_PORT_DOWN. False:
 * nothing waits. */
bool switch_discard(struct switch_node *, uint32_t port, struct port_entry *out);

/* Invariants in full: aborts by assert. */
void switch_check(const struct switch_node *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that NICs of one protocol offer to the network which carries their packets. MRC is one
 * implementation.
 *
 * A network refers to its NICs, its flows and the packets under way by number. It keeps a pointer
 * to the endpoint of each NIC, which its setup() has made. Calls that concern more than the state
 * of the endpoint take the network: an implementation is written for a network, stores there what
 * it sends and takes from there what it receives. Only the implementation knows what is in a
 * packet, apart from what struct endpoint_departure says.
 *
 * Pausing a port (PFC, credits) is a matter of the link: a port whose data must wait is not in
 * `ready_ports`, unless the endpoint passes pauses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "switch/switch.h"

#define ENDPOINT_NEVER_NS UINT64_MAX
#define ENDPOINT_NOWHERE  UINT32_MAX
#define ENDPOINT_NO_EV    UINT32_MAX

/* A packet that leaves a NIC. */
struct endpoint_departure {
    struct port_entry packet; /* number of the packet, length on the wire, class, ECN */
    uint32_t port;
    uint32_t to;     /* NIC; ENDPOINT_NOWHERE: no such NIC */
    uint32_t ev;     /* selects the path; ENDPOINT_NO_EV: switches do */
    uint32_t sender; /* number of its QP at the NIC; UINT32_MAX: none */
};

/* What an endpoint has to do at this time. */
struct endpoint_wants {
    bool to_send; /* something could be sent with all ports ready */
    bool to_tell; /* next_event() may have an event */
};

/* Messages of a flow arrive complete; their bytes may arrive in any order. */
struct endpoint_message {
    uint64_t offset_bytes; /* of the first byte, from the beginning of the flow */
    uint64_t bytes;
    uint32_t tag; /* for the receiver */
    bool tells;   /* the receiver is told when the message has arrived */
};

enum endpoint_event_kind {
    ENDPOINT_SENT,         /* the oldest message of `flow` has been acknowledged */
    ENDPOINT_RECEIVED,     /* a message of `flow` that tells; `tag` */
    ENDPOINT_FAILED,       /* values: status */
    ENDPOINT_PORT_CHANGED, /* values: port, 1 if it is up */
    ENDPOINT_PATH_CHANGED, /* values: EV, new state, cause, old state */
};

struct endpoint_event {
    enum endpoint_event_kind kind;
    uint32_t flow;
    uint32_t tag;
    uint32_t qpn; /* FAILED, PATH_CHANGED: the end of the flow at this NIC */
    uint64_t values[4];
};

struct endpoint_ops {
    /* Its control packets leave while data is paused: `ready_ports` also has ports with room for a
     * control packet only, and it must find out which those are. */
    bool passes_pauses;

    /* Makes the endpoints of all NICs and their flows. With an arena without memory, it only
     * measures. */
    void (*setup)(void *network, struct arena *);

    /* ---- packets ---- */

    /* Takes an undamaged packet that arrives at `port` of `nic` out of the network. */
    void (*receive)(void *network, uint32_t nic, uint32_t port, struct port_entry, uint64_t now_ps);
    /* Stores the next packet for one of the ports of `ready_ports` (bit p: port p) in the network,
     * which has room for it. Returns false if there is none. */
    bool (*send)(void *network, uint32_t nic, uint32_t ready_ports, struct endpoint_departure *,
        uint64_t now_ps);
    struct endpoint_wants (*wants)(const void *endpoint);
    void (*ports_changed)(void *endpoint, uint32_t up_mask, uint64_t now_ns);

    /* Senders are asked to slow down, from 0, not at all, to 127. NULL: the protocol cannot. */
    void (*penalize)(void *endpoint, uint8_t penalty);

    /* ---- time ---- */

    /* Returns the time by which expire() must be called; ENDPOINT_NEVER_NS: never. */
    uint64_t (*deadline_ns)(const void *endpoint);
    /* Returns the number of retransmission timeouts. */
    uint64_t (*expire)(void *endpoint, uint64_t now_ns);

    /* ---- work ---- */

    /* Posts a message on a flow that begins at `nic`. There is room for as many messages as the
     * flow was made for. */
    void (*post)(void *network, uint32_t nic, uint32_t flow, const struct endpoint_message *,
        uint64_t now_ps);
    bool (*next_event)(void *network, uint32_t nic, struct endpoint_event *);

    /* ---- observation ---- */

    /* Returns what a full packet in the middle of a message has besides its payload, without the
     * framing of Ethernet. */
    uint32_t (*header_bytes)(const void *network);

    /* Adds the counters of the endpoint, and the packets that it refused by reason of drop.def. */
    void (*count)(const void *endpoint, uint64_t *counters, uint64_t *drops);
    /* Asserts all invariants. */
    void (*check)(const void *endpoint);

    /* Begins to fetch what the endpoint will need for its next packets into the cache: first what
     * it refers to and later, when that has arrived, what the rest refers to. NULL: not needed. */
    void (*prefetch)(const void *endpoint);
    void (*prefetch_rest)(const void *endpoint);
};

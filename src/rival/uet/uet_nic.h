/* SPDX-License-Identifier: Apache-2.0 */
/* A NIC of UET: connections, their packets in turn, answers at each port, and the pacer of credits.
 *
 * A connection sends messages from one NIC to another. Its two ends are numbered separately: its
 * outlet at one NIC, its inlet at the other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/deadline_heap.h"
#include "network/network.h"
#include "rival/message/event_queue.h"
#include "rival/routing/ecmp.h"
#include "rival/uet/rccc.h"
#include "rival/uet/uet_receiver.h"
#include "rival/uet/uet_sender.h"

#define UET_NONE UINT32_MAX

/* From a port of this NIC to one of the peer. */
struct uet_way {
    uint32_t port;
    struct ecmp_label label; /* without the hash of the 5-tuple */
};

/* The other end of a connection. */
struct uet_peer {
    uint32_t flow; /* number of the connection in the network */
    uint32_t nic;
    uint32_t dest; /* its number there */
    uint32_t way_count;
    struct uet_way *ways;
    uint16_t source_port; /* of entropy value 0 */
};

struct uet_outlet {
    struct uet_sender sender;
    struct uet_peer peer;
    uint32_t next_ready; /* in the list of the NIC */
    bool is_listed;
    bool is_active; /* it has something to send */
};

struct uet_inlet {
    struct uet_receiver receiver;
    struct uet_peer peer;
};

/* What an inlet has to answer. */
struct uet_answer {
    uint32_t inlet;
    uint32_t trigger;
    uint16_t ev; /* of the packet that is answered */
    uint8_t opcode;
    uint8_t flags;
    uint32_t way;
};

struct uet_port {
    struct uet_answer *answers; /* a ring */
    uint64_t answers_in;
    uint64_t answers_out;
};

struct uet_nic_config {
    uint32_t nic; /* its number */
    uint32_t port_count;
    uint32_t outlet_count;
    uint32_t inlet_count;
    uint32_t event_count; /* messages posted at once, in both directions */
};

struct uet_nic {
    const struct uet_profile *profile;
    struct uet_nic_config config;
    struct uet_outlet *outlets;
    struct uet_inlet *inlets;
    struct uet_port *ports;
    uint32_t ports_up; /* bit p: port p */
    struct event_queue events;
    uint32_t answer_room; /* at each port */
    uint32_t answer_count;
    uint32_t first_ready; /* outlets with a packet that may leave now, in turn */
    uint32_t last_ready;
    uint32_t ready_count;
    uint32_t active_count;       /* outlets with something to send */
    struct deadline_heap timers; /* of outlets; may be too early */
    struct rccc_pacer pacer;
    uint64_t counters[UET_COUNTER_COUNT];
};

/* With an arena without memory, only measures: what a NIC takes is proportional to its numbers. The
 * owner fills in outlets and inlets. */
void uet_nic_init(
    struct uet_nic *, struct arena *, const struct uet_profile *, const struct uet_nic_config *);

/* Posts a message on an outlet. */
void uet_nic_post(struct uet_nic *, uint32_t index, const struct endpoint_message *);

/* A packet to send. */
struct uet_leaving {
    struct uet_packet packet;
    struct ecmp_label label;
    uint32_t to_nic;
    uint32_t port;
    uint32_t outlet; /* UINT32_MAX: an answer */
};
/* Returns false if there is none for these ports. */
bool uet_nic_send(struct uet_nic *, uint32_t ready_ports, struct uet_leaving *, uint64_t now_ps);

/* How a packet has arrived. */
enum uet_fate {
    UET_WHOLE,
    UET_CE, /* with an ECN mark */
    UET_TRIMMED,
    UET_TRIMMED_LAST_HOP,
};
/* Bytes to place; length 0 if there are none. */
struct uet_placing {
    uint32_t flow;
    uint64_t va;
    uint32_t length;
};
struct uet_placing uet_nic_receive(
    struct uet_nic *, const struct uet_packet *, enum uet_fate, uint64_t now_ps);

static inline bool uet_nic_wants_to_send(const struct uet_nic *nic)
{
    return nic->ready_count + nic->answer_count > 0;
}

/* Returns when uet_nic_expire() must be called; UET_NEVER_PS: never. */
uint64_t uet_nic_deadline_ps(const struct uet_nic *);
/* Returns the number of retransmission timeouts. */
uint32_t uet_nic_expire(struct uet_nic *, uint64_t now_ps);

/* Asserts all invariants. */
void uet_nic_check(const struct uet_nic *);

/* SPDX-License-Identifier: Apache-2.0 */
/* A NIC of RoCEv2: connections, their QPs, and what waits to be sent at each port.
 *
 * A connection sends messages from one NIC to another over one or several QPs of each port. Its two
 * ends are numbered separately: its sending end at one NIC, its receiving end at the other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/deadline_heap.h"
#include "network/network.h"
#include "rival/message/event_queue.h"
#include "rival/rocev2/roce_connection.h"
#include "rival/rocev2/roce_receiver.h"
#include "rival/rocev2/roce_sender.h"

/* What a receiver has to answer. */
struct roce_answer {
    uint32_t receiver;
    uint8_t opcode;
    struct psn sack;
};

struct roce_port {
    uint32_t first_ready; /* senders with a packet that may leave now, in turn */
    uint32_t last_ready;
    struct roce_answer *answers; /* a ring */
    uint64_t answers_in;
    uint64_t answers_out;
};

#define ROCE_NONE UINT32_MAX

struct roce_nic_config {
    uint32_t port_count;
    uint32_t outlet_count;
    uint32_t inlet_count;
    uint32_t sender_count;
    uint32_t receiver_count;
    uint32_t
        event_count; /* messages that its connections have posted at once, in both directions */
};

struct roce_nic {
    const struct roce_profile *profile;
    struct roce_nic_config config;
    struct roce_outlet *outlets;
    struct roce_inlet *inlets;
    struct roce_sender *senders;
    struct roce_receiver *receivers;
    struct roce_port *ports;
    struct event_queue events;
    uint32_t answer_room;        /* at each port */
    uint32_t ready_count;        /* senders in the lists of ports */
    uint32_t answer_count;       /* at all ports */
    struct deadline_heap timers; /* of senders; may be too early */
    uint64_t counters[ROCE_COUNTER_COUNT];
};

/* With an arena without memory, only measures: what a NIC takes is proportional to its numbers. The
 * owner fills in connections and QPs. */
void roce_nic_init(
    struct roce_nic *, struct arena *, const struct roce_profile *, const struct roce_nic_config *);

/* Posts a message on an outlet. */
void roce_nic_post(
    struct roce_nic *, uint32_t outlet, const struct endpoint_message *, uint64_t now_ps);

/* A packet to send. */
struct roce_leaving {
    struct roce_packet packet;
    struct ecmp_label label;
    uint32_t to_nic;
    uint32_t port;
    uint32_t sender; /* UINT32_MAX: an answer */
};
/* Ports with room, one bit each. */
struct roce_ready {
    uint32_t answers;
    uint32_t data;
};
/* Returns false if there is none for these ports. */
bool roce_nic_send(struct roce_nic *, struct roce_ready, struct roce_leaving *, uint64_t now_ps);

/* Bytes to place; length 0 if there are none. */
struct roce_placing {
    uint32_t flow;
    uint64_t va;
    uint32_t length;
};
struct roce_placing roce_nic_receive(
    struct roce_nic *, const struct roce_packet *, bool is_marked, uint64_t now_ps);

static inline bool roce_nic_wants_to_send(const struct roce_nic *nic)
{
    return nic->ready_count + nic->answer_count > 0;
}

static inline bool roce_nic_wants_to_tell(const struct roce_nic *nic)
{
    return !event_queue_is_empty(&nic->events);
}

/* Returns when roce_nic_expire() must be called; DEADLINE_HEAP_NEVER: never. */
static inline uint64_t roce_nic_deadline_ps(const struct roce_nic *nic)
{
    return deadline_heap_next(&nic->timers);
}
/* Returns the number of retransmission timeouts. */
uint32_t roce_nic_expire(struct roce_nic *, uint64_t now_ps);

/* Asserts all invariants. */
void roce_nic_check(const struct roce_nic *);

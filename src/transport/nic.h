/* SPDX-License-Identifier: Apache-2.0 */
/* What the QPs of one NIC share: ports, timers, turns, answers, counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "base/rate.h"
#include "base/wheel.h"
#include "transport/control.h"
#include "transport/events.h"
#include "transport/qp.h"
#include "transport/transport.h"

enum {
    NIC_CONTROL_SLOTS = 256,
    NIC_ENDPOINT_SLOTS = 64,
    NIC_EV_EVENT_SLOTS = 64,
    NIC_PEER_SLOTS = 64,
};

/* Indexes of QPs, each at most once, first in first out. */
struct nic_ring {
    uint32_t *slots;
    uint32_t slot_count; /* a power of two, more than there are QPs */
    uint32_t head;
    uint32_t tail;
};

enum nic_port_state {
    NIC_PORT_UP,
    NIC_PORT_DOWN,
    NIC_PORT_HELD,      /* up, waiting out the hold-down */
    NIC_PORT_VERIFYING, /* up, probes under way */
};

struct nic_port {
    uint64_t due_ns; /* when the present state ends or the next probe goes */
    uint8_t state;   /* enum nic_port_state */
    uint8_t answers;
};

enum nic_endpoint_use {
    NIC_ENDPOINT_FREE,
    NIC_ENDPOINT_CALLER,  /* transport_endpoint_probe() */
    NIC_ENDPOINT_REVERSE, /* a QP's way back */
    NIC_ENDPOINT_PORT,    /* verifies a port that came up */
    NIC_ENDPOINT_UPDATE,  /* PORT_STATUS_UPDATE */
};

/* An Endpoint Request, waiting to leave or for its answer. Its slot is its id modulo the number of
 * slots. */
struct nic_endpoint {
    struct ipv6_addr dst;
    uint64_t sent_ns;
    uint32_t ev;
    uint32_t qp_index;
    uint16_t id;
    uint16_t ev_index;
    uint8_t use;
    uint8_t port;
    uint8_t class;
    bool waits; /* not sent yet */
};

struct transport {
    struct transport_config config;
    struct path_config path_config;
    struct prng prng;
    struct wheel wheel; /* one timer per QP, and the NIC's own at index qp_count_max */
    struct control_queue control;
    struct nic_ring ready;
    struct nic_ring eventful;
    struct qp **qps;          /* by index; NULL: free */
    struct qp **qpn_table;    /* open addressing; NULL: empty */
    uint32_t qpn_table_count; /* a power of two */
    uint32_t qp_count;
    uint32_t first_free;  /* no index below it is free */
    uint32_t up_mask;     /* links that are up */
    uint32_t usable_mask; /* and may carry traffic */
    struct rate reverse_probes;
    struct rate ev_probes;
    struct rate endpoint_answers;
    uint32_t send_call;
    struct nic_port ports[PATH_PLANE_COUNT_MAX];
    uint32_t port_events_up; /* to be reported */
    uint32_t port_events_down;
    struct nic_endpoint *endpoints;
    uint32_t endpoint_waiting;
    uint16_t endpoint_id;
    uint16_t ports_told_from; /* requests from this id on tell of our ports as they are now */
    struct transport_event *ev_events; /* ring */
    uint32_t ev_event_head;
    uint32_t ev_event_tail;
    uint32_t peer_cache[NIC_PEER_SLOTS]; /* index + 1 of a QP with that peer */
    uint64_t counters[COUNTER_COUNT];
    uint64_t drops[DROP_REASON_COUNT];
};

static inline void nic_count(struct transport *nic, enum counter counter)
{
    nic->counters[counter]++;
}

static inline void nic_trace(const struct transport *nic, enum event kind, uint32_t qpn,
    uint64_t now_ns, uint64_t a, uint64_t b, uint64_t c)
{
    if (nic->config.trace)
        trace_emit(nic->config.trace,
            &(struct trace_event){
                .time_ns = now_ns, .kind = kind, .subject = qpn, .values = { a, b, c } });
}

/* The QP with this number; NULL: none. */
struct qp *nic_find(const struct transport *, uint32_t qpn);

void nic_add(struct transport *, struct qp *);
void nic_remove(struct transport *, struct qp *);

/* Some QP whose peer has this address; NULL: none. */
struct qp *nic_find_peer(struct transport *, const struct ipv6_addr *);

/* Builds the answer at the head of the queue, for a port of `ready_ports`; false: none, or no port
 * (answer.c). */
bool nic_send_answer(struct transport *, uint32_t ready_ports, struct packet *out, uint64_t now_ns);

/* Endpoint operations and ports (endpoint.c, port.c). */
enum drop_reason nic_on_endpoint_request(
    struct transport *, const struct packet *, uint64_t now_ns);
enum drop_reason nic_on_endpoint_response(
    struct transport *, const struct packet *, uint64_t now_ns);
bool nic_send_endpoint(
    struct transport *, uint32_t ready_ports, struct packet *out, uint64_t now_ns);
/* Queues a request; yields its id, or -1 when too many wait. */
int32_t nic_request_endpoint(struct transport *, const struct nic_endpoint *);
void nic_port_on_answer(struct transport *, uint32_t port, uint64_t now_ns);
void nic_ports_expire(struct transport *, uint64_t now_ns);
/* Sets the NIC's own timer. */
void nic_update(struct transport *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The state that the QPs of one NIC share: ports, timers, turns, answers, counters. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "base/rate.h"
#include "transport/control_queue.h"
#include "transport/deadlines.h"
#include "transport/events.h"
#include "transport/peer_index.h"
#include "transport/qp.h"
#include "transport/receive_share.h"
#include "transport/transport.h"

/* A FIFO queue of indexes of QPs or peers. Each index is in it at most once. */
struct nic_ring {
    uint32_t *slots;
    uint32_t slot_count; /* a power of two, greater than the number of QPs */
    uint32_t head;
    uint32_t tail;
};

enum nic_port_state {
    NIC_PORT_UP,
    NIC_PORT_DOWN,
    NIC_PORT_HELD,      /* up, in the hold-down */
    NIC_PORT_VERIFYING, /* up, being verified with probes */
};

struct nic_port {
    uint64_t due_ns;    /* held, verifying: when that ends, or the next probe is due */
    uint32_t rate_mbps; /* of packets that arrive; 0: that of link_bps */
    uint8_t state;      /* enum nic_port_state */
    uint8_t answers;
};

enum nic_endpoint_use {
    NIC_ENDPOINT_FREE,
    NIC_ENDPOINT_CALLER,  /* transport_endpoint_probe() */
    NIC_ENDPOINT_REVERSE, /* the way back to a peer */
    NIC_ENDPOINT_PORT,    /* verifies a port that came up */
    NIC_ENDPOINT_UPDATE,  /* PORT_STATUS_UPDATE */
};

/* An Endpoint Request that waits to be sent or for its answer. Requests that are in use at the same
 * time have different ids, also across kinds. */
struct nic_endpoint {
    struct ipv6_addr dst;
    uint64_t sent_ns;
    uint32_t ev;
    uint32_t peer_index; /* NIC_ENDPOINT_REVERSE */
    uint16_t id;
    uint16_t ev_index;
    uint8_t use;
    uint8_t port;
    uint8_t class;
    bool waits; /* not sent yet */
};

/* An event for transport_next_event() that is not kept in a QP. */
struct nic_note {
    uint64_t rtt_ns; /* ENDPOINT_ANSWER */
    uint32_t qpn;
    uint16_t request_id;
    uint16_t ev_index; /* EV_CHANGED, and the next three */
    uint8_t from;
    uint8_t to;
    uint8_t cause;
    uint8_t kind; /* TRANSPORT_EV_CHANGED or TRANSPORT_ENDPOINT_ANSWER */
    uint8_t port;
};

#define NIC_NO_PEER UINT32_MAX

/* The members that every packet touches come first. */
struct transport {
    struct env_nic env;                /* the part that QPs may use */
    struct parameters *own_parameters; /* NULL: the caller owns them */
    struct qp **qps;                   /* by index; NULL: free */
    struct qp **qpn_table;             /* open addressing; NULL: empty */
    uint32_t qpn_table_count;          /* a power of two */
    uint32_t qp_count_max;
    struct control_queue control;
    struct receive_share share;
    struct nic_ring ready; /* peers to which something can be sent */
    struct nic_ring eventful;
    struct deadlines deadlines; /* one timer per QP, the NIC's own at index qp_count_max, then one
                                   per peer */
    uint32_t send_call;
    uint32_t early_index; /* peer that was scheduled before others, or NIC_NO_PEER */
    uint32_t up_mask; /* links that are up; env.usable_mask: those that also may carry traffic */
    uint32_t endpoint_waiting;
    bool ports_cross;    /* see struct transport_config */
    bool has_many_qps;   /* more than caches hold */
    bool counts_bursts;  /* the current call requests more packets than a burst */
    uint8_t incarnation; /* sent in our updates; not 0 */

    uint64_t seed;
    struct prng prng;
    struct path_config path_config;
    struct rate reverse_probes;
    struct rate ev_probes;
    struct rate endpoint_answers;
    struct nic_port *ports;         /* [port_count] */
    struct nic_endpoint *endpoints; /* [endpoint_slots], a power of two */
    struct nic_note *notes;         /* a ring of note_slots, a power of two */
    struct peer *peers;             /* [qp_count_max] */
    struct peer_index peer_index;
    uint32_t *peer_cache; /* [peer_slots], a power of two: index + 1 of a QP of the peer */
    uint32_t endpoint_slots;
    uint32_t note_slots;
    uint32_t note_head;
    uint32_t note_tail;
    uint32_t peer_slots;
    uint32_t qp_count;
    uint32_t range_psns;     /* PSNs that all its responders admit together */
    uint32_t first_free;     /* all indexes below it are in use */
    uint32_t port_events_up; /* to be reported */
    uint32_t port_events_down;
    uint16_t endpoint_id;     /* of the next EV probe */
    uint16_t update_id;       /* of the next PORT_STATUS_UPDATE; ids of updates ascend */
    uint16_t id_step;         /* from each id to the next */
    uint16_t ports_told_from; /* first id of the requests that carry the current port status */
    uint64_t counters[COUNTER_COUNT];
    uint64_t drops[DROP_REASON_COUNT];
};

/* Returns the time after which a probe without an answer has failed, for a round trip of `rtt_ns`
 * (§16.1). */
static inline uint64_t nic_probe_timeout_ns(const struct transport *nic, uint32_t rtt_ns)
{
    return PARAMETERS_TIMER_NS(nic->env.parameters, probe_timeout, rtt_ns);
}

/* Returns T of the peer, the interval at which port status updates are repeated (§18). */
static inline uint64_t nic_update_interval_ns(const struct transport *nic, const struct peer *peer)
{
    return parameters_longer_ns(UINT64_C(1024) << nic->env.parameters->timeout,
        PARAMETER_TENTHS_timeout, peer->cc.base_rtt_ns);
}

/* Returns T of the QP (§13). */
static inline uint64_t qp_timeout_ns(const struct qp *qp)
{
    return parameters_longer_ns(UINT64_C(1024) << qp->env.attributes.timeout,
        PARAMETER_TENTHS_timeout, qp->env.peer->cc.base_rtt_ns);
}

static inline void nic_count(struct transport *nic, enum counter counter)
{
    nic->counters[counter]++;
}

/* Counts a received packet under its drop reason, and returns the reason. */
static inline enum drop_reason nic_count_packet(struct transport *nic, enum drop_reason reason)
{
    nic->drops[reason]++;
    return reason;
}

/* Queues an answer of this QP. */
static inline void nic_answer(
    struct transport *nic, const struct qp *qp, struct control_record answer)
{
    answer.qp_index = qp->env.index;
    if (!control_queue_push(&nic->control, &answer))
        nic_count(nic, COUNTER_CONTROL_OVERFLOW);
}

static inline void nic_trace(const struct transport *nic, enum event kind, uint32_t qpn,
    uint64_t now_ns, uint64_t a, uint64_t b, uint64_t c)
{
    if (nic->env.trace)
        trace_emit(nic->env.trace,
            &(struct trace_event){
                .time_ns = now_ns, .kind = kind, .subject = qpn, .values = { a, b, c } });
}

static inline uint32_t nic_ring_count(const struct nic_ring *ring)
{
    return ring->tail - ring->head;
}

static inline uint32_t *nic_ring_at(const struct nic_ring *ring, uint32_t place)
{
    return &ring->slots[(ring->head + place) & (ring->slot_count - 1)];
}

static inline void nic_ring_push(struct nic_ring *ring, uint32_t index)
{
    ring->slots[ring->tail++ & (ring->slot_count - 1)] = index;
    assert(ring->tail - ring->head <= ring->slot_count);
}

static inline void nic_ring_push_first(struct nic_ring *ring, uint32_t index)
{
    ring->slots[--ring->head & (ring->slot_count - 1)] = index;
    assert(ring->tail - ring->head <= ring->slot_count);
}

/* Keeps the note for transport_next_event(). Counts it as lost if too many wait. */
void nic_note(struct transport *, const struct nic_note *);

/* Returns the QP with this number; NULL: there is none. */
struct qp *nic_find(const struct transport *, uint32_t qpn);

void nic_add(struct transport *, struct qp *);
void nic_remove(struct transport *, struct qp *);
/* Forgets the outstanding probes of the way back to this peer. */
void nic_forget_way_back(struct transport *, const struct peer *);
/* Tells the congestion control of a destination the total rate of the usable ports. */
void nic_tell_link_rate(const struct transport *, struct peer *);

/* Returns the first peer with this address, or the next one after `peer`, in the order of their
 * indexes; NULL: there is none. Includes peers whose QPs have all failed. */
struct peer *nic_next_peer(
    const struct transport *, const struct peer *, const struct ipv6_addr *address);
/* Returns the first QP of the peer, or the next one after `qp`, in the order of their indexes;
 * NULL: there is none. */
struct qp *nic_next_qp(const struct transport *, const struct peer *, const struct qp *);

/* Returns a QP whose peer has this address; NULL: there is none. */
struct qp *nic_find_peer(struct transport *, const struct ipv6_addr *);

/* Builds the oldest answer that can leave on a port of `ready_ports`. False: there is none
 * (answer.c). */
bool nic_send_answer(struct transport *, uint32_t ready_ports, struct packet *out, uint64_t now_ns);

/* Endpoint operations and ports (transport_endpoint.c, forged_update.c, transport_port.c). */
enum drop_reason nic_on_endpoint_request(
    struct transport *, const struct packet *, uint64_t now_ns);
enum drop_reason nic_on_endpoint_response(
    struct transport *, const struct packet *, uint64_t now_ns);
/* Handles an Endpoint Response that answers no request of ours. If it answers a port status update,
 * sends the peer the state of our ports again. */
void nic_on_unasked_answer(struct transport *, const struct packet *, uint64_t now_ns);
bool nic_send_endpoint(
    struct transport *, uint32_t ready_ports, struct packet *out, uint64_t now_ns);
/* Queues a request. Returns its id, or -1 if too many wait. */
int32_t nic_request_endpoint(struct transport *, const struct nic_endpoint *);
/* Forgets a request. An answer to it is ignored. */
void nic_forget_endpoint(struct transport *, uint16_t id);
void nic_port_on_answer(struct transport *, uint32_t port, uint64_t now_ns);
void nic_ports_expire(struct transport *, uint64_t now_ns);
/* Draws a random EV of the QP on this plane; PATH_NONE: it has none. Draws an EV known to be bad
 * only if all are. */
uint32_t nic_draw_ev(struct transport *, const struct qp *, uint32_t plane);

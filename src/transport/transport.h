/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of one NIC: the whole contact between the protocol and the world.
 *
 * Packets, time and randomness come in as arguments; packets and events come out. Nothing is
 * allocated but from the memory given at init and at the creation of a QP. One thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/trace.h"
#include "cc/cc.h"
#include "path/path.h"
#include "transport/counters.h"
#include "transport/events.h"
#include "transport/parameters.h"
#include "wire/drop.h"
#include "wire/packet.h"

/* ---- the world's side ----------------------------------------------------------------------- */

enum transport_access {
    TRANSPORT_ACCESS_OK,
    TRANSPORT_ACCESS_REFUSED, /* key, bounds, rights or domain: the QP will fail */
    TRANSPORT_ACCESS_FAILED,  /* the memory did: so will the QP, and its peer */
};

/* Registered memory. Checks key, bounds and rights of all of [va, va + length) before it writes
 * anything; `payload.bytes` may be NULL (the simulator): then it checks only. */
struct transport_memory {
    enum transport_access (*place)(void *context, void *owner, uint32_t qpn, uint32_t rkey,
        uint64_t va, const struct payload *payload); /* `owner`: of the QP */
    /* Whether there is room for a packet at the moment; the peer is told if not, and sends it again
     * later. NULL: always. */
    bool (*has_room)(void *context, uint32_t qpn, uint32_t payload_bytes);
    void *context;
};

#define TRANSPORT_ENGINES_MAX 4 /* of one NIC */

struct transport_config {
    struct ipv6_addr address;
    uint32_t port_count; /* planes; port p of the NIC is plane p */
    bool ports_cross;    /* a path may end at another port than it left by: what peers say about the
                            state of their ports tells nothing about ours */
    uint32_t qp_count_max;
    uint64_t seed;
    uint8_t nak_write_imm_limit; /* as in struct wire_format */
    struct transport_memory memory;
    const struct trace_sink *trace; /* NULL: no trace */
    /* What can wait at a time, powers of two; 0: the number given. */
    uint32_t control_slots;  /* answers: 256, a quarter of them Endpoint Responses */
    uint32_t endpoint_slots; /* Endpoint Requests under way: 64 */
    uint32_t ev_event_slots; /* TRANSPORT_EV_CHANGED and _ENDPOINT_ANSWER not fetched: 64 */
    uint32_t peer_slots;     /* peers found again at once: 64 */
    /* One of several engines that are one NIC together. Its Endpoint Requests have ids that leave
     * engine_index when divided by engine_count, a power of two, at most TRANSPORT_ENGINES_MAX; 0:
     * one. */
    uint32_t engine_index;
    uint32_t engine_count;
    struct parameters parameters;
    /* Not NULL: used instead of a copy of `parameters`, so that many NICs share one. It stays the
     * caller's, who keeps it while the NIC lives and calls transport_set_parameters() on each NIC
     * after a change. */
    const struct parameters *shared_parameters;
};

struct transport;

/* Measures with an arena without memory, takes with one that has. */
struct transport *transport_init(struct arena *, const struct transport_config *);

/* ---- packets -------------------------------------------------------------------------------- */

enum drop_reason transport_receive(struct transport *, const struct packet *, uint64_t now_ns);

/* For a driver that has several packets: this one is received soon, others before it. The QP that
 * it is for is fetched into the cache meanwhile. With few QPs nothing happens. */
void transport_prefetch(const struct transport *, const struct packet *);

/* Fills `out` with at most `out_max` packets for ports of `ready_ports` (bit p: port p has room for
 * all of them); returns the number. */
uint32_t transport_send(struct transport *, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns);

/* Something could be sent if ports were ready. */
bool transport_wants_to_send(const struct transport *);

/* How many answers wait to leave. transport_send() sends them before anything else. */
uint32_t transport_answers_waiting(const struct transport *);

void transport_ports_changed(struct transport *, uint32_t up_mask, uint64_t now_ns);

/* `sharer_count` other engines of this NIC send to this address, too: together they take the share
 * of one sender. */
void transport_set_sharers(
    struct transport *, const struct ipv6_addr *address, uint32_t sharer_count);

/* The operator wants traffic off these ports (bit p: port p), which stay up: peers are told to
 * leave the paths by which their packets arrive there (ALWAYS_SKIP, docs/protocol.md §7.2). */
void transport_drain_ports(struct transport *, uint32_t port_mask);

/* When transport_expire() must be called, at the latest; a call too early is harmless.
 * UINT64_MAX: nothing to wait for. */
uint64_t transport_deadline_ns(const struct transport *);
void transport_expire(struct transport *, uint64_t now_ns);

/* What there may be to do now, for drivers that ask after every packet. */
struct transport_wants {
    bool to_send; /* transport_wants_to_send() */
    bool to_tell; /* false: transport_next_event() has nothing */
};
struct transport_wants transport_wants(const struct transport *);

/* ---- queue pairs ---------------------------------------------------------------------------- */

enum qp_state {
    QP_RESET,
    QP_INIT,
    QP_RTR,
    QP_RTS,
    QP_ERR,
    QP_STATE_COUNT,
};

/* Fixed at creation: they size the QP's memory. */
struct qp_init {
    uint32_t send_depth; /* work requests */
    uint32_t recv_depth;
    uint32_t window_psns_max;      /* requester: a power of two, 128 to 32768; 0: sends nothing */
    uint32_t window_psns_max_dest; /* responder: likewise; 0: receives nothing */
    uint32_t write_imm_max_dest;   /* WriteImm in flight it can hold as responder */
    const struct path_profile *paths;
    const struct cc_profile *cc;
    void *owner; /* the caller's: comes back wherever the transport speaks of the QP */
    bool signal_all;
};

enum qp_attribute { /* which members of struct qp_attributes a change sets */
    QP_ATTR_STATE = 1 << 0,
    QP_ATTR_PEER = 1 << 1, /* address, QPN, port mask */
    QP_ATTR_PMTU = 1 << 2,
    QP_ATTR_RQ_PSN = 1 << 3,
    QP_ATTR_SQ_PSN = 1 << 4,
    QP_ATTR_MPR = 1 << 5,
    QP_ATTR_MPR_DEST = 1 << 6,
    QP_ATTR_MAX_WIMM = 1 << 7,
    QP_ATTR_MAX_WIMM_DEST = 1 << 8,
    QP_ATTR_TIMEOUT = 1 << 9,
    QP_ATTR_RETRY = 1 << 10,
    QP_ATTR_CAPABILITIES = 1 << 11,
    QP_ATTR_ALL = (1 << 12) - 1,
};

struct qp_attributes {
    enum qp_state state;
    struct ipv6_addr peer_address;
    uint32_t peer_qpn;
    uint32_t peer_ports; /* bit p: its port p is up */
    uint32_t pmtu_bytes;
    struct psn rq_psn;
    struct psn sq_psn;
    uint8_t mpr;      /* requester, units of 128 PSNs */
    uint8_t mpr_dest; /* responder */
    uint16_t max_wimm;
    uint16_t max_wimm_dest;
    /* T = 1.024 us << timeout, at most 24. A change may ask for less than timeout_floor and
     * give_up_floor allow: then queries tell the value in force. */
    uint8_t timeout;
    uint8_t retry_linear;      /* at most 7 */
    uint8_t retry_exponential; /* at most 25; 25: without end */
    bool dynamic_mpr;          /* both sides agreed */
    bool peer_trim_nack;       /* the peer, as responder, answers trimmed packets */
    bool trim_nack;            /* we do, as responder */
    bool peer_service_time;    /* the peer does the next */
    bool service_time;         /* we, as responder, take our hold time out of the echoed stamp */
};

size_t transport_qp_bytes(const struct qp_init *);

/* PSNs in flight that a QP needs, in units of 128: the parameter, or what the window asks for. */
uint8_t transport_mpr(const struct parameters *, const struct cc_profile *);

/* `memory`: transport_qp_bytes() bytes, aligned for any type, the QP's until it is destroyed.
 * `qpn`: chosen by the caller, above 2, below 2^24. Starts in RESET with the defaults of the
 * parameters. 0 or a negative errno: EINVAL, EEXIST (the number is taken), ENOMEM (qp_count_max
 * reached). */
int transport_qp_create(struct transport *, uint32_t qpn, const struct qp_init *, void *memory);
int transport_qp_modify(struct transport *, uint32_t qpn, const struct qp_attributes *,
    uint32_t attribute_mask, uint64_t now_ns);
int transport_qp_query(const struct transport *, uint32_t qpn, struct qp_attributes *);
int transport_qp_destroy(struct transport *, uint32_t qpn);

/* Other profiles, in any state; packets that are under way count as before. What the QP had learnt
 * of its paths, or of congestion, it learns anew. `memory`: transport_paths_bytes() bytes, aligned
 * for any type, the QP's until it is destroyed or gets others; what it used before is free then.
 * -EINVAL: other planes than before, no EVs, too many. */
size_t transport_paths_bytes(const struct path_profile *);
int transport_qp_set_paths(
    struct transport *, uint32_t qpn, const struct path_profile *, void *memory, uint64_t now_ns);
int transport_qp_set_cc(
    struct transport *, uint32_t qpn, const struct cc_profile *, uint64_t now_ns);

/* What packets to a destination take in an empty network, where that is known. */
struct transport_rtt {
    uint32_t fixed_ns;   /* there and its SACK back, for a packet of no bytes */
    uint32_t per_kib_ns; /* and for each KiB of its nominal size */
    uint32_t packet_ns;  /* a full packet on a port of the destination */
};

/* Tells all QPs to this address, which must be in RTR or later and have sent nothing yet. */
void transport_set_rtt(
    struct transport *, const struct ipv6_addr *address, const struct transport_rtt *);

/* ---- work ----------------------------------------------------------------------------------- */

enum work_flag {
    WORK_SIGNALED = 1 << 0,
    WORK_SOLICITED = 1 << 1,
    WORK_WITH_IMMEDIATE = 1 << 2,
};

struct work_request {
    uint64_t id;
    uint64_t remote_va;
    uint64_t local; /* the caller's: where the bytes are; comes back through transport_request() */
    uint32_t rkey;
    uint32_t length_bytes; /* at most 2^31 */
    uint32_t immediate;
    uint32_t flags; /* enum work_flag */
};

/* 0 or a negative errno: EINVAL (state, length), ENOMEM (queue full). */
int transport_post_send(
    struct transport *, uint32_t qpn, const struct work_request *, uint64_t now_ns);
int transport_post_recv(struct transport *, uint32_t qpn, uint64_t id);

/* The request whose bytes a data packet just sent carries, until it completes. `owner`: gets that
 * of its QP; may be NULL. */
const struct work_request *transport_request(
    const struct transport *, const struct packet *, void **owner);

/* ---- events --------------------------------------------------------------------------------- */

enum completion_status {
    COMPLETION_SUCCESS,
    COMPLETION_LOCAL_PROTECTION,
    COMPLETION_FLUSHED,
    COMPLETION_REMOTE_INVALID_REQUEST,
    COMPLETION_REMOTE_ACCESS,
    COMPLETION_REMOTE_OPERATION,
    COMPLETION_RETRY_EXCEEDED,
    COMPLETION_STATUS_COUNT,
};

enum transport_event_kind {
    TRANSPORT_SEND_DONE,
    TRANSPORT_RECV_DONE,
    TRANSPORT_QP_REQUEST_ERROR, /* asynchronous, as responder: NAK sent, QP in ERR */
    TRANSPORT_QP_ACCESS_ERROR,
    TRANSPORT_QP_FATAL,
    TRANSPORT_PORT_UP,
    TRANSPORT_PORT_DOWN,
    TRANSPORT_EV_CHANGED,      /* GOOD <-> ASSUMED_BAD, DENIED: for a controller */
    TRANSPORT_ENDPOINT_ANSWER, /* an Endpoint Response to transport_endpoint_probe() */
};

struct transport_event {
    enum transport_event_kind kind;
    uint32_t qpn;
    void *owner; /* of the QP; NULL: the event is of none, or of one that was destroyed since */
    uint64_t id; /* of the work request */
    enum completion_status status;
    bool solicited;     /* RECV_DONE */
    uint32_t immediate; /* RECV_DONE */
    uint32_t length_bytes;
    uint32_t port;             /* PORT_*; ENDPOINT_ANSWER: the one probed */
    struct path_change change; /* EV_CHANGED */
    uint32_t request_id;       /* ENDPOINT_ANSWER */
    uint64_t rtt_ns;
};

bool transport_next_event(struct transport *, struct transport_event *out);

/* As transport_next_event(), but keeps the events of a QP while answers of that QP wait to leave.
 * For drivers whose application may end as soon as it sees an event: what the peer must hear of the
 * operation has left by then. */
bool transport_next_answered_event(struct transport *, struct transport_event *out);

/* In JSON and for people: "RTS"; "retry_exceeded"; of the value `rule` in traces, "trimmed". */
const char *transport_state_word(enum qp_state);
const char *transport_completion_word(enum completion_status);
const char *transport_rule_word(uint64_t rule);

/* ---- a controller's and an observer's side --------------------------------------------------- */

/* Sends an EV probe (Endpoint Request) to `dst` on the given EV and port; -EAGAIN when too many
 * wait. */
int transport_endpoint_probe(struct transport *, const struct ipv6_addr *dst, uint32_t ev,
    uint32_t port, enum dscp_class class, uint16_t *request_id, uint64_t now_ns);

struct path_set *transport_qp_paths(struct transport *, uint32_t qpn);
/* Copies them, or with shared_parameters keeps the pointer. */
void transport_set_parameters(struct transport *, const struct parameters *);
const struct parameters *transport_parameters(const struct transport *);
const uint64_t *transport_counters(const struct transport *); /* [COUNTER_COUNT] */
const uint64_t *transport_drops(const struct transport *);    /* [DROP_REASON_COUNT] */

/* What the parameters say about congestion control, for cc_profile_init(). */
void transport_cc_settings(const struct parameters *, uint32_t port_count, struct cc_settings *);

struct qp_status {
    enum qp_state state;
    struct psn next_psn;
    struct psn unacked_psn;
    uint32_t inflight_bytes;
    uint32_t window_bytes;
    uint32_t base_rtt_ns;
    uint32_t smoothed_rtt_ns;
    uint32_t reorder_window_ns;
    uint32_t mpr_psns;
    uint32_t timeouts;           /* since the cumulative acknowledgement last advanced */
    uint32_t plane_mask;         /* usable towards the peer */
    uint32_t control_plane_mask; /* in the control rotation */
};
int transport_qp_status(const struct transport *, uint32_t qpn, struct qp_status *);

/* Every invariant of every QP: aborts by assert. */
void transport_check(const struct transport *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of one NIC: the complete interface between the protocol and its driver.
 *
 * Packets, time and randomness are arguments; packets and events are results. Memory is taken only
 * from the arena given at init and the memory given when a QP is created. One thread may use a
 * transport at a time. */
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

/* ---- what the driver provides --------------------------------------------------------------- */

enum transport_access {
    TRANSPORT_ACCESS_OK,
    TRANSPORT_ACCESS_REFUSED, /* key, bounds, rights or domain: the QP will fail */
    TRANSPORT_ACCESS_FAILED,  /* the memory failed: the QP and its peer will fail */
};

/* Registered memory. `place` checks key, bounds and rights of all of [va, va + length) before it
 * writes anything. `payload.bytes` may be NULL (in the simulator): then it only checks. */
struct transport_memory {
    enum transport_access (*place)(void *context, void *owner, uint32_t qpn, uint32_t rkey,
        uint64_t va, const struct payload *payload); /* `owner`: that of the QP */
    /* True if there is room for a packet at the moment. If not, the peer gets a NACK and sends it
     * again later. NULL: there is always room. */
    bool (*has_room)(void *context, uint32_t qpn, uint32_t payload_bytes);
    void *context;
};

#define TRANSPORT_ENGINES_MAX 4 /* of one NIC */

struct transport_config {
    struct ipv6_addr address;
    uint32_t port_count; /* number of planes; port p of the NIC is plane p */
    bool ports_cross; /* paths may end at another port number than that on which they begin, so the
                         port status of peers says nothing about our ports */
    uint32_t qp_count_max;
    uint64_t seed;
    uint8_t nak_write_imm_limit; /* as in struct wire_format */
    struct transport_memory memory;
    const struct trace_sink *trace; /* NULL: no trace */
    /* Sizes of queues, powers of two. 0 selects the number in the comment. */
    uint32_t control_slots;  /* answers that wait: 256, of which 64 may be Endpoint Responses */
    uint32_t endpoint_slots; /* Endpoint Requests in flight: 64 */
    uint32_t ev_event_slots; /* TRANSPORT_EV_CHANGED and _ENDPOINT_ANSWER not fetched: 64 */
    uint32_t peer_slots;     /* cache of peers by address: 64 */
    /* Index of this engine and number of engines, if several engines form one NIC. The ids of its
     * Endpoint Requests are engine_index modulo engine_count, a power of two, at most
     * TRANSPORT_ENGINES_MAX. 0 means one engine. */
    uint32_t engine_index;
    uint32_t engine_count;
    struct parameters parameters;
    /* If not NULL, it is used instead of a copy of `parameters`, so that many NICs can share it.
     * The caller owns it, keeps it as long as the NIC exists, and calls transport_set_parameters()
     * on each NIC after a change. */
    const struct parameters *shared_parameters;
};

struct transport;

/* Takes the memory of the NIC from the arena. With an arena without memory, it only measures. */
struct transport *transport_init(struct arena *, const struct transport_config *);

/* ---- packets -------------------------------------------------------------------------------- */

enum drop_reason transport_receive(struct transport *, const struct packet *, uint64_t now_ns);

/* Fetch into the cache what a packet needs that will be received soon, after others: first its QP
 * and later, when that has arrived, the places in the windows of the QP. With few QPs both do
 * nothing; transport_prefetch() then returns false. */
bool transport_prefetch(const struct transport *, const struct packet *);
void transport_prefetch_windows(const struct transport *, const struct packet *);

/* The same for a NIC with few QPs that will be used soon, after many other NICs: first its QPs and
 * peers and later, when these have arrived, the next places in their windows and their paths. */
void transport_prefetch_qps(const struct transport *);
void transport_prefetch_work(const struct transport *);

/* Fills `out` with at most `out_max` packets for ports of `ready_ports` (bit p: port p has room for
 * all of them). Returns the number of packets. */
uint32_t transport_send(struct transport *, uint32_t ready_ports, struct packet *out,
    uint32_t out_max, uint64_t now_ns);

/* True if something could be sent with all ports ready. */
bool transport_wants_to_send(const struct transport *);

/* Returns the number of answers that wait. transport_send() sends them before anything else. */
uint32_t transport_answers_waiting(const struct transport *);

void transport_ports_changed(struct transport *, uint32_t up_mask, uint64_t now_ns);

/* Bit p: port p. */
struct transport_ports {
    uint32_t up_mask;     /* of the last transport_ports_changed(); at first all */
    uint32_t usable_mask; /* those that also carry traffic: not held down, verified (§18) */
};
struct transport_ports transport_ports(const struct transport *);

/* Tells the transport that `sharer_count` other engines of this NIC also send to this address.
 * Together they take the share of one sender. */
void transport_set_sharers(
    struct transport *, const struct ipv6_addr *address, uint32_t sharer_count);

/* Drains these ports (bit p: port p), which stay up. Peers are asked to stop using the paths on
 * which their packets arrive there (ALWAYS_SKIP, docs/protocol.md §7.2). */
void transport_drain_ports(struct transport *, uint32_t port_mask);

/* Sets the rate at which packets can arrive at a port. At first, ports divide link_bps equally. */
void transport_set_port_rate(struct transport *, uint32_t port, uint64_t rate_bps);

/* SACKs of all QPs ask senders to shrink their windows, from 0, not at all, to 127 (§20). */
void transport_set_penalty(struct transport *, uint8_t penalty);

/* Returns the time by which transport_expire() must be called. An earlier call is harmless.
 * UINT64_MAX: no call is needed. */
uint64_t transport_deadline_ns(const struct transport *);
void transport_expire(struct transport *, uint64_t now_ns);

/* What the transport has to do at this time, for drivers that ask after every packet. */
struct transport_wants {
    bool to_send; /* transport_wants_to_send() */
    bool to_tell; /* transport_next_event() may have an event */
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

/* Attributes that are fixed at creation, because they determine the size of the QP's memory. */
struct qp_init {
    uint32_t send_depth; /* work requests */
    uint32_t recv_depth;
    uint32_t window_psns_max;      /* requester: a power of two, 128 to 32768; 0: no requester */
    uint32_t window_psns_max_dest; /* responder: a power of two, 128 to 32768; 0: no responder */
    uint32_t write_imm_max_dest;   /* WriteImm in flight that the responder can hold */
    const struct path_profile *paths;
    const struct cc_profile *cc;
    void *owner; /* for the caller; returned wherever the transport refers to the QP */
    bool signal_all;
    bool borrows; /* it has no records until transport_qp_lend() */
};

enum qp_attribute { /* the members of struct qp_attributes that a change sets */
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
    uint32_t peer_ports; /* bit p: port p of the peer is up */
    uint32_t pmtu_bytes;
    struct psn rq_psn;
    struct psn sq_psn;
    uint8_t mpr;      /* requester, units of 128 PSNs */
    uint8_t mpr_dest; /* responder */
    uint16_t max_wimm;
    uint16_t max_wimm_dest;
    /* T = 1.024 us << timeout, at most 24. A change may request less than timeout_floor and
     * give_up_floor allow; a query returns the effective value. */
    uint8_t timeout;
    uint8_t retry_linear;      /* at most 7 */
    uint8_t retry_exponential; /* at most 25; 25: no limit */
    bool dynamic_mpr;          /* both peers have agreed to it */
    bool peer_trim_nack;       /* the peer, as responder, answers trimmed packets with NACKs */
    bool trim_nack;            /* this QP, as responder, does so */
    bool peer_service_time;    /* the peer, as responder, corrects echoed stamps */
    bool service_time; /* this QP, as responder, subtracts its hold time from echoed stamps */
};

size_t transport_qp_bytes(const struct qp_init *);

/* Returns the PSNs in flight that a QP needs, in units of 128: the parameter `mpr`, or a value
 * derived from the congestion window. */
uint8_t transport_mpr(const struct parameters *, const struct cc_profile *);

/* Creates a QP in RESET with the defaults of the parameters. `memory`: transport_qp_bytes() bytes,
 * aligned for any type; it belongs to the QP until it is destroyed. `qpn`: chosen by the caller,
 * above 2, below 2^24. Returns 0 or a negative errno: EINVAL, EEXIST (the number is in use), ENOMEM
 * (qp_count_max reached). */
int transport_qp_create(struct transport *, uint32_t qpn, const struct qp_init *, void *memory);
int transport_qp_modify(struct transport *, uint32_t qpn, const struct qp_attributes *,
    uint32_t attribute_mask, uint64_t now_ns);
int transport_qp_query(const struct transport *, uint32_t qpn, struct qp_attributes *);
int transport_qp_destroy(struct transport *, uint32_t qpn);

/* The records of a requester: PSNs, work requests and the states of EVs, most of its memory. A QP
 * that borrows them is connected without, sends only while it has them, and keeps its EV profile
 * and its connection until it is destroyed. transport_qp_lend() gives a QP in RTS
 * transport_qp_records_bytes() bytes, aligned for any type. transport_qp_reclaim() returns them. It
 * returns NULL if the QP has none, or if a request, a packet, an EV or another QP still needs them:
 * all work must be done and reported, all EVs usable, and no QP may share them. What the QP has
 * learned about its paths is lost, and feedback that arrives later is dropped. */
size_t transport_qp_records_bytes(const struct qp_init *);
void transport_qp_lend(struct transport *, uint32_t qpn, void *memory);
void *transport_qp_reclaim(struct transport *, uint32_t qpn, uint64_t now_ns);
/* False if other QPs that send to the same destination may share the states of EVs with this one.
 * These must all have records before any of them sends. */
bool transport_qp_owns_paths(const struct transport *, uint32_t qpn);
/* Creates the paths that such a QP gets with its records, in memory of transport_paths_bytes(). */
const struct path_set *transport_qp_new_paths(const struct transport *, uint32_t qpn, void *memory);

/* Replace the EV profile or the congestion control profile of a QP, in any state. Packets in flight
 * stay in flight. The QP discards what it has learned about its paths, or about congestion.
 * `memory`: transport_paths_bytes() bytes, aligned for any type; it belongs to the QP until the QP
 * is destroyed or gets other paths. The memory used before is then free. Returns -EINVAL for other
 * planes than before, no EVs, or too many EVs. */
size_t transport_paths_bytes(const struct path_profile *);
int transport_qp_set_paths(
    struct transport *, uint32_t qpn, const struct path_profile *, void *memory, uint64_t now_ns);
int transport_qp_set_cc(
    struct transport *, uint32_t qpn, const struct cc_profile *, uint64_t now_ns);

/* Returns the owner of the QP with this number; NULL: there is none. */
void *transport_qp_owner(const struct transport *, uint32_t qpn);
/* Returns the owner of a connected QP to this address; NULL: there is none. */
void *transport_peer_owner(struct transport *, const struct ipv6_addr *address);

/* The round trip to a destination in an empty network, if it is known. */
struct transport_rtt {
    uint32_t fixed_ns;   /* packet of 0 bytes and its SACK */
    uint32_t per_kib_ns; /* additional time for each KiB of nominal size */
    uint32_t packet_ns;  /* time of a full packet on a port of the destination, or on the links
                            that lead to it if all are slower */
};

/* Sets the round trip for all QPs to this address. They must be in RTR or later and must not have
 * sent anything. */
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
    uint64_t local; /* for the caller: location of the bytes, see transport_request() */
    uint32_t rkey;
    uint32_t length_bytes; /* at most 2^31 */
    uint32_t immediate;
    uint32_t flags; /* enum work_flag */
};

/* Return 0 or a negative errno: EINVAL (state, length), ENOMEM (queue full). */
int transport_post_send(
    struct transport *, uint32_t qpn, const struct work_request *, uint64_t now_ns);
int transport_post_recv(struct transport *, uint32_t qpn, uint64_t id);

/* Returns the request whose bytes a data packet just sent carries; valid until the request
 * completes. */
const struct work_request *transport_request(const struct transport *, const struct packet *);

/* Returns the owner of the QP that sends a packet just sent; NULL: no QP sends it. */
void *transport_sender(const struct transport *, const struct packet *);

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
    TRANSPORT_EV_CHANGED,      /* for a controller: GOOD <-> ASSUMED_BAD, DENIED */
    TRANSPORT_ENDPOINT_ANSWER, /* an Endpoint Response to transport_endpoint_probe() */
};

struct transport_event {
    enum transport_event_kind kind;
    uint32_t qpn;
    void *owner; /* of the QP; NULL: no QP, or the QP was destroyed */
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

/* As transport_next_event(), but holds the events of a QP back while answers of that QP wait to be
 * sent. For drivers whose application may exit as soon as it sees an event: the answers to the peer
 * have then been sent. */
bool transport_next_answered_event(struct transport *, struct transport_event *out);

/* Return words for JSON and for users, such as "RTS", "retry_exceeded" and, for the value `rule` in
 * traces, "trimmed". */
const char *transport_state_word(enum qp_state);
const char *transport_completion_word(enum completion_status);
const char *transport_rule_word(uint64_t rule);

/* ---- control and status ---------------------------------------------------------------------- */

/* Sends an EV probe (Endpoint Request) to `dst` on the given EV and port. Returns -EAGAIN if too
 * many requests wait. */
int transport_endpoint_probe(struct transport *, const struct ipv6_addr *dst, uint32_t ev,
    uint32_t port, enum dscp_class class, uint16_t *request_id, uint64_t now_ns);

/* NULL: the QP sends nothing, or has no records. */
struct path_set *transport_qp_paths(struct transport *, uint32_t qpn);
/* Copies the parameters or, with shared_parameters, keeps the pointer. */
void transport_set_parameters(struct transport *, const struct parameters *);
const struct parameters *transport_parameters(const struct transport *);
const uint64_t *transport_counters(const struct transport *); /* [COUNTER_COUNT] */
const uint64_t *transport_drops(const struct transport *);    /* [DROP_REASON_COUNT] */
/* Counts a frame that the driver has dropped before transport_receive(). */
void transport_count_drop(struct transport *, enum drop_reason);

/* Derives the settings of congestion control from the parameters, for cc_profile_init(). */
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
    uint32_t plane_mask;         /* usable toward the peer */
    uint32_t control_plane_mask; /* in the control rotation */
};
int transport_qp_status(const struct transport *, uint32_t qpn, struct qp_status *);

/* Asserts all invariants of all QPs. */
void transport_check(const struct transport *);

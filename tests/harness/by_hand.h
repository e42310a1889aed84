/* SPDX-License-Identifier: Apache-2.0 */
/* One transport, and peers that exist only as the packets a test writes for them.
 *
 *     struct by_hand nic;
 *
 *     by_hand_prepare(&nic);      // then change nic.config, nic.init ... if need be
 *     by_hand_open(&nic);
 *     by_hand_connect(&nic, 7);   // QP 7 in RTS, its peer is peer 1
 *
 * Time stands still unless by_hand_wait() moves it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/events.h"
#include "transport/transport.h"

enum {
    BY_HAND_QPS_MAX = 64,
    BY_HAND_PACKETS_MAX = 512,
    BY_HAND_TRACES_MAX = 256,
    BY_HAND_PLANES = 2,
    BY_HAND_EVS = 8, /* four on each plane: plane << 8 | number */
    BY_HAND_PMTU_BYTES = 1024,
    BY_HAND_SQ_PSN = 0xfffff0,
    BY_HAND_RQ_PSN = 0xfffff8,
    BY_HAND_RKEY = 0x1234,
    BY_HAND_PEER_QPN = 0x100000, /* plus the number of our QP */
};

/* Returns the number of the QP that sent the packet. */
static inline uint32_t by_hand_sender(const struct packet *packet)
{
    return packet->dest_qpn - BY_HAND_PEER_QPN;
}

struct by_hand_placement {
    uint64_t va;
    void *owner; /* of the QP */
    uint32_t qpn;
    uint32_t rkey;
    uint32_t length;
};

struct by_hand {
    struct transport *transport;
    uint64_t now_ns;
    uint32_t ready_ports;

    /* For the next by_hand_open(), by_hand_create() and by_hand_connect() */
    struct transport_config config;
    struct qp_init init;
    uint32_t peer;
    struct transport_rtt rtt; /* of each peer; all 0: it is not known, and measured */

    struct packet sent[BY_HAND_PACKETS_MAX]; /* by the last by_hand_send() */
    uint32_t sent_count;

    uint32_t placed_count;
    struct by_hand_placement placed; /* the last one */
    bool refuses;                    /* every placement */

    struct trace_event traces[BY_HAND_TRACES_MAX];
    uint32_t trace_count;

    struct trace_sink sink;
    struct cc_profile cc;
    struct path_profile profile;
    struct path_entry entries[BY_HAND_EVS];
    void *memory;
    void *qp_memory[BY_HAND_QPS_MAX];
    uint32_t qp_memory_count;
};

void by_hand_prepare(struct by_hand *);
void by_hand_open(struct by_hand *);
void by_hand_close(struct by_hand *);

struct ipv6_addr by_hand_address(uint32_t number); /* 0: ours; else that of a peer */

/* ---- queue pairs ---------------------------------------------------------------------------- */

int by_hand_create(struct by_hand *, uint32_t qpn);
int by_hand_move(struct by_hand *, uint32_t qpn, enum qp_state);
/* One step: INIT, RTR with the peer, RTS. */
int by_hand_step(struct by_hand *, uint32_t qpn, enum qp_state);
/* Creates it and takes it through INIT and RTR to RTS. */
void by_hand_connect(struct by_hand *, uint32_t qpn);
/* The same for one that exists, from RESET. */
void by_hand_reconnect(struct by_hand *, uint32_t qpn);
enum qp_state by_hand_state(const struct by_hand *, uint32_t qpn);

int by_hand_post(
    struct by_hand *, uint32_t qpn, uint64_t id, uint32_t length_bytes, uint32_t flags);

/* ---- packets -------------------------------------------------------------------------------- */

/* Everything that goes out now, into `sent`; returns the number. */
uint32_t by_hand_send(struct by_hand *);
/* How many of `sent` have this opcode, and the first of them. */
uint32_t by_hand_sent(const struct by_hand *, uint8_t opcode);
const struct packet *by_hand_first(const struct by_hand *, uint8_t opcode);

/* Packets of the QP's peer; a test may alter them. A WRITE has `length` bytes of payload, its
 * message as few more as the opcode allows. */
struct packet by_hand_write(
    const struct by_hand *, uint32_t qpn, uint8_t opcode, struct psn, uint32_t length);
struct packet by_hand_write_imm(
    const struct by_hand *, uint32_t qpn, struct psn, uint16_t rqmsn, uint32_t immediate);
struct packet by_hand_sack(const struct by_hand *, uint32_t qpn, struct psn cack);
struct packet by_hand_nack(
    const struct by_hand *, uint32_t qpn, const struct packet *of, uint8_t reason);
struct packet by_hand_ack(
    const struct by_hand *, uint32_t qpn, struct psn cack, uint32_t messages_done);
struct packet by_hand_nak(const struct by_hand *, uint32_t qpn, struct psn offending,
    uint8_t syndrome, uint32_t messages_done);
struct packet by_hand_endpoint(const struct by_hand *, uint32_t peer, uint8_t opcode,
    enum endpoint_op op, uint16_t request_id);

/* Gives it to the transport and checks that one. */
enum drop_reason by_hand_receive(struct by_hand *, const struct packet *);

/* ---- time and events ------------------------------------------------------------------------ */

/* Time passes, from deadline to deadline; what is sent meanwhile is lost. Returns how often the
 * transport asked to be woken. */
uint32_t by_hand_wait(struct by_hand *, uint64_t duration_ns);

bool by_hand_event(struct by_hand *, struct transport_event *);
/* The next event is a completion of this kind, request and status. */
bool by_hand_completed(
    struct by_hand *, enum transport_event_kind, uint64_t id, enum completion_status);
/* All events are fetched and forgotten; returns the number. */
uint32_t by_hand_discard_events(struct by_hand *);

uint64_t by_hand_count(const struct by_hand *, enum counter);

/* SPDX-License-Identifier: Apache-2.0 */
/* What conformance tests look at and meddle with: packets of one transport (by_hand.h), and packets
 * on their way through a network (network.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "by_hand.h"
#include "network.h"

/* ---- kinds of packets ----------------------------------------------------------------------- */

typedef bool observe_kind(const struct packet *);

bool observe_is_data(const struct packet *);
bool observe_is_first(const struct packet *); /* data, sent for the first time */
bool observe_is_repeat(const struct packet *);
bool observe_is_sack(const struct packet *);
bool observe_is_nack(const struct packet *);
bool observe_is_ack(const struct packet *); /* and NAK */
bool observe_is_probe(const struct packet *);
bool observe_is_request(const struct packet *); /* Endpoint Request */
bool observe_is_answer(const struct packet *);  /* Endpoint Response */

/* ---- one transport, by hand ------------------------------------------------------------------ */

enum { OBSERVE_QPN = 7 };

/* by_hand_prepare(), and the base RTT is known to be 10 us: no probe measures it, and no sample
 * lowers it, as by hand time may stand still. */
void observe_prepare(struct by_hand *);
/* A NIC so prepared, with one QP in RTS. */
void observe_open(struct by_hand *);

/* The n-th PSN that our QP sends, or that its peer does, from 0. */
static inline struct psn observe_out(int32_t number)
{
    return psn_add(psn(BY_HAND_SQ_PSN), number);
}

static inline struct psn observe_in(int32_t number)
{
    return psn_add(psn(BY_HAND_RQ_PSN), number);
}

/* How many of nic->sent are of this kind, and the n-th of them, which must exist. */
uint32_t observe_count(const struct by_hand *, observe_kind *);
const struct packet *observe_nth(const struct by_hand *, observe_kind *, uint32_t number);

/* observe_open(), and one message of `packet_count` full packets is in flight; copies are in
 * `sent`. */
void observe_open_sending(struct by_hand *, struct packet *sent, uint32_t packet_count);

/* Posts one signalled WRITE and sends it; the packets are in nic->sent. */
void observe_post(struct by_hand *, uint64_t id, uint32_t length_bytes);

/* The peer's n-th packet arrives: a message of 64 bytes by itself. */
enum drop_reason observe_arrive(struct by_hand *, int32_t number, uint8_t flags);
/* And what is sent because of it: returns the number of packets. */
uint32_t observe_answers(struct by_hand *, int32_t number, uint8_t flags);

/* A SACK that `trigger`, a packet of ours, provoked when all up to `cack` had arrived. */
struct packet observe_sack_of(
    const struct by_hand *, const struct packet *trigger, struct psn cack);
/* One that also shows a bitmap above `cack` and counts packets out of order. */
enum drop_reason observe_sack_with(struct by_hand *, const struct packet *trigger, int32_t cack,
    uint64_t bitmap, uint16_t ooo_count);
enum drop_reason observe_sacked(struct by_hand *, const struct packet *trigger, struct psn cack);
enum drop_reason observe_nacked(struct by_hand *, const struct packet *of, uint8_t reason);
/* The peer has executed `messages_done` messages, our packets up to number `last` included. */
enum drop_reason observe_acked(struct by_hand *, int32_t last, uint32_t messages_done);

/* Changes attributes of the QP; they must be valid. */
void observe_modify(struct by_hand *, struct qp_attributes, uint32_t mask);
struct qp_status observe_status(const struct by_hand *);

/* Where the state of an EV stands, by its value. */
enum path_ev_state observe_ev(const struct by_hand *, uint32_t ev);

/* Time passes from deadline to deadline until packets of this kind are sent, which are then among
 * nic->sent; what is sent before is lost. Returns how long it took, UINT64_MAX when `limit_ns` went
 * by. */
uint64_t observe_wait_for(struct by_hand *, observe_kind *, uint64_t limit_ns);

/* The wheel serves timers in ticks. */
#define OBSERVE_TICK_NS 256
#define EXPECT_AFTER(elapsed_ns, wanted_ns)                                                        \
    do {                                                                                           \
        EXPECT_GE(elapsed_ns, wanted_ns);                                                          \
        EXPECT_LE(elapsed_ns, (wanted_ns) + OBSERVE_TICK_NS);                                      \
    } while (0)

/* Memory for by_hand: nic->config.memory before by_hand_open(). */
struct observe_memory {
    uint64_t va;
    uint32_t placed_count;
    uint8_t bytes[8192];
};

struct transport_memory observe_memory_of(struct observe_memory *);

/* ---- on the way through a network ------------------------------------------------------------ */

#define OBSERVE_ANY UINT32_MAX

/* Of the packets of a kind that a host sends, those from number `first` on, `count` of them. */
struct observe_rule {
    uint32_t from; /* OBSERVE_ANY */
    observe_kind *kind;
    uint32_t first;
    uint32_t count; /* OBSERVE_ANY: all */
    struct fault_effect effect;
    uint32_t seen;
};

enum { OBSERVE_RULES_MAX = 16 };

struct observe_filter {
    struct observe_rule rules[OBSERVE_RULES_MAX]; /* up to the first without a kind */
};

/* Before network_open(); the filter must outlast the network. */
void observe_filter(struct network_config *, struct observe_filter *);

/* How many packets of this kind a host has sent since network_record(), and the n-th of them. */
uint32_t observe_recorded(const struct network *, uint32_t from, observe_kind *);
const struct network_record *observe_record(
    const struct network *, uint32_t from, observe_kind *, uint32_t number);

/* SPDX-License-Identifier: Apache-2.0 */
/* The sending end of a connection (RUD): which packet it sends next, what is acknowledged, what is
 * lost and must be sent again.
 *
 * Sequence numbers count packets from 0 and do not wrap; a packet carries the lowest 32 bits.
 * A packet is lost if a NACK says that it was trimmed, if too many packets have arrived after the
 * gap (SLEEK), if the answer to a probe does not show it, or if its timeout has passed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "cc/cc.h"
#include "rival/uet/rccc.h"
#include "rival/uet/uet_packet.h"
#include "rival/uet/uet_profile.h"
#include "rival/uet/uet_spray.h"

struct uet_message {
    uint64_t offset_bytes; /* of its first byte, in its connection */
    uint64_t bytes;
    uint64_t first; /* sequence number of its first packet */
    uint32_t packet_count;
    uint32_t packets_left; /* not acknowledged */
    uint32_t tag;
    bool tells;
};

enum uet_copy_state {
    UET_UNSENT,
    UET_IN_FLIGHT,
    UET_LOST, /* to be sent again */
    UET_ACKED,
};

/* The last copy of a packet. */
struct uet_copy {
    uint64_t sent_ps;
    uint32_t message;
    uint16_t ev;
    uint8_t state; /* enum uet_copy_state */
    uint8_t repeats;
};

_Static_assert(sizeof(struct uet_copy) == 16, "one for every sequence number of a window");

struct uet_sender {
    struct uet_message *messages; /* [oldest, posted), by number modulo depth */
    uint32_t depth;
    uint32_t oldest;
    uint32_t current; /* the message of `next` */
    uint32_t posted;
    /* sequence numbers */
    struct uet_copy *copies; /* [acked, next), by sequence number modulo the window */
    uint64_t acked;          /* all before it are acknowledged */
    uint64_t next;
    uint64_t end;    /* of what is posted */
    uint64_t asked;  /* after the last packet that asked for an ACK */
    uint64_t repeat; /* no packet before it is lost */
    uint32_t lost_count;
    uint64_t inflight_bytes;
    uint64_t backlog_bytes;  /* to send, lost packets included */
    uint64_t received_bytes; /* that the receiver has reported */
    /* SLEEK */
    bool is_recovering;
    uint64_t recovered;     /* recovery ends when all before it are acknowledged */
    uint64_t recovering_ps; /* when it began: what was sent later was sent again */
    /* timers */
    uint64_t probe_ps;      /* when a probe is due */
    uint64_t probe_sent_ps; /* the last one */
    bool owes_probe;
    bool owes_request; /* for credits */
    uint64_t timeout_ps;
    uint32_t retries;
    bool has_failed;

    struct cc nscc;
    struct rccc_source rccc;
    struct uet_spray spray;
};

/* `depth`: messages that may be posted at once. With an arena without memory, only measures. */
void uet_sender_init(
    struct uet_sender *, struct arena *, const struct uet_profile *, uint32_t depth, struct prng);

/* Posts a message; first, packet_count and packets_left are filled in. */
void uet_sender_post(struct uet_sender *, const struct uet_profile *, struct uet_message);

/* Takes out the oldest message if it is acknowledged completely. */
bool uet_sender_take_done(struct uet_sender *, struct uet_message *);

/* ---- out ---- */

/* Returns true if a packet may leave now. */
bool uet_sender_may_send(const struct uet_sender *, const struct uet_profile *);

/* Returns the next packet, except its destination and the credits that it asks for. There must be
 * one. */
struct uet_packet uet_sender_next(struct uet_sender *, const struct uet_env *, uint32_t ev);

/* Returns the bytes for which the sender would like to have credits. */
uint64_t uet_sender_wanted_bytes(const struct uet_sender *, const struct uet_profile *);

/* ---- in ---- */

/* Messages that are acknowledged completely can be taken out after an ACK. */
void uet_sender_on_ack(struct uet_sender *, const struct uet_env *, const struct uet_packet *);
void uet_sender_on_nack(struct uet_sender *, const struct uet_env *, const struct uet_packet *);
void uet_sender_on_credit(struct uet_sender *, const struct uet_profile *, uint32_t granted);

/* Returns when uet_sender_expire() must be called, or earlier; UET_NEVER_PS: never. */
static inline uint64_t uet_sender_deadline_ps(const struct uet_sender *sender)
{
    return sender->probe_ps < sender->timeout_ps ? sender->probe_ps : sender->timeout_ps;
}
/* Returns true if a retransmission timeout has expired. */
bool uet_sender_expire(struct uet_sender *, const struct uet_env *);

/* ---- for its own files ---- */

enum { UET_PROBE_RTTS = 3 }; /* without an ACK, until the first probe */

static inline struct uet_copy *uet_sender_copy(
    const struct uet_sender *sender, const struct uet_profile *profile, uint64_t sequence)
{
    return &sender->copies[sequence & (profile->window_packets - 1)];
}

/* Returns the length of a packet, without framing. */
uint32_t uet_sender_packet_bytes(
    const struct uet_sender *, const struct uet_profile *, uint64_t sequence);

/* A request for credits is due if the sender waits for nothing else. */
void uet_sender_ask_credit(struct uet_sender *, const struct uet_profile *);

/* Asserts all invariants. */
void uet_sender_check(const struct uet_sender *, const struct uet_profile *);

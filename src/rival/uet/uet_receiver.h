/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving end of a connection: which packets are new, when an ACK is due, and what it says.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rival/message/message_arrivals.h"
#include "rival/uet/uet_packet.h"
#include "rival/uet/uet_profile.h"

struct uet_receiver {
    uint64_t expected; /* sequence number: all before it have arrived */
    uint64_t end;      /* after the highest that has arrived */
    uint64_t *arrived; /* bits by sequence number modulo the window */
    uint64_t unshown;  /* lowest sequence number that no ACK has shown */
    uint64_t received_bytes;
    uint32_t unacked_bytes; /* since the last ACK */
    uint32_t early;         /* packets that have arrived after `expected` */
    bool end_asks;          /* the highest packet asked for an ACK: gaps below it do, too */
    bool has_begun;
    struct message_arrivals messages;
};

/* `depth`: messages that may be posted at once. With an arena without memory, only measures. */
void uet_receiver_init(
    struct uet_receiver *, struct arena *, const struct uet_profile *, uint32_t depth);

/* A data packet with its payload has arrived. Returns true if it is new; *acks: an ACK is due. */
bool uet_receiver_take(struct uet_receiver *, const struct uet_profile *, const struct uet_packet *,
    bool is_marked, bool *acks);

/* Returns true if the packet has arrived before. */
bool uet_receiver_has(const struct uet_receiver *, const struct uet_profile *, uint32_t psn);

/* Fills in what an ACK says of all packets. `trigger`: the packet that it answers. */
void uet_receiver_fill_ack(struct uet_receiver *, const struct uet_profile *, uint32_t trigger,
    uint8_t flags, struct uet_body *);

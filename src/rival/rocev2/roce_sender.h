/* SPDX-License-Identifier: Apache-2.0 */
/* The requester of a QP: which packet it sends next, what is acknowledged, what is sent again.
 *
 * Sequence numbers count packets from 0 and do not wrap; a packet carries the lowest 24 bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rival/rocev2/roce_packet.h"
#include "rival/rocev2/roce_profile.h"
#include "rival/routing/ecmp.h"

/* The part of a message that one QP sends. */
struct roce_piece {
    uint64_t offset_bytes; /* of its first byte, in its connection */
    uint64_t bytes;
    uint64_t first; /* sequence number of its first packet */
    uint32_t packet_count;
    uint32_t message;
    uint32_t message_packets;
    uint32_t tag;
    bool tells;
};

struct roce_sender {
    /* pieces [oldest, posted), by number modulo depth */
    struct roce_piece *pieces;
    uint32_t depth;
    uint32_t oldest;
    uint32_t current; /* the piece of `next` */
    uint32_t posted;
    /* sequence numbers */
    uint64_t acked; /* all before it are acknowledged */
    uint64_t next;
    uint64_t sent;  /* all before it have been sent at least once */
    uint64_t end;   /* of what is posted */
    uint64_t asked; /* after the last packet that asked for an ACK */
    /* selective repeat */
    uint64_t *sacked; /* bits by sequence number modulo the window */
    uint64_t repeat;  /* the next hole; `holes_end`: none is left */
    uint64_t holes_end;
    uint64_t recovered; /* recovery ends when all before it are acknowledged */
    bool is_recovering;

    bool has_failed;
    uint32_t retries_left;
    uint64_t timeout_ps;
    uint64_t ready_ps; /* the rate permits the next packet from this time on */
    struct dcqcn dcqcn;

    uint32_t connection;
    uint32_t to_nic;
    uint32_t dest_qp;
    uint32_t port;
    struct ecmp_label label;
    uint32_t next_ready; /* in the list of its port */
    bool is_listed;
};

/* `depth`: pieces that may be posted at once. With an arena without memory, only measures. */
void roce_sender_init(
    struct roce_sender *, struct arena *, const struct roce_profile *, uint32_t depth);

/* Posts a piece; first and packet_count are filled in. */
void roce_sender_post(struct roce_sender *, const struct roce_profile *, struct roce_piece);

/* Returns true if there is a packet to send, apart from the rate. */
bool roce_sender_has_packet(const struct roce_sender *, const struct roce_profile *);

/* Returns the next packet. There must be one. *is_repeat: it was sent before. */
struct roce_packet roce_sender_next(
    struct roce_sender *, const struct roce_profile *, uint64_t now_ps, bool *is_repeat);

/* An ACK or NAK has come. Completed pieces can be taken out afterwards. */
void roce_sender_on_answer(
    struct roce_sender *, const struct roce_profile *, const struct roce_packet *, uint64_t now_ps);

/* Takes out the oldest piece if it is acknowledged completely. */
bool roce_sender_take_done(struct roce_sender *, struct roce_piece *);

/* No ACK came in time: begins again, or fails if there is no retry left. */
void roce_sender_on_timeout(struct roce_sender *, const struct roce_profile *, uint64_t now_ps);

/* Asserts all invariants. */
void roce_sender_check(const struct roce_sender *, const struct roce_profile *);

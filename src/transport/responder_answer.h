/* SPDX-License-Identifier: Apache-2.0 */
/* What the receiving half answers to a packet. */
#pragma once

#include "transport/nic.h"
#include "wire/packet.h"

/* §7.2: what the path of this packet should be told. */
static inline uint8_t responder_answer_mark(
    const struct transport *nic, const struct packet *packet)
{
    if (nic->draining_mask >> packet->port & 1)
        return SACK_MARK_ALWAYS_SKIP;
    return packet->ecn == ECN_CE ? SACK_MARK_SKIP_ONCE : SACK_MARK_NONE;
}

/* A SACK that this packet provoked; a Transport ACK that it asked for. */
void responder_answer_sack(struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
void responder_answer_ack(struct transport *, struct qp *, const struct packet *, uint64_t now_ns);

/* Each of the following yields why the packet is dropped. */

/* The QP fails, and the requester is told why. */
enum drop_reason responder_answer_nak(struct transport *, struct qp *, const struct packet *,
    uint8_t syndrome, enum drop_reason, uint64_t now_ns);

/* The memory refused the packet, or failed. */
enum drop_reason responder_answer_access(
    struct transport *, struct qp *, const struct packet *, enum transport_access, uint64_t now_ns);

/* The next WriteImm, one of `messages` just received, finds no receive request. */
enum drop_reason responder_answer_no_receive(
    struct transport *, struct qp *, const struct packet *, uint32_t messages, uint64_t now_ns);

enum drop_reason responder_answer_trimmed(struct transport *, struct qp *, const struct packet *,
    enum recv_window_place, uint64_t now_ns);
enum drop_reason responder_answer_beyond(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);
enum drop_reason responder_answer_duplicate(struct transport *, struct qp *, const struct packet *,
    enum recv_window_place, uint64_t now_ns);
enum drop_reason responder_answer_no_room(
    struct transport *, struct qp *, const struct packet *, uint64_t now_ns);

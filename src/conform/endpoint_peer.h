/* SPDX-License-Identifier: Apache-2.0 */
/* The kit as the peer of a requester: takes the data packets of the device and answers them, unless
 * a check makes it lose some or answers itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/packet.h"

#define ENDPOINT_PEER_PSNS 4096

struct endpoint_bench;
struct endpoint_frame;

struct endpoint_peer {
    struct psn first;                   /* PSN that the device sends first */
    uint8_t copies[ENDPOINT_PEER_PSNS]; /* that have come, by PSN */
    bool is_taken[ENDPOINT_PEER_PSNS];
    bool ends[ENDPOINT_PEER_PSNS]; /* a message */
    uint32_t taken;                /* in sequence, from the first */
    uint32_t seen;                 /* PSNs up to the highest that has come */
    uint32_t taken_above;          /* those that came out of order */
    uint32_t messages_done;
    uint64_t received_bytes;
    uint32_t probe_count; /* Reliability Probes of the device */

    /* What the check decides */
    bool is_mute;         /* takes and answers nothing */
    bool withholds_sacks; /* takes packets, and does not say so */
    bool withholds_acks;  /* no Transport ACKs */
    bool ignores_probes;
    uint8_t mpr;  /* in SACKs */
    uint8_t mark; /* in SACKs: enum sack_mark */
    /* Returns whether the packet is lost: its index from the first PSN, its copy from 1. */
    bool (*loses)(const struct endpoint_bench *, uint32_t index, uint32_t copy);
};

/* Begins with the first PSN of the device. */
void endpoint_peer_begin(struct endpoint_peer *, struct psn first);

/* Takes a data packet or probe of the device, and answers. */
void endpoint_peer_receive(struct endpoint_bench *, const struct endpoint_frame *);

/* Returns a SACK with the state of the peer, caused by this packet; NULL: by none. */
struct packet endpoint_peer_sack(
    const struct endpoint_bench *, const struct endpoint_frame *trigger);
struct packet endpoint_peer_ack(const struct endpoint_bench *);
struct packet endpoint_peer_nack(
    const struct endpoint_bench *, const struct endpoint_frame *, uint8_t reason);

/* Answers for a packet: SACK and ACK as they are due. */
void endpoint_peer_answer(struct endpoint_bench *, const struct endpoint_frame *trigger);

/* Marks a packet as taken, without an answer. */
void endpoint_peer_take(struct endpoint_bench *, const struct endpoint_frame *);

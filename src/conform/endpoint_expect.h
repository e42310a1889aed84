/* SPDX-License-Identifier: Apache-2.0 */
/* What checks of endpoints expect. Each function reports a failure of the running check if that
 * does not happen, and returns NULL or false. */
#pragma once

#include "conform/endpoint_session.h"

/* A SACK whose trigger is this PSN, from frame number `from` on. `what` words the packet: "a packet
 * with AckReq". */
const struct endpoint_frame *endpoint_expect_sack(
    struct endpoint_bench *, uint32_t from, struct psn, const char *what);
/* The same, caused by the packet and not by a while of silence. The packet is stamped. */
bool endpoint_expect_prompt_sack(
    struct endpoint_bench *, uint32_t from, struct psn, const char *what);
const struct endpoint_frame *endpoint_expect_ack(
    struct endpoint_bench *, uint32_t from, struct psn, const char *what);
const struct endpoint_frame *endpoint_expect_nack(
    struct endpoint_bench *, uint32_t from, struct psn, const char *what);
const struct endpoint_frame *endpoint_expect_nak(
    struct endpoint_bench *, uint32_t from, struct psn, const char *what);

/* Sends a Reliability Probe and returns the answer. */
const struct endpoint_frame *endpoint_expect_probe_answer(struct endpoint_bench *);

/* No SACK, NACK, ACK or NAK. */
bool endpoint_expect_silence(struct endpoint_bench *, uint32_t from, const char *what);

/* The bytes of the message are in memory. */
bool endpoint_expect_placed(
    struct endpoint_bench *, const struct endpoint_packet_message *, const char *what);

/* Completions */
bool endpoint_expect_sent(struct endpoint_bench *, uint64_t id, const char *status);
bool endpoint_expect_received(struct endpoint_bench *, const struct endpoint_packet_message *);
bool endpoint_expect_no_completion(struct endpoint_bench *, const char *while_what);

/* Sends packet `index` of the message and expects a SACK for it. */
const struct endpoint_frame *endpoint_expect_taken(
    struct endpoint_bench *, const struct endpoint_packet_message *, uint32_t index);

/* A data packet of the device: its `index`th from the first PSN, copy `copy` from 1. */
const struct endpoint_frame *endpoint_expect_write(
    struct endpoint_bench *, uint32_t index, uint32_t copy);

/* Words an opcode. */
const char *endpoint_expect_name(const struct packet *);

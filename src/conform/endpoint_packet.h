/* SPDX-License-Identifier: Apache-2.0 */
/* Packets to an endpoint, and the packets that it answers. Packets have a fresh EV and timestamp;
 * checks change what they need. */
#pragma once

#include "conform/endpoint_bench.h"

/* Units by which an echoed timestamp may exceed the one that was sent: half a millisecond. */
#define ENDPOINT_STAMP_MORE_MAX 0x1000

/* A message that the kit writes. */
struct endpoint_packet_message {
    uint32_t offset; /* in the memory of the device */
    uint32_t bytes;
    bool has_immediate;
    uint32_t immediate;

    /* Set when it takes its PSNs */
    struct psn first;
    uint32_t packet_count;
    uint16_t msn;
    uint16_t rqmsn;
    const uint8_t *payload;
};

/* Gives the message the next PSNs and numbers of the session. */
void endpoint_packet_take(struct endpoint_bench *, struct endpoint_packet_message *);

/* Returns packet `index` of the message. The last one asks for an acknowledgement. */
struct packet endpoint_packet_of(
    struct endpoint_bench *, const struct endpoint_packet_message *, uint32_t index);

/* Sends all packets of the message. */
void endpoint_packet_send_all(struct endpoint_bench *, const struct endpoint_packet_message *);

/* Returns a Reliability Probe. */
struct packet endpoint_packet_probe(struct endpoint_bench *);
/* Returns an EV probe, or a port status update that shows all ports of the kit as up. */
struct packet endpoint_packet_request(struct endpoint_bench *, enum endpoint_op);
struct packet endpoint_packet_response(struct endpoint_bench *, const struct packet *request);

/* ---- matches --------------------------------------------------------------------------------- */

endpoint_match endpoint_packet_is_response; /* key: request id */
endpoint_match endpoint_packet_is_opcode;   /* key: opcode */
endpoint_match endpoint_packet_is_sack;     /* key: PSN of its trigger */
/* The same, at once: a SACK that is sent when no packet has come for a while echoes no timestamp.
 */
endpoint_match endpoint_packet_is_prompt_sack;  /* key: PSN of its trigger, which is stamped */
endpoint_match endpoint_packet_is_probe_answer; /* key: probe id */
endpoint_match endpoint_packet_is_nack;         /* key: PSN */
endpoint_match endpoint_packet_is_ack;          /* key: PSN */
endpoint_match endpoint_packet_is_nak;          /* key: PSN */
endpoint_match endpoint_packet_is_write;        /* key: PSN */
endpoint_match endpoint_packet_is_any_write;    /* no key */
/* An answer of the device to the QP of the kit: SACK, NACK, ACK or NAK. */
endpoint_match endpoint_packet_is_answer; /* no key */

/* Returns whether the SACK shows this PSN as received. */
bool endpoint_packet_shows(const struct packet *sack, struct psn);

/* SPDX-License-Identifier: Apache-2.0 */
/* Connections over a network, and writes that are verified: each byte of a message follows from its
 * number, has its place in the receiver's memory, and must be there, placed once, when the write
 * completes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "network.h"

struct traffic_side {
    uint32_t host;
    struct qp_init init;             /* paths, cc NULL: made from the parameters */
    struct qp_attributes attributes; /* all but what concerns the peer */
    bool posts_receives;             /* keeps the receive queue full */
};

/* As the parameters say; PSNs at random. */
struct traffic_side traffic_side(struct network *, uint32_t host);

/* Two QPs in RTS. Returns the flow from a to b; the flow from b to a has the next number. */
uint32_t traffic_connect(
    struct network *, const struct traffic_side *a, const struct traffic_side *b);

struct traffic_flow {
    uint32_t from;
    uint32_t to;
    uint32_t from_qpn;
    uint32_t to_qpn;
    uint32_t posted;
    uint32_t completed; /* with success */
    uint32_t failed;
    uint32_t received; /* immediates */
    uint64_t placed_bytes;
    uint64_t first_sent[NETWORK_PLANES_MAX]; /* first transmissions per plane */
    uint64_t resent;
};

uint32_t traffic_flow_count(const struct network *);
const struct traffic_flow *traffic_flow(const struct network *, uint32_t flow);

/* A flow between these hosts; UINT32_MAX: not connected. */
uint32_t traffic_find(const struct network *, uint32_t from, uint32_t to);

enum traffic_message_state {
    TRAFFIC_OPEN,
    TRAFFIC_DONE,
    TRAFFIC_FAILED,
};

struct traffic_message {
    uint32_t flow;
    uint32_t length_bytes;
    uint64_t posted_ps;
    uint64_t completed_ps;
    enum traffic_message_state state;
    enum completion_status status;
    bool has_immediate;
    bool received; /* its immediate was */
};

uint32_t traffic_message_count(const struct network *);
const struct traffic_message *traffic_message(const struct network *, uint32_t message);

/* Writes into a part of the flow's region that no open message uses. Return the number of the
 * message, which is its immediate, too; UINT32_MAX when the transport refuses, because its queue is
 * full or the QP has failed. */
uint32_t traffic_write(struct network *, uint32_t flow, uint32_t length_bytes);
uint32_t traffic_write_immediate(struct network *, uint32_t flow, uint32_t length_bytes);

/* Any request, not verified; id and local are set here. 0 or transport_post_send()'s error. */
int traffic_post(struct network *, uint32_t flow, const struct work_request *);

/* Key and first address of the flow's region, which grows with its writes. */
uint32_t traffic_rkey(const struct network *, uint32_t flow);
uint64_t traffic_region_va(const struct network *, uint32_t flow);

/* Keeps `outstanding` writes posted until `message_count` have been; UINT32_MAX: until
 * traffic_stop(). */
struct traffic_stream {
    uint32_t length_bytes;
    uint32_t outstanding;
    uint32_t message_count;
    bool with_immediates;
};
void traffic_start(struct network *, uint32_t flow, const struct traffic_stream *);
void traffic_stop(struct network *, uint32_t flow);

/* Messages that are neither done nor failed, over all flows, and streams that go on. */
bool traffic_is_idle(const struct network *);
uint64_t traffic_finished(const struct network *); /* messages done or failed */

/* Jain's fairness index of these shares, in thousandths: 1000 when all are equal. */
uint32_t traffic_jain_permille(const uint64_t *shares, uint32_t share_count);

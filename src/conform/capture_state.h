/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a check of a capture, shared by the files that check one kind of packet each. */
#pragma once

#include "conform/capture_flow.h"

enum { FLOW_BUCKETS = 4096, REQUESTS_KEPT = 4096 };

struct request { /* an Endpoint Request */
    struct ipv6_addr from;
    struct ipv6_addr to;
    uint16_t id;
    uint16_t stamp;
    uint8_t op;
};

struct conform_capture {
    struct conform_settings settings;
    struct conform_totals totals;
    struct flow *flows[FLOW_BUCKETS]; /* by requester, responder and QP */
    struct request requests[REQUESTS_KEPT];
    uint64_t request_count;
    uint64_t end_ns;
};

/* A packet that is being checked. */
struct subject {
    struct conform_capture *capture;
    const struct decode_packet *decoded;
    const struct packet *packet;
    uint64_t number;
    uint64_t time_ns;
};

void capture_report(struct conform_capture *, enum conform_rule, uint64_t number, const char *words,
    ...) __attribute__((format(printf, 4, 5)));

/* Each returns false if there is no memory. */
bool capture_check_data(const struct subject *, struct flow *);
bool capture_check_probe(const struct subject *, struct flow *);

void capture_check_sack(const struct subject *, struct flow *);
void capture_check_nack(const struct subject *, struct flow *);
/* ooo_count and rcvd_bytes of a SACK. */
void capture_check_ahead(const struct subject *, const struct flow *);

void capture_check_ack(const struct subject *, struct flow *);

/* The contents of this PSN have become known. */
void capture_check_message(const struct subject *, const struct flow *, struct sent *);

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the packets of a capture, in the order in which they were captured, against the rules. The
 * capture may begin in the middle of a connection, and packets may be lost, duplicated and
 * reordered on their way. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conform/rules.h"
#include "decode/decode.h"

enum { CONFORM_MPR_UNIT = 128 }; /* PSNs */

struct conform_violation {
    enum conform_rule rule;
    uint64_t number;  /* of the packet, from 1 */
    const char *text; /* what is wrong with it; lent during the call */
};

struct conform_settings {
    const struct ipv6_addr *nics; /* where the capture was taken; none: somewhere on the way */
    uint32_t nic_count;
    uint32_t mpr;          /* that QPs agreed on, in PSNs; 0: not known */
    uint64_t patience_ns;  /* after which an answer is missing */
    bool has_service_time; /* responders add the time that they held a packet to its timestamp */
    void *context;
    void (*on_violation)(void *context, const struct conform_violation *);
};

struct conform_capture;

/* Returns NULL if there is no memory. The settings are copied, `nics` is lent. */
struct conform_capture *conform_capture_new(const struct conform_settings *);
void conform_capture_free(struct conform_capture *);

/* Returns false if there is no memory. */
bool conform_capture_add(
    struct conform_capture *, const struct decode_packet *, uint64_t number, uint64_t time_ns);

/* Reports what is missing at the end. */
void conform_capture_finish(struct conform_capture *);

struct conform_totals {
    uint64_t packet_count; /* of MRC, malformed ones included */
    uint32_t flow_count;   /* from a requester to a responder */
    uint64_t violation_count;
    bool has_pdcid_sender;    /* spdcid names the sender of the packet (docs/wire.md §7) */
    bool has_pdcid_requester; /* spdcid names the requester */
};

const struct conform_totals *conform_capture_totals(const struct conform_capture *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The responder of a QP: which packets it takes, and what it answers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rival/rocev2/roce_packet.h"
#include "rival/rocev2/roce_profile.h"
#include "rival/routing/ecmp.h"

struct roce_receiver {
    uint64_t expected;   /* sequence number: all before it have arrived */
    uint64_t *arrived;   /* what came early: bits by sequence number modulo the window; NULL */
    uint64_t asked;      /* early packets before this one have asked for an ACK */
    bool has_complained; /* of the gap before the expected packet */
    bool owes_ack;       /* an ACK waits to be sent */
    uint64_t cnp_ps;     /* no CNP before this time */

    uint32_t connection;
    uint32_t to_nic;
    uint32_t dest_qp;
    uint32_t port;
    struct ecmp_label label;
};

/* With an arena without memory, only measures. */
void roce_receiver_init(struct roce_receiver *, struct arena *, const struct roce_profile *);

enum roce_verdict {
    ROCE_NEW,
    ROCE_DUPLICATE,
    ROCE_DISCARDED, /* after a gap */
    ROCE_VERDICT_COUNT,
};

struct roce_reply {
    enum roce_verdict verdict;
    bool ack;
    bool nak;
};

/* Decides about a data packet. */
struct roce_reply roce_receiver_take(
    struct roce_receiver *, const struct roce_profile *, const struct roce_packet *);

/* Returns true if a CNP is due for a marked packet. */
bool roce_receiver_notifies(struct roce_receiver *, const struct roce_profile *, uint64_t now_ps);

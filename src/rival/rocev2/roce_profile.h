/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of RoCEv2: what a user chooses, and what follows for the NICs of a fabric. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/counter_description.h"
#include "base/problem.h"
#include "rival/lossless/pfc_watchdog.h"
#include "rival/rocev2/dcqcn.h"
#include "rival/rocev2/ecn_marking.h"
#include "rival/routing/routing.h"

#define ROCE_QPS_MAX           16
#define ROCE_RETRIES_MAX       7
#define ROCE_ACK_EVERY_MAX     256
#define ROCE_NEVER_PS          UINT64_MAX
#define ROCE_HEADROOM_COMPUTED UINT64_MAX

enum roce_recovery {
    ROCE_GO_BACK_N,        /* what arrives after a gap is discarded and sent again */
    ROCE_SELECTIVE_REPEAT, /* only what is missing is sent again */
    ROCE_RECOVERY_COUNT,
};
extern const char *const roce_recovery_words[ROCE_RECOVERY_COUNT + 1];

enum roce_placement {
    ROCE_IN_ORDER,  /* a packet that arrives early is a sign of loss */
    ROCE_ANY_ORDER, /* it is placed; only the timeout shows a loss */
    ROCE_PLACEMENT_COUNT,
};
extern const char *const roce_placement_words[ROCE_PLACEMENT_COUNT + 1];

enum roce_cc {
    ROCE_CC_DCQCN,
    ROCE_CC_NONE,
    ROCE_CC_COUNT,
};
extern const char *const roce_cc_words[ROCE_CC_COUNT + 1];

/* What a user chooses. */
struct roce_settings {
    uint32_t qps; /* of a connection, on each port */
    bool split;   /* each message is divided among all QPs; else they take turns */
    enum roce_recovery recovery;
    enum roce_placement placement;
    enum roce_cc cc;
    enum dcqcn_set dcqcn;
    enum ecn_set marking; /* with DCQCN */
    uint64_t timeout_ps;
    uint32_t retries;
    uint32_t ack_every;      /* packets */
    bool pfc;                /* switches pause senders instead of dropping packets */
    uint64_t headroom_bytes; /* PFC: of each port; ROCE_HEADROOM_COMPUTED: from its link */
    struct pfc_watchdog_config watchdog;
    bool polarised; /* all switches have the same hash */
    enum routing_kind routing;
    uint64_t flowlet_gap_ps;          /* with flowlets */
    enum convergence_set convergence; /* of routing after failures */
};

/* One QP, go-back-N, DCQCN as ConnectX NICs, PFC, ECMP and BGP. */
void roce_settings_init(struct roce_settings *);

/* Refuses numbers out of range, and settings that contradict each other. */
bool roce_settings_check(const struct roce_settings *, struct problem *);

/* What NICs need to know. */
struct roce_profile {
    struct dcqcn_profile dcqcn;
    bool has_dcqcn;
    bool selective;
    bool in_any_order; /* what arrives early is placed and not taken for a sign of loss */
    bool split;
    uint32_t qps;          /* on each port */
    uint32_t header_bytes; /* of every packet */
    uint32_t mtu_bytes;
    uint32_t framing_bytes;  /* of Ethernet, around each packet */
    uint32_t window_packets; /* a power of two: packets of a QP in flight */
    uint32_t ack_every;
    uint32_t retries;
    uint64_t timeout_ps;
    uint64_t line_bps; /* of a port */
};

/* Returns true if the receiver keeps what arrives after a gap. */
static inline bool roce_profile_keeps_early(const struct roce_profile *profile)
{
    return profile->selective || profile->in_any_order;
}

/* The fabric, as far as it matters. */
struct roce_fabric {
    uint32_t mtu_bytes;
    uint32_t framing_bytes;
    uint64_t line_bps; /* of a port */
    uint64_t base_rtt_ps;
};
struct roce_profile roce_profile_of(const struct roce_settings *, const struct roce_fabric *);

enum roce_counter {
#define COUNTER(id, name, help) ROCE_COUNTER_##id,
#include "rival/rocev2/roce_counters.def"
    ROCE_COUNTER_COUNT,
};
extern const struct counter_description roce_counter_descriptions[ROCE_COUNTER_COUNT];

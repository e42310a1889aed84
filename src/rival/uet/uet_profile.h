/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of UET: what a user chooses, and what follows for the NICs of a fabric. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/counter_description.h"
#include "base/problem.h"
#include "cc/cc.h"

#define UET_PATHS_MAX       256
#define UET_RETRIES_MAX     15
#define UET_ACK_BYTES_LEAST 1024
#define UET_ACK_BYTES_MAX   (UINT64_C(1) << 20)
#define UET_NEVER_PS        UINT64_MAX

enum uet_cc {
    UET_CC_NSCC, /* the window of the sender */
    UET_CC_RCCC, /* credits of the receiver */
    UET_CC_BOTH,
    UET_CC_COUNT,
};
extern const char *const uet_cc_words[UET_CC_COUNT + 1];

enum uet_spray_kind {
    UET_SPRAY_MIXED,     /* entropy values of unmarked ACKs again, else those without penalty */
    UET_SPRAY_OBLIVIOUS, /* any, at random */
    UET_SPRAY_COUNT,
};
extern const char *const uet_spray_words[UET_SPRAY_COUNT + 1];

/* What a user chooses. */
struct uet_settings {
    enum uet_cc cc;
    enum uet_spray_kind spray;
    uint32_t paths;      /* entropy values of a connection */
    uint64_t ack_bytes;  /* received data after which an ACK is sent */
    uint64_t timeout_ps; /* doubled by each retry */
    uint32_t retries;
    bool polarised; /* all switches have the same hash */
};

/* NSCC, 64 entropy values, and the timers of htsim. */
void uet_settings_init(struct uet_settings *);

/* Refuses numbers out of range. */
bool uet_settings_check(const struct uet_settings *, struct problem *);

/* What NICs need to know. */
struct uet_profile {
    struct cc_profile nscc;
    bool has_nscc;
    bool has_rccc;
    enum uet_spray_kind spray;
    uint32_t paths;
    uint32_t mtu_bytes;      /* payload of a full packet */
    uint32_t packet_bytes;   /* a full packet, without framing */
    uint32_t window_packets; /* a power of two: sequence numbers in use at once */
    uint32_t window_bytes;   /* the largest window, and the most credits */
    uint32_t ack_bytes;
    uint32_t retries;
    uint64_t timeout_ps;
    double grant_ps_per_byte; /* of the pacer */
};

/* The fabric, as far as it matters. */
struct uet_fabric {
    uint32_t mtu_bytes;
    uint32_t framing_bytes;
    uint64_t line_bps; /* of all ports of a NIC */
    uint64_t base_rtt_ps;
    bool trims;
};
struct uet_profile uet_profile_of(const struct uet_settings *, const struct uet_fabric *);

/* No connection has more packets than this posted at once: it needs no larger window. Changes the
 * memory of a connection, and nothing else. */
void uet_profile_limit(struct uet_profile *, uint64_t posted_packets);

enum uet_counter {
#define COUNTER(id, name, help) UET_COUNTER_##id,
#include "rival/uet/uet_counters.def"
    UET_COUNTER_COUNT,
};
extern const struct counter_description uet_counter_descriptions[UET_COUNTER_COUNT];

/* What all parts of a NIC need. */
struct uet_env {
    const struct uet_profile *profile;
    uint64_t *counters; /* of the NIC, by enum uet_counter */
    uint64_t now_ps;
};

static inline void uet_env_count(const struct uet_env *env, enum uet_counter counter)
{
    env->counters[counter]++;
}

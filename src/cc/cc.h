/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control of one QP: a window in bytes that acknowledgements, NACKs and losses move.
 *
 * An algorithm is one file with one `const struct cc_algorithm cc_NAME`, and a line in
 * algorithms.def. It keeps its state in `struct cc.state`, reads time and measurements from its
 * arguments, and sets `window_bytes` between one packet and `max_window_bytes`. It never sees a
 * packet. Sections (§) are those of docs/protocol.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a delay of the target or more does without a mark (§19.5). */
enum cc_unmarked_delay {
    CC_UNMARKED_FAIR,     /* Table 8-1 to the letter: it adds a fair increase */
    CC_UNMARKED_DECREASE, /* it counts as a mark, for the window only */
};

/* How flows that meet in one queue come to their shares. */
enum cc_sharing {
    CC_SHARING_AUTO,    /* (derived) equal with CC_UNMARKED_DECREASE, otherwise literal */
    CC_SHARING_LITERAL, /* §19.4: one target for every window, a cut every base RTT */
    CC_SHARING_EQUAL,   /* larger windows have smaller targets, and are cut once a round trip */
};

/* What the operator sets. A 0 in a field marked (derived) stands for the formula of §19.2. */
struct cc_settings {
    const char *algorithm; /* "nscc", "none" */
    uint64_t link_bps;     /* sum of the ports that are up */
    uint32_t base_rtt_ns;
    uint32_t mtu_bytes; /* nominal size of a full packet */
    bool network_trims;
    enum cc_unmarked_delay unmarked_delay;
    uint32_t base_rtt_floor_ns; /* on a real clock; 0: none */
    uint32_t target_floor_ns;
    uint32_t about_zero_ns;            /* (derived) */
    uint32_t target_delay_ns;          /* (derived) */
    uint32_t max_window_bytes;         /* (derived) */
    uint32_t fair_increase_bytes;      /* fi (derived) */
    uint32_t eta_bytes;                /* (derived) */
    uint32_t fast_scale_permille;      /* fi_scale (derived) */
    uint32_t gamma_permille;           /* (derived) */
    uint32_t max_md_jump_permille;     /* (derived) */
    uint32_t adjust_bytes;             /* (derived) */
    uint32_t adjust_period_ns;         /* (derived) */
    uint32_t quick_adapt_gate;         /* (derived) */
    uint32_t quick_adapt_threshold_ns; /* (derived) */
    bool quick_adapt_off;
    enum cc_sharing sharing;
};

/* Settings with all derived values filled in; shared by the QPs of a profile. */
struct cc_profile {
    struct cc_settings settings;
    const struct cc_algorithm *algorithm;
    uint32_t window_limit_bytes; /* max_window_bytes as the operator set it; UINT32_MAX: not set */
    double alpha_bytes_per_ns;
    double bytes_per_ns;
};

struct cc_ack {
    uint64_t now_ns;
    uint64_t rtt_ns;         /* 0: no valid sample */
    uint32_t received_bytes; /* newly received, from rcvd_bytes */
    uint32_t inflight_bytes; /* after this acknowledgement */
    uint8_t penalty;         /* rcv_cwnd_pen, 0 to 127 */
    bool restore;
    bool marked; /* m = SKIP_ONCE: the forward path was ECN-marked */
};

struct cc_nack {
    uint64_t now_ns;
    uint64_t rtt_ns; /* 0: none */
    uint32_t packet_bytes;
    uint32_t inflight_bytes;
    bool trimmed; /* TRIMMED or TRIMMED_LASTHOP; for other reasons the window stays */
};

#define CC_STATE_WORDS 14

struct cc {
    const struct cc_profile *profile;
    uint32_t window_bytes;
    uint32_t max_window_bytes;
    uint32_t base_rtt_ns; /* smallest seen, not below the floor */
    uint32_t target_delay_ns;
    double bytes_per_ns; /* of the ports that are up */
    double link_share;   /* the same, relative to the rate that the profile's gains are made for */
    uint64_t state[CC_STATE_WORDS]; /* the algorithm's own; zero at init */
};

_Static_assert(sizeof(struct cc) <= 200, "part of every QP");

struct cc_algorithm {
    const char *name;          /* as in experiment files */
    const char *api_name;      /* as in mrc_ctl.h; NULL: its NULL algorithm */
    double max_window_bdp;     /* limit of the window, in link rate times base RTT; 0: none */
    void (*init)(struct cc *); /* NULL: a state of zeros and a window at its limit will do */
    void (*on_ack)(struct cc *, const struct cc_ack *);
    void (*on_nack)(struct cc *, const struct cc_nack *);
    void (*on_inferred_loss)(struct cc *, uint32_t packet_bytes, uint64_t now_ns);
};

#define CC_ALGORITHM(name) extern const struct cc_algorithm cc_##name;
#include "cc/algorithms.def"
#undef CC_ALGORITHM

/* By name; NULL when there is none. cc_algorithms ends with NULL. */
extern const struct cc_algorithm *const cc_algorithms[];
const struct cc_algorithm *cc_find(const char *name);

/* Fills in what is derived. False when no algorithm has that name. */
bool cc_profile_init(struct cc_profile *, const struct cc_settings *);

void cc_init(struct cc *, const struct cc_profile *);

/* Ports came or went: the window limit and the gains follow the new sum of link rates. */
void cc_on_link_rate(struct cc *, uint64_t link_bps);

/* A shorter base RTT was seen: the window limit follows. */
void cc_on_base_rtt(struct cc *, uint32_t base_rtt_ns);

/* Asserts what holds between any two calls. */
void cc_check(const struct cc *);

/* The base RTT is the least sample, on a real clock not below its floor (§19.3). */
static inline void cc_on_rtt(struct cc *cc, uint64_t rtt_ns)
{
    uint32_t floor_ns = cc->profile->settings.base_rtt_floor_ns;
    uint64_t floored_ns = rtt_ns > floor_ns ? rtt_ns : floor_ns;

    if (rtt_ns != 0 && floored_ns < cc->base_rtt_ns)
        cc_on_base_rtt(cc, (uint32_t)floored_ns);
}

static inline void cc_on_ack(struct cc *cc, const struct cc_ack *ack)
{
    cc_on_rtt(cc, ack->rtt_ns);
    cc->profile->algorithm->on_ack(cc, ack);
}

static inline void cc_on_nack(struct cc *cc, const struct cc_nack *nack)
{
    cc_on_rtt(cc, nack->rtt_ns);
    cc->profile->algorithm->on_nack(cc, nack);
}

static inline void cc_on_inferred_loss(struct cc *cc, uint32_t packet_bytes, uint64_t now_ns)
{
    cc->profile->algorithm->on_inferred_loss(cc, packet_bytes, now_ns);
}

/* MRC 1.0: a packet may go while the window is larger than what is in flight. */
static inline bool cc_can_send(const struct cc *cc, uint32_t inflight_bytes)
{
    return cc->window_bytes > inflight_bytes;
}

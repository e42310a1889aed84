/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control towards one destination: a window in bytes that acknowledgements, NACKs and
 * losses move.
 *
 * An algorithm is one file with one `const struct cc_algorithm cc_NAME`, and a line in
 * algorithms.def. It keeps its state in `struct cc.state`, reads time and measurements from its
 * arguments, and sets `window_bytes` between cc_least_bytes() and `max_window_bytes`. It never sees
 * a packet. Sections (§) are those of docs/protocol.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a delay of the target or more does without a mark (§19.5). */
enum cc_unmarked_delay {
    CC_UNMARKED_FAIR,     /* Table 8-1 to the letter: it adds a fair increase */
    CC_UNMARKED_DECREASE, /* it counts as a mark, for the window only */
};

/* What the operator sets. A 0 in a field marked (derived) stands for the formula of §19.2. */
struct cc_settings {
    const char *algorithm; /* "fair", "nscc", "none" */
    uint64_t link_bps;     /* sum of the ports that are up */
    uint32_t base_rtt_ns;
    uint32_t mtu_bytes; /* nominal size of a full packet */
    uint32_t packet_ns; /* what it takes on the slowest kind of link */
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
    uint32_t base_rtt_ns; /* known, or smallest seen, not below the floor */
    uint32_t target_delay_ns;
    uint32_t packets_ns; /* what target_packets take on the slowest link of the way */
    bool base_is_known;
    uint8_t sharer_count; /* other windows of this NIC to the destination: all share as one */
    uint16_t slower;      /* so many times as slow as any link the destination is; at least 1 */
    double bytes_per_ns;  /* of the ports that are up */
    double link_share;    /* the same, relative to the rate that the profile's gains are made for */
    uint64_t state[CC_STATE_WORDS]; /* the algorithm's own; zero at init */
};

_Static_assert(sizeof(struct cc) <= 200, "part of every peer");

struct cc_algorithm {
    const char *name;             /* as in experiment files */
    const char *api_name;         /* as in mrc_ctl.h; NULL: its NULL algorithm */
    double target_rtts;           /* queueing delay aimed at, in base RTTs ... */
    double untrimmed_target_rtts; /* ... where switches do not trim */
    uint32_t target_packets;      /* least delay aimed at, in packet times of the slowest link */
    double limit_rtts;            /* window limit, in base RTTs at link rate; 0: no limit ... */
    double limit_targets;         /* ... plus this many target delays */
    double start_rtts;            /* first window, in base RTTs at link rate; 0: the limit */
    uint32_t least_part;          /* the smallest window: a packet divided by this */
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

/* The way to the destination is known: samples do not change its base RTT, the target delay is not
 * below some packet times of its ports, and where these are slower than any kind of link, windows
 * begin with less. Before the first packet. */
void cc_set_path(struct cc *, uint32_t base_rtt_ns, uint32_t packet_ns);

/* A shorter base RTT was seen: the window limit follows. */
void cc_on_base_rtt(struct cc *, uint32_t base_rtt_ns);

/* Windows smaller than a packet are counted out in time. On a real clock, round trips are mostly
 * waits for a CPU: a part of a packet in each would be none for seconds. */
static inline uint32_t cc_least_part(const struct cc *cc)
{
    return cc->profile->settings.base_rtt_floor_ns > 0 ? 1 : cc->profile->algorithm->least_part;
}

static inline uint32_t cc_least_bytes(const struct cc *cc)
{
    return cc->profile->settings.mtu_bytes / cc_least_part(cc);
}

/* Windows of few packets are not counted out in packets but in time: how long the next packet waits
 * after one of `packet_bytes`, where a round trip takes `rtt_ns`; 0: it does not. */
static inline uint64_t cc_gap_ns(const struct cc *cc, uint32_t packet_bytes, uint32_t rtt_ns)
{
    enum { PACED_PACKETS = 3 };

    if (cc->window_bytes >= PACED_PACKETS * packet_bytes || cc_least_part(cc) == 1)
        return 0;
    return (uint64_t)rtt_ns * packet_bytes / cc->window_bytes;
}

/* For algorithms: the window becomes this, within its limits. */
static inline void cc_set_window(struct cc *cc, double bytes)
{
    double most_bytes = (double)cc->max_window_bytes / (1u + cc->sharer_count);
    double least_bytes = cc_least_bytes(cc);

    if (bytes > most_bytes)
        bytes = most_bytes;
    if (bytes < least_bytes)
        bytes = least_bytes;
    cc->window_bytes = (uint32_t)bytes;
}

/* `count` other windows share the way to the destination with this one. */
static inline void cc_set_sharers(struct cc *cc, uint32_t count)
{
    cc->sharer_count = (uint8_t)count;
    cc_set_window(cc, cc->window_bytes);
}

/* Asserts what holds between any two calls. */
void cc_check(const struct cc *);

/* The base RTT is the least sample, on a real clock not below its floor (§19.3). */
static inline void cc_on_rtt(struct cc *cc, uint64_t rtt_ns)
{
    uint32_t floor_ns = cc->profile->settings.base_rtt_floor_ns;
    uint64_t floored_ns = rtt_ns > floor_ns ? rtt_ns : floor_ns;

    if (rtt_ns != 0 && floored_ns < cc->base_rtt_ns && !cc->base_is_known)
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

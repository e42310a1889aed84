/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control for one destination: a window in bytes that changes with acknowledgements,
 * NACKs and losses.
 *
 * An algorithm is one file with one `const struct cc_algorithm cc_NAME`, and a line in
 * algorithms.def. It keeps its state in `struct cc.state`, gets time and measurements as arguments,
 * and sets `window_bytes` between cc_least_bytes() and `max_window_bytes`. It never sees a packet.
 * Sections (§) are those of docs/protocol.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The effect of a delay at or above the target without an ECN mark (§19.5). */
enum cc_unmarked_delay {
    CC_UNMARKED_FAIR,     /* Table 8-1 literally: adds a fair increase */
    CC_UNMARKED_DECREASE, /* counts as a mark, for the window only */
};

/* The settings of the operator. 0 in a field marked (derived) selects the formula of §19.2. */
struct cc_settings {
    const char *algorithm; /* "fair", "nscc", "none" */
    uint64_t link_bps;     /* sum of the rates of the ports that are up */
    uint64_t share_bps;    /* rate of a NIC if all NICs send to other leaves; 0: not known */
    uint32_t base_rtt_ns;
    uint32_t mtu_bytes; /* nominal size of a full packet */
    uint32_t packet_ns; /* time of a full packet on the slowest kind of link */
    bool network_trims;
    enum cc_unmarked_delay unmarked_delay;
    uint32_t base_rtt_floor_ns; /* for software timers; 0: none */
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
    double share_part; /* planned share of the NIC, of its link_bps, at most 0.5; 0: not known */
};

struct cc_ack {
    uint64_t now_ns;
    uint64_t rtt_ns;            /* 0: no valid sample */
    uint32_t received_bytes;    /* newly received, from rcvd_bytes */
    uint32_t inflight_bytes;    /* in flight after this acknowledgement */
    uint32_t destination_count; /* destinations of this NIC, at least 1 */
    uint8_t penalty;            /* rcv_cwnd_pen, 0 to 127 */
    bool restore;
    bool marked; /* m = SKIP_ONCE: the forward path was ECN-marked */
};

struct cc_nack {
    uint64_t now_ns;
    uint64_t rtt_ns; /* 0: no valid sample */
    uint32_t packet_bytes;
    uint32_t inflight_bytes;
    bool trimmed; /* TRIMMED or TRIMMED_LASTHOP; other reasons do not change the window */
};

/* Penalties of a receiver whose ports are full that let the window grow: of senders with less than
 * half of their share, and of those with less than about their share. */
#define CC_PENALTY_LOW   1
#define CC_PENALTY_GROWS 2

#define CC_STATE_WORDS 10

struct cc {
    const struct cc_profile *profile;
    uint32_t window_bytes;
    uint32_t max_window_bytes;
    uint32_t base_rtt_ns; /* known, or smallest sample, not below the floor */
    uint32_t target_delay_ns;
    uint32_t packets_ns; /* time of target_packets on the slowest link of the path */
    bool base_is_known;
    uint8_t sharer_count; /* other windows of this NIC to the destination, which share with it */
    bool paths_vary;      /* few paths are alike, so that senders meet in several queues */
    uint16_t slower;   /* rate of the slowest kind of link / rate of the destination; at least 1 */
    uint32_t delay_ns; /* newest sample of the queues, for algorithms that pace packets */
    double bytes_per_ns; /* of the ports that are up */
    double link_share;   /* the same, relative to the rate for which the profile was made */
    uint64_t state[CC_STATE_WORDS]; /* state of the algorithm; zero at init */
};

_Static_assert(sizeof(struct cc) <= 136, "part of every peer");

struct cc_algorithm {
    const char *name;             /* as in experiment files */
    const char *api_name;         /* as in mrc_ctl.h; NULL: its NULL algorithm */
    double target_rtts;           /* target delay, in base RTTs ... */
    double untrimmed_target_rtts; /* ... if switches do not trim */
    uint32_t target_packets;      /* smallest target delay, in packet times of the slowest link */
    double limit_rtts;            /* window limit, in base RTTs at link rate; 0: no limit ... */
    double limit_targets;         /* ... plus this many target delays */
    double start_rtts;            /* first window, in base RTTs at link rate; 0: the limit ... */
    double untrimmed_start_rtts;  /* ... if switches do not trim */
    uint32_t least_part;          /* the smallest window is a packet divided by this */
    void (*on_ack)(struct cc *, const struct cc_ack *);
    void (*on_nack)(struct cc *, const struct cc_nack *);
    void (*on_inferred_loss)(struct cc *, uint32_t packet_bytes, uint64_t now_ns);
};

#define CC_ALGORITHM(ID, name, meaning) extern const struct cc_algorithm cc_##name;
#include "cc/algorithms.def"

/* Ends with NULL. */
extern const struct cc_algorithm *const cc_algorithms[];

/* Fills in the derived values. False if no algorithm has that name. */
bool cc_profile_init(struct cc_profile *, const struct cc_settings *);

void cc_init(struct cc *, const struct cc_profile *);

/* Called when ports go up or down: adapts the window limit and the gains to the new sum of link
 * rates. */
void cc_on_link_rate(struct cc *, uint64_t link_bps);

/* Sets the known path to the destination, before the first packet. Samples then do not change the
 * base RTT. The target delay is not below some packet times of its ports. If these are slower than
 * any kind of link, windows start smaller. */
void cc_set_path(struct cc *, uint32_t base_rtt_ns, uint32_t packet_ns);

/* Sets a shorter base RTT and adapts the window limit. */
void cc_on_base_rtt(struct cc *, uint32_t base_rtt_ns);

/* Windows smaller than a packet are realised by pacing. With software timers, round trips consist
 * mostly of waits for a CPU, and a fraction of a packet per round trip would be no packet for
 * seconds. */
static inline uint32_t cc_least_part(const struct cc *cc)
{
    return cc->profile->settings.base_rtt_floor_ns > 0 ? 1 : cc->profile->algorithm->least_part;
}

static inline uint32_t cc_least_bytes(const struct cc *cc)
{
    return cc->profile->settings.mtu_bytes / cc_least_part(cc);
}

/* Windows of few packets are realised by pacing. Returns the time that the next packet waits after
 * one of `packet_bytes`; 0: no wait. The newest delay counts: samples of such windows are round
 * trips apart, and an average would keep packets back when the queue has drained (decision 49). */
static inline uint64_t cc_gap_ns(const struct cc *cc, uint32_t packet_bytes)
{
    enum { PACED_PACKETS = 3 };

    if (cc->window_bytes >= PACED_PACKETS * packet_bytes || cc_least_part(cc) == 1)
        return 0;
    return ((uint64_t)cc->base_rtt_ns + cc->delay_ns) * packet_bytes / cc->window_bytes;
}

/* For algorithms: sets the window, within its limits. */
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

/* Tells the congestion control that `count` other windows share the path to the destination. */
static inline void cc_set_sharers(struct cc *cc, uint32_t count)
{
    cc->sharer_count = (uint8_t)count;
    cc_set_window(cc, cc->window_bytes);
}

/* Asserts the invariants that hold between calls. */
void cc_check(const struct cc *);

/* Adds a sample. The base RTT is the smallest sample and not below its floor (§19.3). */
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

/* True if a packet may be sent: the window is larger than the bytes in flight (MRC 1.0). */
static inline bool cc_can_send(const struct cc *cc, uint32_t inflight_bytes)
{
    return cc->window_bytes > inflight_bytes;
}

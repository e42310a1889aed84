/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults and limits of the settings, and the profile of a NIC. */
#include "rival/uet/uet_profile.h"

#include <stddef.h>

#include "base/power.h"
#include "rival/uet/uet_packet.h"

enum {
    ACK_BYTES = 16384,
    PATHS = 64,
    RETRIES = 5,
    WINDOW_PACKETS_LEAST = 128,
    BITMAP_BITS = 64,        /* of an ACK */
    WINDOWS_OF_SEQUENCE = 4, /* assumed: how far senders may be ahead of a gap, in full windows */
};

#define TIMEOUT_PS  UINT64_C(100000000)
#define PACER_SHARE 0.99 /* of the line */

const char *const uet_cc_words[UET_CC_COUNT + 1] = { "nscc", "rccc", "both", NULL };
const char *const uet_spray_words[UET_SPRAY_COUNT + 1] = { "mixed", "oblivious", NULL };

const struct counter_description uet_counter_descriptions[UET_COUNTER_COUNT] = {
#define COUNTER(id, name, help) [UET_COUNTER_##id] = { #name, help },
#include "rival/uet/uet_counters.def"
};

void uet_settings_init(struct uet_settings *settings)
{
    *settings = (struct uet_settings){ .cc = UET_CC_NSCC,
        .spray = UET_SPRAY_MIXED,
        .paths = PATHS,
        .ack_bytes = ACK_BYTES,
        .timeout_ps = TIMEOUT_PS,
        .retries = RETRIES };
}

bool uet_settings_check(const struct uet_settings *settings, struct problem *problem)
{
    const struct problem_limit limits[] = {
        { "paths", settings->paths, 1, UET_PATHS_MAX },
        { "retries", settings->retries, 0, UET_RETRIES_MAX },
        { "ack_bytes", settings->ack_bytes, UET_ACK_BYTES_LEAST, UET_ACK_BYTES_MAX },
    };

    problem->section = "uet";
    return problem_limits(problem, limits, sizeof(limits) / sizeof(limits[0]));
}

/* NSCC as published: a delay without a mark adds a fair increase. */
static void init_nscc(struct cc_profile *nscc, const struct uet_fabric *fabric)
{
    cc_profile_init(nscc, &(struct cc_settings){ .algorithm = "nscc",
                              .link_bps = fabric->line_bps,
                              .base_rtt_ns = (uint32_t)(fabric->base_rtt_ps / 1000),
                              .mtu_bytes = fabric->mtu_bytes + UET_HEADER_BYTES,
                              .network_trims = fabric->trims,
                              .unmarked_delay = CC_UNMARKED_FAIR });
}

static uint32_t window_packets(const struct uet_profile *profile)
{
    uint32_t packets = WINDOWS_OF_SEQUENCE * (profile->window_bytes / profile->packet_bytes + 1);

    return packets > WINDOW_PACKETS_LEAST ? power_of_two_at_least(packets) : WINDOW_PACKETS_LEAST;
}

struct uet_profile uet_profile_of(
    const struct uet_settings *settings, const struct uet_fabric *fabric)
{
    uint32_t packet_bytes = fabric->mtu_bytes + UET_HEADER_BYTES;
    double wire_share = (double)packet_bytes / (packet_bytes + fabric->framing_bytes);
    struct uet_profile profile = { .has_nscc = settings->cc != UET_CC_RCCC,
        .has_rccc = settings->cc != UET_CC_NSCC,
        .spray = settings->spray,
        .paths = settings->paths,
        .mtu_bytes = fabric->mtu_bytes,
        .packet_bytes = packet_bytes,
        .ack_bytes = (uint32_t)settings->ack_bytes,
        .retries = settings->retries,
        .timeout_ps = settings->timeout_ps,
        .grant_ps_per_byte = 8e12 / (PACER_SHARE * wire_share * (double)fabric->line_bps) };

    init_nscc(&profile.nscc, fabric);
    profile.window_bytes = profile.nscc.settings.max_window_bytes;
    profile.window_packets = window_packets(&profile);
    return profile;
}

void uet_profile_limit(struct uet_profile *profile, uint64_t posted_packets)
{
    uint32_t packets = posted_packets > BITMAP_BITS
                           ? power_of_two_at_least((uint32_t)posted_packets)
                           : BITMAP_BITS;

    if (posted_packets <= profile->window_packets && packets < profile->window_packets)
        profile->window_packets = packets;
}

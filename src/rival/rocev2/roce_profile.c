/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults and limits of the settings, and the profile of a NIC. */
#include "rival/rocev2/roce_profile.h"

#include <stddef.h>

#include "base/power.h"
#include "rival/rocev2/roce_packet.h"

enum {
    WINDOW_PACKETS = 8192, /* go-back-N: there is no window, only a bound of what is in flight */
    WINDOW_PACKETS_KEPT = 1024, /* likewise, if the receiver keeps what arrives early */
    WINDOW_PACKETS_LEAST = 64,
    ACKS_PER_WINDOW = 4,
};

#define TIMEOUT_PS  UINT64_C(4000000000)
#define WATCHDOG_PS UINT64_C(200000000000) /* both times: the usual ones of SONiC */

const char *const roce_recovery_words[ROCE_RECOVERY_COUNT + 1] = { "go-back-n", "selective-repeat",
    NULL };
const char *const roce_placement_words[ROCE_PLACEMENT_COUNT + 1] = { "in_order", "any_order",
    NULL };
const char *const roce_cc_words[ROCE_CC_COUNT + 1] = { "dcqcn", "none", NULL };

const struct counter_description roce_counter_descriptions[ROCE_COUNTER_COUNT] = {
#define COUNTER(id, name, help) [ROCE_COUNTER_##id] = { #name, help },
#include "rival/rocev2/roce_counters.def"
};

void roce_settings_init(struct roce_settings *settings)
{
    *settings = (struct roce_settings){ .qps = 1,
        .recovery = ROCE_GO_BACK_N,
        .cc = ROCE_CC_DCQCN,
        .dcqcn = DCQCN_CONNECTX,
        .marking = ECN_SET_NV,
        .timeout_ps = TIMEOUT_PS,
        .retries = ROCE_RETRIES_MAX,
        .ack_every = ROCE_ACK_EVERY_MAX,
        .pfc = true,
        .headroom_bytes = ROCE_HEADROOM_COMPUTED,
        .watchdog = { .detect_ps = WATCHDOG_PS, .restore_ps = WATCHDOG_PS },
        .routing = ROUTING_ECMP,
        .flowlet_gap_ps = ROUTING_FLOWLET_GAP_PS,
        .convergence = CONVERGENCE_BGP };
}

bool roce_settings_check(const struct roce_settings *settings, struct problem *problem)
{
    const struct problem_limit limits[] = {
        { "qps", settings->qps, 1, ROCE_QPS_MAX },
        { "retries", settings->retries, 0, ROCE_RETRIES_MAX },
        { "ack_every", settings->ack_every, 1, ROCE_ACK_EVERY_MAX },
    };

    problem->section = "roce";
    if (settings->placement == ROCE_ANY_ORDER && settings->recovery == ROCE_SELECTIVE_REPEAT)
        return problem_is(problem, "placement",
            "any_order contradicts selective repeat, which takes a packet that arrives early for a "
            "sign of loss; choose one of them",
            (struct problem_numbers){ 0 });
    return problem_limits(problem, limits, sizeof(limits) / sizeof(limits[0]));
}

/* What the empty path and its acknowledgement hold. */
static uint32_t path_packets(const struct roce_fabric *fabric)
{
    double path_bytes = (double)fabric->line_bps / 8 * ((double)fabric->base_rtt_ps / 1e12);

    return (uint32_t)(path_bytes / fabric->mtu_bytes) + 1;
}

/* Selective repeat has as much in flight as the empty path holds. */
static uint32_t window_packets(const struct roce_settings *settings, uint32_t path)
{
    if (settings->placement == ROCE_ANY_ORDER)
        return WINDOW_PACKETS_KEPT;
    if (settings->recovery == ROCE_GO_BACK_N || path > WINDOW_PACKETS)
        return WINDOW_PACKETS;
    return path > WINDOW_PACKETS_LEAST ? power_of_two_at_least(path) : WINDOW_PACKETS_LEAST;
}

/* A window that waits for an ACK must get several. An ACK for n packets is late by n - 1 of them,
 * and the rest of the window must still fill the path. */
static uint32_t ack_every_most(uint32_t window, uint32_t path)
{
    uint32_t most = window / ACKS_PER_WINDOW;
    uint32_t spare = window > path ? window - path : 0;

    return spare + 1 < most ? spare + 1 : most;
}

struct roce_profile roce_profile_of(
    const struct roce_settings *settings, const struct roce_fabric *fabric)
{
    uint32_t path = path_packets(fabric);
    uint32_t window = window_packets(settings, path);
    struct roce_profile profile = { .has_dcqcn = settings->cc == ROCE_CC_DCQCN,
        .selective = settings->recovery == ROCE_SELECTIVE_REPEAT,
        .in_any_order = settings->placement == ROCE_ANY_ORDER,
        .split = settings->split,
        .qps = settings->qps,
        .header_bytes = ROCE_HEADER_BYTES,
        .mtu_bytes = fabric->mtu_bytes,
        .framing_bytes = fabric->framing_bytes,
        .window_packets = window,
        .ack_every = settings->ack_every,
        .retries = settings->retries,
        .timeout_ps = settings->timeout_ps,
        .line_bps = fabric->line_bps };

    if (profile.selective && profile.ack_every > ack_every_most(window, path))
        profile.ack_every = ack_every_most(window, path);
    dcqcn_profile_init(&profile.dcqcn, settings->dcqcn, fabric->line_bps);
    return profile;
}

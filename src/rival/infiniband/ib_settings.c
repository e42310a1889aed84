/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults and limits of the settings, and the profile of a NIC: reliable connections as those of
 * RoCEv2, without congestion control. */
#include "rival/infiniband/ib_settings.h"

#include <stddef.h>

#include "rival/infiniband/ib_credit.h"
#include "rival/infiniband/ib_lane.h"
#include "rival/rocev2/roce_packet.h"

#define TIMEOUT_PS UINT64_C(4294967296000) /* of NCCL: 4.096 us * 2^20 */

enum {
    BUFFER_BYTES = 256 * 1024,
    WINDOW_PACKETS = 1024, /* there is no window, only a bound of what is in flight */
};

const char *const ib_routing_words[IB_ROUTING_COUNT + 1] = { "adaptive", "static", NULL };
const char *const ib_recovery_words[IB_RECOVERY_COUNT + 1] = { "shield", "subnet-manager", NULL };

void ib_settings_init(struct ib_settings *settings)
{
    *settings = (struct ib_settings){ .routing = IB_ADAPTIVE,
        .recovery = IB_SHIELD,
        .lanes = 1,
        .buffer_bytes = BUFFER_BYTES,
        .link_retry = true,
        .qps = 1,
        .timeout_ps = TIMEOUT_PS,
        .retries = ROCE_RETRIES_MAX };
}

uint32_t ib_settings_lane_blocks(const struct ib_settings *settings)
{
    uint64_t blocks = settings->buffer_bytes / settings->lanes / IB_BLOCK_BYTES;

    return blocks < IB_LANE_BLOCKS_MAX ? (uint32_t)blocks : IB_LANE_BLOCKS_MAX;
}

uint32_t ib_settings_packet_bytes(uint32_t mtu_bytes)
{
    return mtu_bytes + IB_HEADER_BYTES + ROCE_RETH_BYTES + ROCE_IMMEDIATE_BYTES;
}

/* Some credit may not be told yet: what is left must permit a packet. */
static uint64_t least_buffer_bytes(const struct ib_settings *settings, uint32_t mtu_bytes)
{
    uint32_t blocks = ib_credit_blocks(ib_settings_packet_bytes(mtu_bytes)) + IB_UPDATE_BLOCKS;

    return (uint64_t)blocks * IB_BLOCK_BYTES * settings->lanes;
}

bool ib_settings_check(
    const struct ib_settings *settings, uint32_t mtu_bytes, struct problem *problem)
{
    problem->section = "infiniband";
    if (settings->lanes < 1 || settings->lanes > IB_LANES_MAX)
        return problem_is(problem, "lanes", "% is not between % and %",
            (struct problem_numbers){ settings->lanes, 1, IB_LANES_MAX });
    if (settings->qps < 1 || settings->qps > ROCE_QPS_MAX)
        return problem_is(problem, "qps", "% is not between % and %",
            (struct problem_numbers){ settings->qps, 1, ROCE_QPS_MAX });
    if (settings->retries > ROCE_RETRIES_MAX)
        return problem_is(problem, "retries", "% is not between % and %",
            (struct problem_numbers){ settings->retries, 0, ROCE_RETRIES_MAX });
    if (settings->buffer_bytes < least_buffer_bytes(settings, mtu_bytes))
        return problem_is(problem, "buffer",
            "% bytes are less than the % that % lanes need for a packet and the credit that is not "
            "told yet",
            (struct problem_numbers){
                settings->buffer_bytes, least_buffer_bytes(settings, mtu_bytes), settings->lanes });
    return true;
}

struct roce_profile ib_settings_profile(
    const struct ib_settings *settings, const struct roce_fabric *fabric)
{
    struct roce_profile profile = { .in_any_order = settings->routing == IB_ADAPTIVE,
        .qps = settings->qps,
        .header_bytes = IB_HEADER_BYTES,
        .mtu_bytes = fabric->mtu_bytes,
        .framing_bytes = fabric->framing_bytes,
        .window_packets = WINDOW_PACKETS,
        .ack_every = ROCE_ACK_EVERY_MAX,
        .retries = settings->retries,
        .timeout_ps = settings->timeout_ps,
        .line_bps = fabric->line_bps };

    dcqcn_profile_init(&profile.dcqcn, DCQCN_CONNECTX, fabric->line_bps);
    return profile;
}

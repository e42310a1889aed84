/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the rate of a flow among the workloads between its NICs, by the QPs that are busy. */
#include "capacity/capacity_share.h"

static uint32_t busy_qps(const struct capacity_track *track, const struct capacity_pair *pair)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < pair->flow_count; i++)
        count += sim_flow_waits(track->sim, pair->first_flow + i, pair->first_bit_ps);
    return count;
}

static void divide_rate(struct capacity_track *track, uint32_t first)
{
    double wire_bps = 0;
    uint32_t busy = 0;
    uint32_t i = first;

    do {
        wire_bps += track->found_bps[i] / track->pairs[i].payload_share;
        busy += busy_qps(track, &track->pairs[i]);
        i = track->pairs[i].next;
    } while (i != first);
    if (busy == 0)
        return;
    do {
        const struct capacity_pair *pair = &track->pairs[i];

        track->found_bps[i] = wire_bps * busy_qps(track, pair) / busy * pair->payload_share;
        i = pair->next;
    } while (i != first);
}

void capacity_share_by_qps(struct capacity_track *track)
{
    for (uint32_t i = 0; i < track->pair_count; i++)
        if (track->pairs[i].group == i && track->pairs[i].next != i)
            divide_rate(track, i);
}

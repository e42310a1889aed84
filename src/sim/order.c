/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the position of a packet in its flow with the furthest one so far. */
#include "sim/order.h"

static uint32_t level_of(uint64_t packets)
{
    uint32_t level = 63 - (uint32_t)__builtin_clzll(packets);

    return level < SIM_ORDER_LEVELS ? level : SIM_ORDER_LEVELS - 1;
}

void order_note(
    struct shard *shard, struct engine_flow_end *end, uint64_t offset_bytes, uint32_t length_bytes)
{
    uint64_t packet_bytes = shard->sim->parameters.pmtu;
    struct sim_order *order = &shard->order;
    uint64_t behind;

    order->placed++;
    if (offset_bytes >= end->furthest_bytes) {
        end->furthest_bytes = offset_bytes + length_bytes;
        return;
    }
    behind = (end->furthest_bytes - offset_bytes + packet_bytes - 1) / packet_bytes;
    order->late++;
    order->by_level[level_of(behind)]++;
    if (behind > order->behind_max)
        order->behind_max = behind;
}

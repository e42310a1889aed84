/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of packets at a NIC. */
#include "hardware/nic_cost.h"

#include "base/byte_time.h"
#include "base/prng.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Published packet rates are those of data. Answers are handled beside it. */
static uint64_t packet_ps(const struct nic_cost *cost, const struct nic_cost_packet *packet)
{
    return packet->payload_bytes > 0 ? cost->packet_ps : 0;
}

uint64_t nic_cost_send_ps(const struct nic_cost *cost, const struct nic_cost_packet *packet)
{
    uint64_t fetch_ps = byte_time_ps(cost->fetch_byte_time, packet->payload_bytes);

    return larger(packet_ps(cost, packet), fetch_ps) +
           (packet->begins_message ? cost->message_ps : 0) + (packet->is_miss ? cost->miss_ps : 0);
}

uint64_t nic_cost_receive_ps(const struct nic_cost *cost, const struct nic_cost_packet *packet)
{
    uint64_t drain_ps = byte_time_ps(cost->drain_byte_time, packet->payload_bytes);

    return larger(packet_ps(cost, packet), drain_ps) + (packet->is_miss ? cost->miss_ps : 0);
}

uint8_t nic_cost_penalty(const struct nic_cost *cost, uint64_t waiting_bytes)
{
    uint64_t buffer_bytes = cost->buffer_bytes;

    if (2 * waiting_bytes <= buffer_bytes || buffer_bytes == 0)
        return 0;
    if (waiting_bytes >= buffer_bytes)
        return NIC_COST_PENALTY_MAX;
    return (uint8_t)((2 * waiting_bytes - buffer_bytes) * NIC_COST_PENALTY_MAX / buffer_bytes);
}

uint64_t nic_cost_late_ps(
    const struct nic_cost *cost, uint64_t seed, uint32_t nic, uint64_t timer_ps)
{
    struct prng prng = prng_stream(seed ^ timer_ps, nic);

    return cost->jitter_ps == 0 ? 0 : prng_next(&prng) % cost->jitter_ps;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a packet costs at a NIC, the penalty of a full buffer, and late timers. */
#include "spec.h"

#include "base/byte_time.h"
#include "hardware/hardware.h"

static struct nic_cost usual(void)
{
    return (struct nic_cost){ .packet_ps = 5000,
        .message_ps = 100000,
        .miss_ps = 1000000,
        .fetch_byte_time = byte_time_at(UINT64_C(800000000000)),
        .drain_byte_time = byte_time_at(UINT64_C(400000000000)),
        .jitter_ps = 1000,
        .buffer_bytes = 100000 };
}

SPEC("a small packet takes the time of a packet, a large one that of its bytes")
{
    struct nic_cost cost = usual();

    EXPECT_EQ(nic_cost_send_ps(&cost, &(struct nic_cost_packet){ .payload_bytes = 0 }), 0);
    EXPECT_EQ(nic_cost_send_ps(&cost, &(struct nic_cost_packet){ .payload_bytes = 64 }), 5000);
    EXPECT_EQ(nic_cost_send_ps(&cost, &(struct nic_cost_packet){ .payload_bytes = 4096 }), 40960);
    EXPECT_EQ(
        nic_cost_receive_ps(&cost, &(struct nic_cost_packet){ .payload_bytes = 4096 }), 81920);
}

SPEC("the sender pays for each message, both ends pay for a QP that is not on the chip")
{
    struct nic_cost cost = usual();
    struct nic_cost_packet first = { .payload_bytes = 64, .begins_message = true };
    struct nic_cost_packet missing = { .payload_bytes = 64, .is_miss = true };

    EXPECT_EQ(nic_cost_send_ps(&cost, &first), 105000);
    EXPECT_EQ(nic_cost_receive_ps(&cost, &first), 5000);
    EXPECT_EQ(nic_cost_send_ps(&cost, &missing), 1005000);
    EXPECT_EQ(nic_cost_receive_ps(&cost, &missing), 1005000);
}

SPEC("there is no penalty up to half of the buffer, and the largest when it is full")
{
    struct nic_cost cost = usual();

    EXPECT_EQ(nic_cost_penalty(&cost, 0), 0);
    EXPECT_EQ(nic_cost_penalty(&cost, 50000), 0);
    EXPECT_EQ(nic_cost_penalty(&cost, 75000), 63);
    EXPECT_EQ(nic_cost_penalty(&cost, 100000), 127);
    EXPECT_EQ(nic_cost_penalty(&cost, 200000), 127);
    cost.buffer_bytes = 0;
    EXPECT_EQ(nic_cost_penalty(&cost, 200000), 0);
}

PROPERTY("a timer is late by less than the jitter, and always by the same time", 200)
{
    struct nic_cost cost = usual();
    uint64_t late_ps = nic_cost_late_ps(&cost, seed, 3, 1000 * seed);

    EXPECT_LT(late_ps, 1000);
    EXPECT_EQ(nic_cost_late_ps(&cost, seed, 3, 1000 * seed), late_ps);
    cost.jitter_ps = 0;
    EXPECT_EQ(nic_cost_late_ps(&cost, seed, 3, 1000 * seed), 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A lone flow on the 128-NIC leaf-spine takes what arithmetic says.
 *
 * With P packets of which packet i has S(i) bytes on the wire, A bytes of Transport ACK, rate R,
 * cable delay D, switch latency L and NIC latency N:
 *
 *     time = h S(1) / R                     the first packet is sent by the source and all switches
 *                                             but the last, h senders in all
 *          + sum of S(i) / R                  the port to the destination sends all back to back
 *          + 2 N + (h + 1) D + h L            there: h switches, h + 1 cables
 *          + (h + 1) A / R                    the ACK is sent by the destination and h switches
 *          + 2 N + (h + 1) D + h L            back
 *
 * with h = 3 across a T1, h = 1 within a T0. S counts payload, headers, iCRC, outer header
 * and framing, as A does. */
#include "cluster.h"
#include "spec.h"
#include "wire/packet.h"

enum {
    PAYLOAD_BYTES = 4096,
    AROUND_BYTES = 40 + TOPOLOGY_FRAMING_BYTES, /* outer header, framing */
    SACK_PACKETS = 4,
    PS_PER_S_PER_BIT = 8,
};

#define RATE_BPS  UINT64_C(400000000000)
#define SECOND_PS UINT64_C(1000000000000)

struct lone {
    struct cluster cluster;
    uint64_t done_ps;
    uint32_t completions;
};

static void on_completion(void *context, const struct sim_completion *completion)
{
    struct lone *lone = context;

    lone->done_ps = completion->done_ps - completion->posted_ps;
    lone->completions++;
}

static uint64_t measure_ps(struct lone *lone, uint32_t to, uint64_t bytes)
{
    const uint32_t nics[2] = { 0, to };

    cluster_leaf_spine(&lone->cluster);
    lone->done_ps = 0;
    lone->completions = 0;
    lone->cluster.workloads[0] = (struct sim_workload){ .name = "lone",
        .kind = SIM_STREAM,
        .placement = SIM_LIST,
        .rank_count = 2,
        .nics = nics,
        .message_bytes = bytes,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
    lone->cluster.config.workload_count = 1;
    lone->cluster.config.duration_ps = SECOND_PS;
    lone->cluster.config.observer =
        (struct sim_observer){ .on_completion = on_completion, .context = lone };
    EXPECT_EQ(cluster_run(&lone->cluster).status, SIM_FINISHED);
    EXPECT_EQ(lone->completions, 1);
    return lone->done_ps;
}

static uint64_t wire_ps(uint64_t bytes)
{
    return bytes * PS_PER_S_PER_BIT * (SECOND_PS / 1000000000) / (RATE_BPS / 1000000000);
}

static uint32_t data_bytes(enum opcode opcode, uint32_t payload_bytes)
{
    struct packet packet = { .opcode = (uint8_t)opcode,
        .flags = PACKET_STAMPED,
        .write = { .payload.length = payload_bytes, .pad_bytes = (uint8_t)(-payload_bytes & 3u) } };

    return packet_nominal_bytes(&packet) + AROUND_BYTES;
}

/* One message without an immediate. */
static uint64_t arithmetic_ps(const struct topology_config *fabric, uint32_t hops, uint64_t bytes)
{
    uint64_t packets = (bytes + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES;
    uint32_t last_payload = (uint32_t)(bytes - (packets - 1) * PAYLOAD_BYTES);
    uint64_t last_bytes =
        data_bytes(packets > 1 ? OPCODE_WRITE_LAST : OPCODE_WRITE_ONLY, last_payload);
    uint64_t first_bytes = packets > 1 ? data_bytes(OPCODE_WRITE_FIRST, PAYLOAD_BYTES) : last_bytes;
    uint64_t all_bytes = last_bytes;
    struct packet ack = { .opcode = OPCODE_ACK };
    uint64_t ack_bytes = packet_nominal_bytes(&ack) + AROUND_BYTES;
    uint64_t way_ps = 2 * fabric->nic_latency_ps + (hops + 1) * fabric->uplink.delay_ps +
                      hops * fabric->switch_latency_ps;

    if (packets > 1)
        all_bytes += first_bytes + (packets - 2) * data_bytes(OPCODE_WRITE_MIDDLE, PAYLOAD_BYTES);
    return hops * wire_ps(first_bytes) + wire_ps(all_bytes) + way_ps +
           (hops + 1) * wire_ps(ack_bytes) + way_ps;
}

/* The first window is a round trip: where there is more to send, its first SACK, for four packets,
 * comes up to this much too late. */
static uint64_t first_sack_ps(uint64_t bytes)
{
    return bytes > PAYLOAD_BYTES
               ? SACK_PACKETS * wire_ps(data_bytes(OPCODE_WRITE_MIDDLE, PAYLOAD_BYTES))
               : 0;
}

static void expect_within_a_thousandth(uint32_t to, uint32_t hops, uint64_t bytes)
{
    static struct lone lone;
    uint64_t measured_ps = measure_ps(&lone, to, bytes);
    uint64_t expected_ps = arithmetic_ps(&lone.cluster.fabric_config, hops, bytes);

    EXPECT_GE(1000 * measured_ps, 999 * expected_ps);
    EXPECT_LE(1000 * measured_ps, 1001 * expected_ps + 1000 * first_sack_ps(bytes));
}

SPEC("a lone packet across a T1 takes what arithmetic says")
{
    expect_within_a_thousandth(64, 3, 4096);
}

SPEC("a lone packet within a T0 takes what arithmetic says")
{
    expect_within_a_thousandth(1, 1, 4096);
}

SPEC("a lone flow of 2 MB across T1s takes what arithmetic says")
{
    expect_within_a_thousandth(64, 3, 2000000);
}

SPEC("a lone flow of 100 MB across T1s takes what arithmetic says")
{
    expect_within_a_thousandth(127, 3, 100000000);
}

SPEC("a lone flow of 2 MB within a T0 takes what arithmetic says")
{
    expect_within_a_thousandth(63, 1, 2000000);
}

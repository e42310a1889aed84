/* SPDX-License-Identifier: Apache-2.0 */
/* From a description to a fabric: what is filled in. */
#include "spec.h"

#include "made_topology.h"

#define NS UINT64_C(1000)

SPEC("the default fabric has 64 NICs of 400 Gb/s over four planes")
{
    struct topology_config config = made_topology_usual();
    struct topology topology = made_topology_of(&config);

    EXPECT_EQ(topology.nic_count, 64);
    EXPECT_EQ(topology.config.nic_count, 64);
    EXPECT_EQ(topology.switch_count, 4 * (8 + 8));
    EXPECT_EQ(topology.config.plane_count * topology.config.host_link.rate_bps, 400000000000);
    EXPECT_EQ(topology.config.radix, 16);
}

SPEC("a full packet and its framing cross a T0 in 3.18 us, two T0s and a T1 in 5.86 us")
{
    struct topology_config config = made_topology_usual();
    struct topology topology = made_topology_of(&config);

    EXPECT_EQ(topology_one_way_ps(&topology, 0, 7, TOPOLOGY_PACKET_BYTES),
        2 * (500000 + 500000 + 340960) + 500000);
    EXPECT_EQ(topology_one_way_ps(&topology, 0, 8, TOPOLOGY_PACKET_BYTES),
        4 * (500000 + 500000 + 340960) + 500000);
}

SPEC("131,072 NICs over eight planes take 6,144 switches of 512 ports")
{
    struct topology_config config = made_topology_usual();
    struct topology topology;

    config.plane_count = 8;
    config.t0_count = 512;
    config.t1_count = 256;
    config.hosts_per_t0 = 256;
    config.radix = 512;
    topology = made_topology_of(&config);
    EXPECT_EQ(topology.nic_count, 131072);
    EXPECT_EQ(topology.switch_count, 6144);
}

SPEC("a fabric reaches 1,024 ports and 524,288 NICs")
{
    struct topology_config config = made_topology_usual();
    struct topology topology;

    config.plane_count = 8;
    config.t0_count = 1024;
    config.t1_count = 512;
    config.hosts_per_t0 = 512;
    topology = made_topology_of(&config);
    EXPECT_EQ(topology.nic_count, 524288);
    EXPECT_EQ(topology.config.radix, 1024);
    EXPECT_EQ(topology_leaf_of(&topology, 524287), 1023);
    EXPECT_EQ(topology_downlink_of(&topology, 524287), 511);
}

SPEC("a switch has as many ports as the larger tier needs by default")
{
    struct topology_config config = made_topology_usual();

    config.t0_count = 30;
    EXPECT_EQ(made_topology_of(&config).config.radix, 30);
    config.t0_count = 1;
    config.t1_count = 0;
    EXPECT_EQ(made_topology_of(&config).config.radix, 8);
}

/* ---- times ----------------------------------------------------------------------------------- */

SPEC("the base RTT is four links and three switches there and back, a full packet and a SACK")
{
    struct topology_config config = made_topology_usual();
    uint64_t packet_ps = 4262 * 80; /* with framing, at 100 Gb/s */
    uint64_t sack_ps = 178 * 80;

    EXPECT_EQ(made_topology_of(&config).base_rtt_ps,
        4 * 500 * NS + 6 * 500 * NS + 8 * 500 * NS + 4 * packet_ps + 4 * sack_ps);
    config.host_link.rate_bps /= 2;
    config.uplink.delay_ps = 700 * NS;
    config.switch_latency_ps = 300 * NS;
    config.nic_latency_ps = 10 * NS;
    EXPECT_EQ(made_topology_of(&config).base_rtt_ps,
        4 * 10 * NS + 6 * 300 * NS + 4 * 500 * NS + 4 * 700 * NS + 6 * packet_ps + 6 * sack_ps);
}

SPEC("with a single T0 the longest path has two links and one switch")
{
    struct topology_config config = made_topology_usual();

    config.t0_count = 1;
    config.t1_count = 0;
    EXPECT_EQ(made_topology_of(&config).base_rtt_ps,
        4 * 500 * NS + 2 * 500 * NS + 4 * 500 * NS + 2 * (4262 + 178) * 80);
    config.t1_count = 4; /* not needed */
    EXPECT_EQ(made_topology_of(&config).base_rtt_ps,
        4 * 500 * NS + 2 * 500 * NS + 4 * 500 * NS + 2 * (4262 + 178) * 80);
}

SPEC("the lookahead is the shortest time from a departure to the next action of the neighbour")
{
    struct topology_config config = made_topology_usual();

    config.host_link.delay_ps = 100 * NS;
    config.uplink.delay_ps = 300 * NS;
    config.nic_latency_ps = 900 * NS;
    config.switch_latency_ps = 400 * NS;
    EXPECT_EQ(made_topology_of(&config).lookahead_ps, 100 * NS + 400 * NS);
    config.nic_latency_ps = 50 * NS;
    EXPECT_EQ(made_topology_of(&config).lookahead_ps, 100 * NS + 50 * NS);
    config.host_link.delay_ps = 2000 * NS;
    EXPECT_EQ(made_topology_of(&config).lookahead_ps, 300 * NS + 400 * NS);
    config.t0_count = 1;
    config.t1_count = 0;
    EXPECT_EQ(made_topology_of(&config).lookahead_ps, 2000 * NS + 50 * NS);
}

SPEC("the lookahead is at most 4 ms, whatever the length of the cables")
{
    struct topology_config config = made_topology_usual();

    config.host_link.delay_ps = config.uplink.delay_ps = 10000000 * NS;
    EXPECT_EQ(made_topology_of(&config).lookahead_ps, 4000000 * NS);
}

/* ---- buffers --------------------------------------------------------------------------------- */

SPEC("buffers have the BDP of their ports")
{
    struct topology_config config = made_topology_usual();
    struct topology topology;
    uint64_t bdp;

    config.host_link.rate_bps *= 2;
    topology = made_topology_of(&config);
    bdp = topology.base_rtt_ps / 80;
    EXPECT_LE(bdp - topology.config.buffers.data_bytes, 13); /* a nanosecond of bytes */
    EXPECT_LE(3 * bdp - topology.config.buffers.host_data_bytes, 39);
    EXPECT_LE(bdp / 5 - topology.config.buffers.red_min_bytes, 13);
    EXPECT_LE(bdp * 4 / 5 - topology.config.buffers.red_max_bytes, 13);
    EXPECT_EQ(topology.config.buffers.control_bytes, UINT64_C(4) << 20);
}

SPEC("without trimming, buffers have five BDP")
{
    struct topology_config config = made_topology_usual();
    struct topology topology;

    config.buffers.trims = false;
    topology = made_topology_of(&config);
    EXPECT_EQ(topology.config.buffers.data_bytes, 5 * (topology.base_rtt_ps / 1000 * 100 / 8));
    EXPECT_EQ(topology.config.buffers.host_data_bytes, topology.config.buffers.data_bytes);
}

SPEC("buffer sizes of a description are kept")
{
    struct topology_config config = made_topology_usual();
    struct topology_buffers said = { .trims = true,
        .trimmed_bytes = 200,
        .data_bytes = 10000,
        .host_data_bytes = 20000,
        .control_bytes = 3000,
        .red_min_bytes = 4000,
        .red_max_bytes = 4001 };

    config.buffers = said;
    config = made_topology_of(&config).config;
    EXPECT_EQ(config.buffers.data_bytes, said.data_bytes);
    EXPECT_EQ(config.buffers.host_data_bytes, said.host_data_bytes);
    EXPECT_EQ(config.buffers.control_bytes, said.control_bytes);
    EXPECT_EQ(config.buffers.red_min_bytes, said.red_min_bytes);
    EXPECT_EQ(config.buffers.red_max_bytes, said.red_max_bytes);
}

SPEC("if only one threshold is given, the other does not cross it")
{
    struct topology_config config = made_topology_usual();

    config.buffers.red_max_bytes = 1000;
    EXPECT_EQ(made_topology_of(&config).config.buffers.red_min_bytes, 1000);
    config.buffers.red_max_bytes = 0;
    config.buffers.red_min_bytes = 10000000;
    EXPECT_EQ(made_topology_of(&config).config.buffers.red_max_bytes, 10000000);
}

SPEC("the buffers of the longest, slowest and fastest fabrics are within the limits of a port")
{
    struct topology_config config = made_topology_usual();
    struct topology topology;

    config.host_link = (struct topology_link_kind){ 1000000, UINT64_C(10000000000) };
    config.uplink = (struct topology_link_kind){ UINT64_C(8000000000000), UINT64_C(10000000000) };
    config.buffers.trims = false;
    topology = made_topology_of(&config);
    EXPECT_EQ(topology.config.buffers.data_bytes, 5u << 28);
    EXPECT_LT(topology.base_rtt_ps, UINT64_C(1000000000000));
}

#define GBPS UINT64_C(1000000000)

/* Two planes, three leaves of `hosts` NICs of 100 Gb/s, each with four uplinks in a plane. */
static struct topology with_leaves(uint32_t hosts, uint64_t uplink_bps)
{
    struct topology_config config;
    struct topology_problem problem;
    struct topology topology;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 3;
    config.t1_count = 4;
    config.hosts_per_t0 = hosts;
    config.nic_count = 3 * hosts;
    config.host_link.rate_bps = 100 * GBPS;
    config.uplink.rate_bps = uplink_bps;
    EXPECT(topology_init(&topology, &config, NULL, &problem));
    return topology;
}

SPEC("the share of a NIC is its part of the uplinks of its leaf, and not more than its ports")
{
    struct topology narrow = with_leaves(10, 50 * GBPS);
    struct topology wide = with_leaves(10, 800 * GBPS);

    EXPECT_EQ(topology_share_bps(&narrow), 40 * GBPS);
    EXPECT_EQ(topology_share_bps(&wide), 200 * GBPS);
    wide.config.t0_count = 1;
    EXPECT_EQ(topology_share_bps(&wide), 0);
}

SPEC("packets arrive at a port at its rate, or at that of the uplinks of a leaf with one NIC")
{
    struct topology narrow = with_leaves(1, 20 * GBPS);
    struct topology wide = with_leaves(1, 30 * GBPS);
    struct topology shared = with_leaves(2, 20 * GBPS);

    EXPECT_EQ(topology_arrival_bps(&narrow, 0, 1), 80 * GBPS);
    EXPECT_EQ(topology_arrival_bps(&wide, 0, 1), 100 * GBPS);
    EXPECT_EQ(topology_arrival_bps(&shared, 0, 1), 100 * GBPS);
}

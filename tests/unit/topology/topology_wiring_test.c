/* SPDX-License-Identifier: Apache-2.0 */
/* Which port leads where. */
#include "made_topology.h"

#include "topology/topology.h"

/* 2 planes, 3 T0s with 4 hosts (the last with 2), 5 T1s: switches 0-2 T0, 3-7 T1, 8-10, 11-15. */
static struct topology small(void)
{
    struct topology_config config;
    struct topology_problem problem;
    struct topology topology;

    topology_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 3;
    config.t1_count = 5;
    config.hosts_per_t0 = 4;
    config.nic_count = 10;
    config.uplink.rate_bps = UINT64_C(200000000000);
    config.uplink.delay_ps = 700000;
    EXPECT(topology_init(&topology, &config, NULL, &problem));
    return topology;
}

static void expect_peer(struct topology_end end, struct topology_end expected)
{
    struct topology topology = small();
    struct topology_end peer;

    EXPECT(topology_peer(&topology, end, &peer));
    EXPECT_EQ(peer.is_nic, expected.is_nic);
    EXPECT_EQ(peer.node, expected.node);
    EXPECT_EQ(peer.port, expected.port);
}

SPEC("switches are numbered plane by plane, T0s first")
{
    struct topology topology = small();
    struct topology_element t1 = { .kind = TOPOLOGY_T1, .plane = 1, .t1 = 4 };

    EXPECT_EQ(topology.switch_count, 16);
    EXPECT_EQ(topology_switch_index(&topology, &t1), 15);
    EXPECT_EQ(topology_switch_at(&topology, 7).kind, TOPOLOGY_T1);
    EXPECT_EQ(topology_switch_at(&topology, 7).t1, 4);
    EXPECT_EQ(topology_switch_at(&topology, 8).kind, TOPOLOGY_T0);
    EXPECT_EQ(topology_switch_at(&topology, 8).plane, 1);
}

SPEC("a T0 has its hosts' ports, then one to each T1; a T1 has one to each T0")
{
    struct topology topology = small();

    EXPECT_EQ(topology_port_count(&topology, 2), 4 + 5);
    EXPECT_EQ(topology_port_count(&topology, 3), 3);
    EXPECT(topology_port_faces_host(&topology, 8, 3));
    EXPECT(!topology_port_faces_host(&topology, 8, 4));
    EXPECT(!topology_port_faces_host(&topology, 3, 0));
}

SPEC("port p of a NIC leads to its T0 in plane p")
{
    expect_peer((struct topology_end){ .is_nic = true, .node = 9, .port = 0 },
        (struct topology_end){ .node = 2, .port = 1 });
    expect_peer((struct topology_end){ .is_nic = true, .node = 6, .port = 1 },
        (struct topology_end){ .node = 9, .port = 2 });
}

SPEC("downlinks of a T0 lead to its NICs, uplink j to T1 j")
{
    expect_peer((struct topology_end){ .node = 9, .port = 2 },
        (struct topology_end){ .is_nic = true, .node = 6, .port = 1 });
    expect_peer((struct topology_end){ .node = 9, .port = 4 + 3 },
        (struct topology_end){ .node = 8 + 3 + 3, .port = 1 });
}

SPEC("port i of a T1 leads to T0 i")
{
    expect_peer((struct topology_end){ .node = 8 + 3 + 3, .port = 1 },
        (struct topology_end){ .node = 9, .port = 4 + 3 });
}

SPEC("ports without a NIC, and ports that do not exist, have no cable")
{
    struct topology topology = small();
    struct topology_end peer;

    EXPECT(!topology_peer(&topology, (struct topology_end){ .node = 2, .port = 2 }, &peer));
    EXPECT(!topology_peer(&topology, (struct topology_end){ .node = 2, .port = 9 }, &peer));
    EXPECT(!topology_peer(&topology, (struct topology_end){ .node = 3, .port = 3 }, &peer));
    EXPECT(!topology_peer(
        &topology, (struct topology_end){ .is_nic = true, .node = 0, .port = 2 }, &peer));
}

SPEC("a link has the rate and delay of its kind, seen from either end")
{
    struct topology topology = small();
    struct topology_element link;
    struct topology_link_kind kind;

    EXPECT(
        topology_link_at(&topology, (struct topology_end){ .node = 4, .port = 2 }, &link, &kind));
    EXPECT_EQ(link.kind, TOPOLOGY_UPLINK);
    EXPECT_EQ(link.t0, 2);
    EXPECT_EQ(link.t1, 1);
    EXPECT_EQ(kind.rate_bps, 200000000000);
    EXPECT_EQ(kind.delay_ps, 700000);
    EXPECT(
        topology_link_at(&topology, (struct topology_end){ .node = 8, .port = 0 }, &link, &kind));
    EXPECT_EQ(link.kind, TOPOLOGY_HOST_LINK);
    EXPECT_EQ(link.plane, 1);
    EXPECT_EQ(kind.rate_bps, 100000000000);
}

SPEC("a switch knows the port that leads to a neighbour, and that none leads to others")
{
    struct topology_config config = made_topology_usual();
    struct topology topology = made_topology_of(&config);
    struct topology_end peer;
    uint32_t port;

    for (uint32_t from = 0; from < topology.switch_count; from++)
        for (uint32_t to = 0; to < topology.switch_count; to++)
            if (topology_port_to(&topology, from, to, &port)) {
                EXPECT(topology_peer(
                    &topology, (struct topology_end){ .node = from, .port = port }, &peer));
                EXPECT(!peer.is_nic);
                EXPECT_EQ(peer.node, to);
            }
    EXPECT(topology_port_to(&topology, 0, config.t0_count + 3, &port));
    EXPECT_EQ(port, config.hosts_per_t0 + 3);
    EXPECT(!topology_port_to(&topology, 0, 1, &port));
    EXPECT(!topology_port_to(&topology, 0, topology.switch_count - 1, &port));
}

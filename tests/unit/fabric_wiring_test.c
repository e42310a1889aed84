/* SPDX-License-Identifier: Apache-2.0 */
/* Which port leads where. */
#include "spec.h"

#include "fabric/fabric.h"

/* 2 planes, 3 T0s with 4 hosts (the last with 2), 5 T1s: switches 0-2 T0, 3-7 T1, 8-10, 11-15. */
static struct fabric small(void)
{
    struct fabric_config config;
    struct fabric_problem problem;
    struct fabric fabric;

    fabric_config_init(&config);
    config.plane_count = 2;
    config.t0_count = 3;
    config.t1_count = 5;
    config.hosts_per_t0 = 4;
    config.nic_count = 10;
    config.uplink.rate_bps = UINT64_C(200000000000);
    config.uplink.delay_ps = 700000;
    EXPECT(fabric_init(&fabric, &config, NULL, &problem));
    return fabric;
}

static void expect_peer(struct fabric_end end, struct fabric_end expected)
{
    struct fabric fabric = small();
    struct fabric_end peer;

    EXPECT(fabric_peer(&fabric, end, &peer));
    EXPECT_EQ(peer.is_nic, expected.is_nic);
    EXPECT_EQ(peer.node, expected.node);
    EXPECT_EQ(peer.port, expected.port);
}

SPEC("switches are numbered plane by plane, T0s first")
{
    struct fabric fabric = small();
    struct fabric_element t1 = { .kind = FABRIC_T1, .plane = 1, .t1 = 4 };

    EXPECT_EQ(fabric.switch_count, 16);
    EXPECT_EQ(fabric_switch_index(&fabric, &t1), 15);
    EXPECT_EQ(fabric_switch_at(&fabric, 7).kind, FABRIC_T1);
    EXPECT_EQ(fabric_switch_at(&fabric, 7).t1, 4);
    EXPECT_EQ(fabric_switch_at(&fabric, 8).kind, FABRIC_T0);
    EXPECT_EQ(fabric_switch_at(&fabric, 8).plane, 1);
}

SPEC("a T0 has its hosts' ports, then one to each T1; a T1 has one to each T0")
{
    struct fabric fabric = small();

    EXPECT_EQ(fabric_port_count(&fabric, 2), 4 + 5);
    EXPECT_EQ(fabric_port_count(&fabric, 3), 3);
    EXPECT(fabric_port_faces_host(&fabric, 8, 3));
    EXPECT(!fabric_port_faces_host(&fabric, 8, 4));
    EXPECT(!fabric_port_faces_host(&fabric, 3, 0));
}

SPEC("port p of a NIC leads to its T0 in plane p")
{
    expect_peer((struct fabric_end){ .is_nic = true, .node = 9, .port = 0 },
        (struct fabric_end){ .node = 2, .port = 1 });
    expect_peer((struct fabric_end){ .is_nic = true, .node = 6, .port = 1 },
        (struct fabric_end){ .node = 9, .port = 2 });
}

SPEC("downlinks of a T0 lead to its NICs, uplink j to T1 j")
{
    expect_peer((struct fabric_end){ .node = 9, .port = 2 },
        (struct fabric_end){ .is_nic = true, .node = 6, .port = 1 });
    expect_peer((struct fabric_end){ .node = 9, .port = 4 + 3 },
        (struct fabric_end){ .node = 8 + 3 + 3, .port = 1 });
}

SPEC("port i of a T1 leads to T0 i")
{
    expect_peer((struct fabric_end){ .node = 8 + 3 + 3, .port = 1 },
        (struct fabric_end){ .node = 9, .port = 4 + 3 });
}

SPEC("ports without a NIC, and ports that do not exist, have no cable")
{
    struct fabric fabric = small();
    struct fabric_end peer;

    EXPECT(!fabric_peer(&fabric, (struct fabric_end){ .node = 2, .port = 2 }, &peer));
    EXPECT(!fabric_peer(&fabric, (struct fabric_end){ .node = 2, .port = 9 }, &peer));
    EXPECT(!fabric_peer(&fabric, (struct fabric_end){ .node = 3, .port = 3 }, &peer));
    EXPECT(
        !fabric_peer(&fabric, (struct fabric_end){ .is_nic = true, .node = 0, .port = 2 }, &peer));
}

SPEC("a link has the rate and delay of its kind, seen from either end")
{
    struct fabric fabric = small();
    struct fabric_element link;
    struct fabric_link_kind kind;

    EXPECT(fabric_link_at(&fabric, (struct fabric_end){ .node = 4, .port = 2 }, &link, &kind));
    EXPECT_EQ(link.kind, FABRIC_UPLINK);
    EXPECT_EQ(link.t0, 2);
    EXPECT_EQ(link.t1, 1);
    EXPECT_EQ(kind.rate_bps, 200000000000);
    EXPECT_EQ(kind.delay_ps, 700000);
    EXPECT(fabric_link_at(&fabric, (struct fabric_end){ .node = 8, .port = 0 }, &link, &kind));
    EXPECT_EQ(link.kind, FABRIC_HOST_LINK);
    EXPECT_EQ(link.plane, 1);
    EXPECT_EQ(kind.rate_bps, 100000000000);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which descriptions cannot be wired, and what is said about them. */
#include "spec.h"

#include <string.h>

#include "made_topology.h"

#define NS UINT64_C(1000)

static void expect_refused(
    const struct topology_config *config, const char *member, const char *reason)
{
    struct topology_exception exceptions[MADE_EXCEPTIONS_MAX];
    struct topology_problem problem;
    struct topology topology;

    EXPECT(!topology_init(&topology, config, exceptions, &problem));
    EXPECT_STR_EQ(problem.member, member);
    EXPECT_STR_EQ(problem.reason, reason);
}

SPEC("a T0 must have the ports for its hosts and uplinks")
{
    struct topology_config config = made_topology_usual();

    config.radix = 16;
    config.hosts_per_t0 = 12;
    expect_refused(&config, "radix", "radix 16 cannot hold 12 hosts and 8 uplinks");
    config.radix = 0;
    config.hosts_per_t0 = 1000;
    config.t1_count = 25;
    expect_refused(&config, "radix", "radix 1024 cannot hold 1000 hosts and 25 uplinks");
}

SPEC("a T1 must have a port for each T0")
{
    struct topology_config config = made_topology_usual();

    config.radix = 16;
    config.t0_count = 17;
    expect_refused(&config, "radix", "radix 16 cannot hold a link of a T1 to each of 17 T0s");
}

SPEC("T0s without T1s cannot reach each other")
{
    struct topology_config config = made_topology_usual();

    config.t1_count = 0;
    expect_refused(&config, "t1s", "8 T0s without a T1 cannot reach each other");
    config.t0_count = 17;
    config.radix = 16;
    expect_refused(&config, "t1s", "17 T0s without a T1 cannot reach each other");
}

SPEC("counts have bounds, and the reason names them")
{
    struct topology_config config = made_topology_usual();

    config.plane_count = 17;
    expect_refused(&config, "planes", "17 is not between 1 and 16");
    config.plane_count = 0;
    expect_refused(&config, "planes", "0 is not between 1 and 16");
    config = made_topology_usual();
    config.t0_count = 0;
    expect_refused(&config, "t0s", "0 is not between 1 and 1024");
    config = made_topology_usual();
    config.t1_count = UINT32_MAX;
    expect_refused(&config, "t1s", "4294967295 is not between 0 and 1024");
    config = made_topology_usual();
    config.hosts_per_t0 = 0;
    expect_refused(&config, "hosts_per_t0", "0 is not between 1 and 1024");
    config = made_topology_usual();
    config.radix = 1025;
    expect_refused(&config, "radix", "1025 is not between 0 and 1024 ports");
}

SPEC("only the last T0 may have fewer NICs than the others")
{
    struct topology_config config = made_topology_usual();

    config.nic_count = 57;
    EXPECT_EQ(made_topology_of(&config).nic_count, 57);
    config.nic_count = 56;
    expect_refused(&config, "nics", "56 NICs, 8 to a T0, leave the last of 8 T0s empty");
    config.nic_count = 65;
    expect_refused(&config, "nics", "8 T0s with 8 hosts each have room for 64, not for 65");
}

SPEC("rates and delays have bounds")
{
    struct topology_config config = made_topology_usual();

    config.host_link.rate_bps = 0;
    expect_refused(&config, "host_link.rate", "0 is not between 1000000 and 8000000000000 bit/s");
    config = made_topology_usual();
    config.uplink.rate_bps = UINT64_C(8000000000001);
    expect_refused(
        &config, "uplink.rate", "8000000000001 is not between 1000000 and 8000000000000 bit/s");
    config = made_topology_usual();
    config.uplink.delay_ps = UINT64_C(10000000001);
    expect_refused(&config, "uplink.delay", "10000000001 is not between 0 and 10000000000 ps");
}

SPEC("every link has a delay above 0")
{
    struct topology_config config = made_topology_usual();

    config.host_link.delay_ps = 0;
    EXPECT_EQ(made_topology_of(&config).lookahead_ps, 500 * NS);
    config.nic_latency_ps = 0;
    expect_refused(&config, "host_link.delay",
        "0 ps, and nic_latency is 0 ps too: packets would reach a NIC in zero time");
    config = made_topology_usual();
    config.switch_latency_ps = 0;
    config.uplink.delay_ps = 0;
    expect_refused(&config, "uplink.delay",
        "0 ps, and switch_latency is 0 ps too: packets would reach a T1 in zero time");
    config.host_link.delay_ps = 0;
    expect_refused(&config, "host_link.delay",
        "0 ps, and switch_latency is 0 ps too: packets would reach a T0 in zero time");
}

SPEC("queues hold at least one packet, trimmed packets at least their headers")
{
    struct topology_config config = made_topology_usual();

    config.buffers.data_bytes = 4223;
    expect_refused(&config, "buffers.data",
        "4223 is not between 4224 and 1073741824 bytes, one full packet and 1 GiB");
    config = made_topology_usual();
    config.buffers.control_bytes = 139;
    expect_refused(&config, "buffers.control",
        "139 is not between 140 and 1073741824 bytes, one SACK and 1 GiB");
    config = made_topology_usual();
    config.buffers.trimmed_bytes = 107;
    expect_refused(&config, "buffers.trimmed",
        "107 is not between 108 and 4224 bytes, headers alone and a full packet");
    config.buffers.trims = false;
    made_topology_of(&config);
    config.buffers.red_min_bytes = 2001;
    config.buffers.red_max_bytes = 2000;
    expect_refused(&config, "buffers.red_min", "2001 bytes is above red_max, 2000 bytes");
}

SPEC("the uSID block must be unicast, and not contain the addresses of NICs")
{
    struct topology_config config = made_topology_usual();

    config.usid_block = 0x20010db8;
    expect_refused(&config, "usid_block", "2001:db8::/32 holds the NICs' own addresses");
    config.usid_block = 0xff020000;
    expect_refused(&config, "usid_block", "not a block of unicast addresses");
}

SPEC("a name that is too long is refused")
{
    struct topology_config config = made_topology_usual();

    memset(config.name, 'x', sizeof(config.name));
    expect_refused(&config, "name", "longer than 31 bytes");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names and addresses of ports. */
#include "config/config_port.h"

#include <stdio.h>
#include <string.h>

#include "spec.h"

static struct topology small_fabric(void)
{
    struct topology_config config;
    struct topology_problem problem;
    struct topology fabric;

    topology_config_init(&config);
    config.plane_count = 3;
    config.t0_count = 3;
    config.t1_count = 2;
    config.hosts_per_t0 = 2;
    EXPECT(topology_init(&fabric, &config, NULL, &problem));
    return fabric;
}

static bool interface_is(struct topology_end end, const char *wanted)
{
    struct topology fabric = small_fabric();
    char name[CONFIG_PORT_NAME_BYTES];

    config_port_interface(&fabric, end, name);
    return strcmp(name, wanted) == 0;
}

SPEC("an interface is named after the port at its other end")
{
    EXPECT(interface_is((struct topology_end){ .is_nic = true, .node = 3, .port = 2 }, "p2"));
    EXPECT(interface_is((struct topology_end){ .node = 0, .port = 1 }, "d1"));
    EXPECT(interface_is((struct topology_end){ .node = 0, .port = 2 }, "u0"));
    EXPECT(interface_is((struct topology_end){ .node = 3, .port = 2 }, "d2"));
}

SPEC("the MAC addresses of all ports are unique and locally administered")
{
    struct topology fabric = small_fabric();
    static char macs[128][CONFIG_PORT_MAC_BYTES];
    unsigned int first;
    uint32_t count = 0;

    for (uint32_t nic = 0; nic < fabric.nic_count; nic++)
        for (uint32_t port = 0; port < 3; port++)
            config_port_mac(
                (struct topology_end){ .is_nic = true, .node = nic, .port = port }, macs[count++]);
    for (uint32_t node = 0; node < fabric.switch_count; node++)
        for (uint32_t port = 0; port < topology_port_count(&fabric, node); port++)
            config_port_mac((struct topology_end){ .node = node, .port = port }, macs[count++]);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(sscanf(macs[i], "%2x:", &first), 1);
        EXPECT_EQ(first & 3, 2); /* locally administered, one station */
        for (uint32_t j = 0; j < i; j++)
            EXPECT(strcmp(macs[i], macs[j]) != 0);
    }
}

SPEC("the two ends of a link have the two addresses of a /127, the lower end the first")
{
    struct topology fabric = small_fabric();
    char lower[CONFIG_PORT_ADDRESS_BYTES];
    char upper[CONFIG_PORT_ADDRESS_BYTES];

    config_port_address(
        &fabric, (struct topology_end){ .is_nic = true, .node = 3, .port = 2 }, lower);
    config_port_address(&fabric, (struct topology_end){ .node = 11, .port = 1 }, upper);
    EXPECT_EQ(strcmp(lower, "fd4d:5243:0:b::2"), 0);
    EXPECT_EQ(strcmp(upper, "fd4d:5243:0:b::3"), 0);
    config_port_address(&fabric, (struct topology_end){ .node = 0, .port = 3 }, lower);
    config_port_address(&fabric, (struct topology_end){ .node = 4, .port = 0 }, upper);
    EXPECT_EQ(strcmp(lower, "fd4d:5243:0:13::2"), 0);
    EXPECT_EQ(strcmp(upper, "fd4d:5243:0:13::3"), 0);
}

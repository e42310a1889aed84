/* SPDX-License-Identifier: Apache-2.0 */
/* A live NIC and the simulator use the same EVs and addresses for the same fabric. */
#include "spec.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/description.h"
#include "base/prng.h"
#include "lab/lab.h"
#include "plan/plan.h"

enum { ROOT_BYTES = 64, TEXT_BYTES = 4096, PATHS = 20 };

static struct plan random_fabric(struct prng *prng)
{
    struct topology_config config;
    struct topology_problem problem;
    struct plan fabric;

    topology_config_init(&config);
    config.plane_count = 1 + prng_below(prng, 8);
    config.t0_count = 1 + prng_below(prng, 4);
    config.t1_count = 1 + prng_below(prng, 600);
    config.hosts_per_t0 = 1 + prng_below(prng, 4);
    config.radix = prng_below(prng, 2) ? 1024 : 0;
    config.usid_block = 0xfd000000u + prng_below(prng, 1u << 24);
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    return fabric;
}

static void port_address(
    const void *context, uint32_t nic, uint32_t plane, char out[static DEVICES_ADDRESS_BYTES])
{
    (void)context;
    snprintf(out, DEVICES_ADDRESS_BYTES, "shm:/nowhere/h%u.p%u", nic, plane);
}

static void read_device(const char *root, uint32_t device, struct description *out)
{
    char path[ROOT_BYTES + 64];
    char name[16];
    char text[TEXT_BYTES];
    char problem[DESCRIPTION_PROBLEM_BYTES];
    FILE *file;

    snprintf(name, sizeof(name), "mrc%u", device);
    snprintf(path, sizeof(path), "%s/%s/config", root, name);
    file = fopen(path, "r");
    EXPECT(file != NULL);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    EXPECT_EQ(description_parse(text, name, out, problem), 0);
}

static void expect_same_way(const struct plan *fabric, uint32_t from,
    const struct description *device, uint32_t to, uint32_t ev)
{
    struct ipv6_addr peer = plan_nic_address(fabric, to);
    struct ipv6_addr outer = plan_outer(fabric, from, to, ev);
    struct template_addresses addresses;
    struct host_route route;
    struct ev_path path = plan_ev_split(device->host.format.uplink_bits, ev);

    EXPECT_EQ(device->host.route(device->host.route_context, &peer, &route), 0);
    EXPECT_EQ(template_expand(&route.template, path, &addresses), 1);
    EXPECT_MEM_EQ(addresses.destination.octets, outer.octets, sizeof(outer.octets));
}

PROPERTY("a device file leads a NIC to the EVs and addresses of the simulator", 100)
{
    struct prng prng = prng_stream(seed, 0);
    struct plan fabric = random_fabric(&prng);
    char root[ROOT_BYTES] = "/tmp/plan-agree-XXXXXX";
    char command[ROOT_BYTES + 16];
    struct devices devices = { .root = mkdtemp(root), .name = "f", .port_address = port_address };
    struct description device;
    uint32_t from = prng_below(&prng, fabric.topology.nic_count);
    uint32_t first;

    devices.fabric = &fabric;
    EXPECT_EQ(devices_make(&devices, &first), 0);
    read_device(root, first + from, &device);
    EXPECT_EQ(device.host.format.uplink_bits, fabric.uplink_bits);
    for (uint32_t i = 0; i < PATHS; i++)
        expect_same_way(&fabric, from, &device, prng_below(&prng, fabric.topology.nic_count),
            plan_ev(&fabric,
                (struct ev_path){ .plane = prng_below(&prng, fabric.topology.config.plane_count),
                    .uplink = prng_below(&prng, fabric.topology.config.t1_count) }));
    snprintf(command, sizeof(command), "rm -rf %s", root);
    EXPECT_EQ(system(command), 0);
}

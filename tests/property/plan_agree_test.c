/* SPDX-License-Identifier: Apache-2.0 */
/* A live NIC and the simulator use the same EVs and addresses for the same fabric. */
#include "spec.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/description.h"
#include "base/prng.h"
#include "host/engine.h"
#include "host/ev_profile.h"
#include "host/uneven_paths.h"
#include "lab/lab.h"
#include "plan/plan.h"

enum { ROOT_BYTES = 64, TEXT_BYTES = 4096, PATHS = 20, EXCEPTIONS = 12 };

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

/* ---- weights --------------------------------------------------------------------------------- */

struct uneven {
    struct topology_exception exceptions[EXCEPTIONS];
    struct topology_exception sorted[EXCEPTIONS];
    struct plan plan;
    struct host_nic nic; /* with parameters alone */
    struct plan_route routes[4 * 8];
    uint64_t weights[2 * 4 * 8];
};

/* Missing and slower uplinks, and slower links of NICs, each link once. */
static uint32_t draw_exceptions(struct uneven *uneven, struct prng *prng)
{
    uint32_t count = 1 + prng_below(prng, EXCEPTIONS);

    for (uint32_t i = 0; i < count; i++) {
        enum topology_component kind = prng_below(prng, 4) ? TOPOLOGY_UPLINK : TOPOLOGY_HOST_LINK;
        uint32_t links = topology_component_count(&uneven->plan.topology, kind);
        struct topology_exception *exception = &uneven->exceptions[i];

        *exception =
            (struct topology_exception){ .link = topology_component_at(&uneven->plan.topology, kind,
                                             (i * links / count + prng_below(prng, 2)) % links),
                .missing = kind == TOPOLOGY_UPLINK && prng_below(prng, 2) };
        if (!exception->missing)
            exception->rate_bps = UINT64_C(10000000000) * (1 + prng_below(prng, 9));
    }
    return count;
}

static bool draw_uneven(struct uneven *uneven, struct prng *prng)
{
    struct topology_problem problem;
    struct topology_config config;

    topology_config_init(&config);
    config.plane_count = 1 + prng_below(prng, 4);
    config.t0_count = 2 + prng_below(prng, 4);
    config.t1_count = 2 + prng_below(prng, 7);
    config.hosts_per_t0 = 1 + prng_below(prng, 4);
    EXPECT(plan_init(&uneven->plan, &config, NULL, &problem));
    config.exception_count = draw_exceptions(uneven, prng);
    config.exceptions = uneven->exceptions;
    return plan_init(&uneven->plan, &config, uneven->sorted, &problem);
}

static void expect_weights(
    struct uneven *uneven, uint32_t from, uint32_t to, const struct host_ev_profile *profile)
{
    uint32_t count = plan_pair_routes(&uneven->plan, from, to, NULL, uneven->routes, 4 * 8);
    uint32_t found = 0;

    plan_weigh(uneven->routes, count, uneven->weights);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = path_profile_find(&profile->profile, uneven->routes[i].ev);

        EXPECT_NE(at, PATH_NONE);
        EXPECT_EQ(profile->entries[at].weight, uneven->weights[i]);
        found++;
    }
    /* Of a plane without a path, one EV remains. */
    EXPECT_LE(profile->profile.entry_count - found, uneven->plan.topology.config.plane_count);
}

PROPERTY("a device file leads a NIC to the weights of the simulator", 200)
{
    static struct uneven uneven;
    struct prng prng = prng_stream(seed, 1);
    char root[ROOT_BYTES] = "/tmp/plan-agree-XXXXXX";
    char command[ROOT_BYTES + 16];
    struct devices devices = { .fabric = &uneven.plan, .name = "f", .port_address = port_address };
    struct uneven_paths *paths = NULL;
    struct host_ev_profile *profile = NULL;
    struct description device;
    struct ipv6_addr peer;
    uint32_t first;
    uint32_t from;
    uint32_t to;

    while (!draw_uneven(&uneven, &prng)) /* a link twice */
        continue;
    devices.root = mkdtemp(root);
    EXPECT_EQ(devices_make(&devices, &first), 0);
    from = prng_below(&prng, uneven.plan.topology.nic_count);
    to = prng_below(&prng, uneven.plan.topology.nic_count);
    read_device(root, first + from, &device);
    EXPECT(device.host.exceptions_path != NULL);
    EXPECT_EQ(uneven_paths_open(device.host.exceptions_path, &device.host.address, &paths), 0);
    uneven.nic.config = device.host;
    peer = plan_nic_address(&uneven.plan, to);
    EXPECT_EQ(uneven_paths_towards(paths, &uneven.nic, &peer, &profile), 0);
    expect_weights(&uneven, from, to, profile);
    uneven_paths_close(paths);
    snprintf(command, sizeof(command), "rm -rf %s", root);
    EXPECT_EQ(system(command), 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of every fabric: cables have two ends, names and numbers go there and back, and each path of
 * each pair of NICs leads through the switches' tables to the right NIC. */
#include "spec.h"

#include "base/prng.h"
#include "plan/plan.h"
#include "switch/switch.h"
#include "topology/topology.h"

enum {
    NICS_MAX = 64,
    EXCEPTIONS_MAX = 6,
};

/* ---- random fabrics -------------------------------------------------------------------------- */

static struct topology_config random_shape(struct prng *prng)
{
    struct topology_config config;

    topology_config_init(&config);
    config.plane_count = 1 + prng_below(prng, TOPOLOGY_PLANES_MAX);
    config.hosts_per_t0 = 1 + prng_below(prng, 16);
    config.t0_count = 1 + prng_below(prng, NICS_MAX / config.hosts_per_t0);
    config.t1_count = prng_below(prng, 17);
    if (config.t1_count == 0)
        config.t0_count = 1;
    config.nic_count =
        config.t0_count * config.hosts_per_t0 - prng_below(prng, config.hosts_per_t0);
    config.usid_block = (uint32_t)prng_next(prng) | 0xfc000000;
    config.usid_block &= 0xfdffffff;
    return config;
}

static struct topology_element random_link(struct prng *prng, const struct topology_config *config)
{
    struct topology_element link = { .plane = prng_below(prng, config->plane_count) };

    if (config->t1_count == 0 || prng_below(prng, 2)) {
        link.kind = TOPOLOGY_HOST_LINK;
        link.nic = prng_below(prng, config->nic_count);
    } else {
        link.kind = TOPOLOGY_UPLINK;
        link.t0 = prng_below(prng, config->t0_count);
        link.t1 = prng_below(prng, config->t1_count);
    }
    return link;
}

static struct plan random_fabric(struct prng *prng)
{
    struct topology_config config = random_shape(prng);
    struct topology_problem problem;
    struct plan fabric;

    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    return fabric;
}

static struct plan large_fabric(void)
{
    struct topology_config config;
    struct topology_problem problem;
    struct plan fabric;

    topology_config_init(&config);
    config.plane_count = 8;
    config.t0_count = 512;
    config.t1_count = 256;
    config.hosts_per_t0 = 256;
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    return fabric;
}

/* ---- walking --------------------------------------------------------------------------------- */

static struct switch_table table_of(const struct plan *fabric, uint32_t switch_index)
{
    struct topology_element at = topology_switch_at(&fabric->topology, switch_index);
    struct plan_range routes[PLAN_RANGES_MAX];
    struct switch_range ranges[PLAN_RANGES_MAX];
    uint32_t count = plan_routes(fabric, switch_index, routes, PLAN_RANGES_MAX);
    struct switch_table table;

    for (uint32_t i = 0; i < count; i++)
        ranges[i] = (struct switch_range){ .first_usid = routes[i].first_usid,
            .last_usid = routes[i].last_usid,
            .first_port = routes[i].first_port };
    switch_table_init(&table, plan_block(fabric, at.plane), plan_usid(fabric, &at), ranges, count);
    return table;
}

static void expect_same_link(const struct topology_element *a, const struct topology_element *b)
{
    EXPECT_EQ(a->kind, b->kind);
    EXPECT_EQ(a->nic, b->nic);
    EXPECT_EQ(a->plane, b->plane);
    EXPECT_EQ(a->t0, b->t0);
    EXPECT_EQ(a->t1, b->t1);
}

/* A packet's way, switch by switch, over the links that it is said to take. */
static void walk(const struct plan *fabric, uint32_t from, uint32_t to, uint32_t ev)
{
    struct topology_element links[PLAN_LINKS_MAX];
    uint32_t link_count = plan_links(fabric, from, to, ev, links);
    struct ipv6_addr outer = plan_outer(fabric, from, to, ev);
    struct topology_end at = {
        .is_nic = true, .node = from, .port = plan_ev_path(fabric, ev).plane
    };
    struct topology_link_kind kind;
    struct topology_element link;

    for (uint32_t i = 0; i < link_count; i++) {
        EXPECT(topology_link_at(&fabric->topology, at, &link, &kind));
        expect_same_link(&link, &links[i]);
        EXPECT(topology_peer(&fabric->topology, at, &at));
        if (!at.is_nic) {
            struct switch_table table = table_of(fabric, at.node);
            struct switch_way way = switch_table_forward(&table, &outer);

            EXPECT_EQ(way.reason, DROP_NONE);
            at.port = way.port;
        }
    }
    EXPECT(at.is_nic);
    EXPECT_EQ(at.node, to);
    EXPECT_EQ(at.port, plan_ev_path(fabric, ev).plane);
    EXPECT_EQ(bytes_get_be64(outer.octets) >> 16 & 0xffff, plan_usid(fabric, &link));
    EXPECT_EQ(bytes_get_be64(outer.octets) << 48 | bytes_get_be64(outer.octets + 8), 0);
}

static void expect_template_agrees(
    const struct plan *fabric, uint32_t from, uint32_t to, uint32_t ev)
{
    struct ipv6_addr outer = plan_outer(fabric, from, to, ev);
    struct plan_nic nic = { .block = fabric->topology.config.usid_block,
        .plane_count = fabric->topology.config.plane_count,
        .self = plan_nic_address(fabric, from) };
    struct ipv6_addr peer = plan_nic_address(fabric, to);
    struct path_template template;
    struct template_addresses addresses;

    EXPECT(plan_nic_template(&nic, &peer, &template));
    EXPECT_EQ(template_expand(&template, plan_ev_path(fabric, ev), &addresses), 1);
    EXPECT_MEM_EQ(outer.octets, addresses.destination.octets, 16);
}

static void walk_all_paths(const struct plan *fabric, uint32_t from, uint32_t to)
{
    struct plan_generate paths = plan_paths(fabric, from, to);

    for (uint32_t plane = 0; plane < paths.plane_count; plane++)
        for (uint32_t uplink = 0; uplink < paths.uplink_count; uplink++) {
            struct ev_path path = { .plane = plane, .uplink = uplink };
            uint32_t ev = plan_ev(fabric, path);

            EXPECT_EQ(plan_ev_path(fabric, ev).plane, plane);
            EXPECT_EQ(plan_ev_path(fabric, ev).uplink, uplink);
            walk(fabric, from, to, ev);
            expect_template_agrees(fabric, from, to, ev);
        }
}

PROPERTY("every path of every pair leads to the right NIC, over the links it is said to take", 40)
{
    struct prng prng = prng_stream(seed, 0xfa);
    struct plan fabric = random_fabric(&prng);

    for (uint32_t from = 0; from < fabric.topology.nic_count; from++)
        for (uint32_t to = 0; to < fabric.topology.nic_count; to++)
            walk_all_paths(&fabric, from, to);
}

PROPERTY("random paths among 131,072 NICs on eight planes lead to the right NIC", 20000)
{
    struct prng prng = prng_stream(seed, 0xfb);
    struct plan fabric = large_fabric();
    uint32_t from = prng_below(&prng, fabric.topology.nic_count);
    uint32_t to = prng_below(&prng, 4) ? prng_below(&prng, fabric.topology.nic_count)
                                       : (from & ~255u) + prng_below(&prng, 256);
    uint32_t ev = prng_below(&prng, 8 * 256);

    walk(&fabric, from, to, ev);
    expect_template_agrees(&fabric, from, to, ev);
}

PROPERTY("generated profiles hold EVs of the fabric, each once", 300)
{
    struct prng prng = prng_stream(seed, 0xfc);
    struct plan fabric = random_fabric(&prng);
    uint32_t from = prng_below(&prng, fabric.topology.nic_count);
    uint32_t to = prng_below(&prng, fabric.topology.nic_count);
    struct plan_generate paths = plan_paths(&fabric, from, to);
    struct path_entry entries[PATH_EV_COUNT_MAX];
    struct path_profile profile;
    bool is_used[TOPOLOGY_PLANES_MAX << 8] = { false };

    plan_generate(&profile, &paths, entries, &prng);
    for (uint32_t i = 0; i < profile.entry_count; i++) {
        struct ev_path path = plan_ev_path(&fabric, entries[i].ev);

        EXPECT_EQ(path.plane, entries[i].plane);
        EXPECT_LT(path.plane, fabric.topology.config.plane_count);
        EXPECT_LT(path.uplink, paths.uplink_count);
        EXPECT(!is_used[entries[i].ev]);
        is_used[entries[i].ev] = true;
        walk(&fabric, from, to, entries[i].ev);
    }
}

/* ---- cables, numbers, names ------------------------------------------------------------------ */

static void expect_two_ends(const struct topology *topology, struct topology_end end)
{
    struct topology_element link;
    struct topology_element same;
    struct topology_element found;
    struct topology_link_kind kind;
    struct topology_end peer;
    struct topology_end back;
    char name[TOPOLOGY_NAME_BYTES];
    char reason[TOPOLOGY_REASON_BYTES];

    if (!topology_peer(topology, end, &peer))
        return;
    EXPECT(topology_peer(topology, peer, &back));
    EXPECT_EQ(back.is_nic, end.is_nic);
    EXPECT_EQ(back.node, end.node);
    EXPECT_EQ(back.port, end.port);
    EXPECT(topology_link_at(topology, end, &link, &kind));
    EXPECT(topology_link_at(topology, peer, &same, &kind));
    expect_same_link(&link, &same);
    topology_name(&link, name);
    EXPECT(topology_find(topology, name, &found, reason));
    expect_same_link(&link, &found);
}

static uint32_t cables_of(
    const struct topology *topology, struct topology_end end, uint32_t port_count)
{
    struct topology_end peer;
    uint32_t count = 0;

    for (end.port = 0; end.port < port_count; end.port++) {
        expect_two_ends(topology, end);
        count += topology_peer(topology, end, &peer);
    }
    return count;
}

/* Each link once in a list of exceptions; a NIC keeps the link of plane 0. */
static uint32_t add_missing(struct prng *prng, const struct topology_config *config,
    struct topology_exception *exceptions, uint32_t wanted)
{
    uint32_t count = 0;

    for (uint32_t tries = 0; tries < wanted; tries++) {
        struct topology_element link = random_link(prng, config);
        bool is_new = link.kind == TOPOLOGY_UPLINK || link.plane > 0;

        for (uint32_t i = 0; i < count; i++)
            is_new &= exceptions[i].link.kind != link.kind || exceptions[i].link.nic != link.nic ||
                      exceptions[i].link.plane != link.plane || exceptions[i].link.t0 != link.t0 ||
                      exceptions[i].link.t1 != link.t1;
        if (is_new)
            exceptions[count++] = (struct topology_exception){ .link = link, .missing = true };
    }
    return count;
}

PROPERTY("every cable has two ends, and as many are there as the description says", 300)
{
    struct prng prng = prng_stream(seed, 0xfd);
    struct topology_config config = random_shape(&prng);
    struct topology_exception exceptions[EXCEPTIONS_MAX];
    struct topology_exception sorted[EXCEPTIONS_MAX];
    struct topology_problem problem;
    struct plan fabric;
    uint32_t end_count = 0;

    config.exception_count =
        add_missing(&prng, &config, exceptions, prng_below(&prng, EXCEPTIONS_MAX + 1));
    config.exceptions = exceptions;
    EXPECT(plan_init(&fabric, &config, sorted, &problem));
    for (uint32_t nic = 0; nic < fabric.topology.nic_count; nic++)
        end_count += cables_of(&fabric.topology,
            (struct topology_end){ .is_nic = true, .node = nic }, config.plane_count);
    for (uint32_t i = 0; i < fabric.topology.switch_count; i++)
        end_count += cables_of(&fabric.topology, (struct topology_end){ .node = i },
            topology_port_count(&fabric.topology, i));
    EXPECT_EQ(end_count,
        2 * (config.plane_count * (config.nic_count + config.t0_count * config.t1_count) -
                config.exception_count));
}

PROPERTY("numbers and addresses go there and back", 300)
{
    struct prng prng = prng_stream(seed, 0xfe);
    struct plan fabric = random_fabric(&prng);

    for (uint32_t nic = 0; nic < fabric.topology.nic_count; nic++) {
        struct ipv6_addr address = plan_nic_address(&fabric, nic);
        uint32_t found;

        EXPECT(plan_nic_of(&fabric, &address, &found));
        EXPECT_EQ(found, nic);
        EXPECT_EQ(
            topology_leaf_of(&fabric.topology, nic), nic / fabric.topology.config.hosts_per_t0);
        EXPECT_EQ(
            topology_downlink_of(&fabric.topology, nic), nic % fabric.topology.config.hosts_per_t0);
    }
    for (uint32_t i = 0; i < fabric.topology.switch_count; i++) {
        struct topology_element at = topology_switch_at(&fabric.topology, i);

        EXPECT_EQ(topology_switch_index(&fabric.topology, &at), i);
    }
}

SPEC("division by a reciprocal is exact for every number of hosts and NICs")
{
    struct plan fabric = { .uplink_bits = 0 };

    for (uint32_t hosts = 1; hosts <= TOPOLOGY_RADIX_MAX; hosts++) {
        fabric.topology.config.hosts_per_t0 = hosts;
        fabric.topology.leaf_reciprocal = ((UINT64_C(1) << 32) + hosts - 1) / hosts;
        for (uint32_t t0 = 0; t0 < TOPOLOGY_RADIX_MAX; t0++) {
            EXPECT_EQ(topology_leaf_of(&fabric.topology, t0 * hosts), t0);
            EXPECT_EQ(topology_leaf_of(&fabric.topology, t0 * hosts + hosts - 1), t0);
        }
    }
}

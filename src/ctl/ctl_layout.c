/* SPDX-License-Identifier: Apache-2.0 */
/* Lists nodes and links of a topology. */
#include "ctl/ctl_layout.h"

enum {
    LINKS_MAX = 200000,    /* in a document for a browser */
    NIC_LINKS_MAX = 20000, /* that are listed if they can be computed */
    STATE_DOWN = 3,        /* both directions */
    PLANES_MAX = 64,
};

static int node_number(const struct topology *topology, struct topology_end end)
{
    return (int)(end.is_nic ? end.node : topology->nic_count + end.node);
}

/* Each cable is listed at its first end: NICs before switches, and switches in their order. */
static bool is_first_end(struct topology_end end, struct topology_end peer)
{
    if (end.is_nic || peer.is_nic)
        return end.is_nic;
    return end.node < peer.node || (end.node == peer.node && end.port < peer.port);
}

static void add_link(const struct topology *topology, struct topology_end end, json_t *links)
{
    struct topology_link_kind kind;
    struct topology_element link;
    struct topology_end peer;
    char name[TOPOLOGY_NAME_BYTES];

    if (json_array_size(links) >= LINKS_MAX || !topology_peer(topology, end, &peer) ||
        !is_first_end(end, peer) || !topology_link_at(topology, end, &link, &kind))
        return;
    topology_name(&link, name);
    json_array_append_new(links, json_pack("[s, i, i, i]", name, node_number(topology, end),
                                     node_number(topology, peer), (int)link.plane));
}

static json_t *list_links(const struct topology *topology)
{
    json_t *links = json_array();

    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t port = 0; port < topology->config.plane_count; port++)
            add_link(topology, (struct topology_end){ .is_nic = true, .node = nic, .port = port },
                links);
    for (uint32_t node = 0; node < topology->switch_count; node++)
        for (uint32_t port = 0; port < topology_port_count(topology, node); port++)
            add_link(topology, (struct topology_end){ .node = node, .port = port }, links);
    return links;
}

static json_t *list_switches(const struct topology *topology)
{
    json_t *switches = json_array();

    for (uint32_t i = 0; i < topology->switch_count; i++) {
        struct topology_element element = topology_switch_at(topology, i);
        char name[TOPOLOGY_NAME_BYTES];

        topology_name(&element, name);
        json_array_append_new(switches, json_string(name));
    }
    return switches;
}

/* The counts of a large fabric of two tiers, from which a page derives its links. */
static json_t *list_counts(const struct topology *topology)
{
    json_t *shape = json_pack("{s:s}", "name", topology->config.name);

    for (const struct topology_count *count = topology_counts; count->key; count++)
        if (count->result)
            json_object_set_new(
                shape, count->result, json_integer(topology_count_get(&topology->config, count)));
    return shape;
}

json_t *ctl_layout(const struct topology *topology)
{
    uint64_t nic_links = (uint64_t)topology->nic_count * topology->config.plane_count;

    if (!topology->graph && topology->config.exception_count == 0 && nic_links > NIC_LINKS_MAX)
        return json_pack("{s:s, s:i, s:i, s:o}", "name", topology->config.name, "planes",
            (int)topology->config.plane_count, "nics", (int)topology->nic_count, "shape",
            list_counts(topology));
    return json_pack("{s:s, s:i, s:i, s:o, s:o}", "name", topology->config.name, "planes",
        (int)topology->config.plane_count, "nics", (int)topology->nic_count, "switches",
        list_switches(topology), "links", list_links(topology));
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Adds the links of NICs that are down, and counts them by plane. */
static void add_down(const struct topology *topology, const uint32_t *ports_down, json_t *at,
    json_t *state, uint32_t down[PLANES_MAX])
{
    uint32_t number = 0;

    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t port = 0; port < topology->config.plane_count; port++) {
            struct topology_end end = { .is_nic = true, .node = nic, .port = port };
            struct topology_end peer;

            if (!topology_peer(topology, end, &peer))
                continue;
            if (ports_down[nic] >> port & 1) {
                json_array_append_new(at, json_integer(number));
                json_array_append_new(state, json_integer(STATE_DOWN));
                down[port % PLANES_MAX]++;
            }
            number++;
        }
}

static json_t *list_planes(const struct topology *topology, const uint32_t down[PLANES_MAX])
{
    json_t *planes = json_array();

    for (uint32_t i = 0; i < topology->config.plane_count && i < PLANES_MAX; i++)
        json_array_append_new(
            planes, json_pack("{s:i, s:i, s:i, s:i, s:i}", "bps", 0, "capacity_bps", 0, "down",
                        (int)down[i], "impaired", 0, "lost", 0));
    return planes;
}

json_t *ctl_layout_sample(
    const struct topology *topology, const uint32_t *ports_down, int64_t time_ms)
{
    uint32_t down[PLANES_MAX] = { 0 };
    json_t *at = json_array();
    json_t *state = json_array();

    add_down(topology, ports_down, at, state, down);
    return json_pack("{s:I, s:i, s:o, s:{s:o, s:o}, s:{s:i, s:i, s:i, s:{}, s:{}}, s:[]}",
        "time_ms", (json_int_t)time_ms, "interval_ms", 0, "planes", list_planes(topology, down),
        "links", "at", at, "state", state, "nics", "goodput_bps", 0, "sent", 0, "qps", 0,
        "retransmitted", "evs", "faults");
}

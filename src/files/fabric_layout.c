/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the nodes and links of a topology. */
#include "files/fabric_layout.h"

enum { LINKS_MAX = 200000 }; /* in a document for a browser */

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

json_t *fabric_layout(const struct topology *topology, uint32_t nic_links_max)
{
    uint64_t nic_links = (uint64_t)topology->nic_count * topology->config.plane_count;

    if (!topology->graph && topology->config.exception_count == 0 && nic_links > nic_links_max)
        return json_pack("{s:s, s:i, s:i, s:o}", "name", topology->config.name, "planes",
            (int)topology->config.plane_count, "nics", (int)topology->nic_count, "shape",
            list_counts(topology));
    return json_pack("{s:s, s:i, s:i, s:o, s:o}", "name", topology->config.name, "planes",
        (int)topology->config.plane_count, "nics", (int)topology->nic_count, "switches",
        list_switches(topology), "links", list_links(topology));
}

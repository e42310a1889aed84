/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the links of a graph, one by one: { from: h0, to: p0.t0.3, rate: 100G }. */
#include "files/graph_links.h"

#include <string.h>

#include "base/scan.h"
#include "files/fabric_file.h"
#include "files/yaml_fields.h"

#define MBPS UINT64_C(1000000)
#define TBPS UINT64_C(1000000000000)

struct entry {
    char from[TOPOLOGY_NAME_BYTES];
    char to[TOPOLOGY_NAME_BYTES];
    struct topology_link_kind kind;
};

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "from", .type = YAML_TEXT, .offset = offsetof(struct entry, from), .most = TOPOLOGY_NAME_BYTES },
    { .key = "to", .type = YAML_TEXT, .offset = offsetof(struct entry, to), .most = TOPOLOGY_NAME_BYTES },
    { .key = "rate", .type = YAML_RATE, .offset = offsetof(struct entry, kind.rate_bps), .least = MBPS, .most = 8 * TBPS },
    { .key = "delay", .type = YAML_TIME, .offset = offsetof(struct entry, kind.delay_ps) },
    { .key = NULL },
};
/* clang-format on */

/* Finds a node. Adds it if it is a switch that is named for the first time. */
static bool find_or_add(struct yaml *yaml, const struct yaml_node *node, struct graph *graph,
    const char *name, uint32_t *out)
{
    const char *at = name;
    uint32_t plane;
    uint32_t tier;
    uint32_t index;

    *out = graph_find(graph, name);
    if (*out != GRAPH_NONE)
        return true;
    if (!scan_word(&at, "p") || !scan_u32(&at, &plane) || !scan_word(&at, ".t") ||
        !scan_u32(&at, &tier) || !scan_word(&at, ".") || !scan_u32(&at, &index) || *at)
        return yaml_complain(yaml, node,
            "'%s' is neither a NIC of this fabric nor the name of a switch, such as p0.t1.3", name);
    if (plane >= GRAPH_PLANES_MAX || tier >= GRAPH_TIERS_MAX)
        return yaml_complain(yaml, node, "'%s': planes are below %d and tiers below %d", name,
            GRAPH_PLANES_MAX, GRAPH_TIERS_MAX);
    *out = graph_add_switch(graph, tier, plane, index);
    return true;
}

static bool is_there(const struct graph *graph, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const struct graph_end *ends = graph->links[i].ends;

        if ((ends[0].node == from && ends[1].node == to) ||
            (ends[0].node == to && ends[1].node == from))
            return true;
    }
    return false;
}

static bool read_link(struct yaml *yaml, const struct yaml_node *node,
    const struct topology_link_kind *usual, struct graph *graph)
{
    struct entry entry = { .kind = *usual };
    uint32_t from;
    uint32_t to;

    if (!yaml_read(yaml, node, fields, &entry) || !yaml_require(yaml, node, "from") ||
        !yaml_require(yaml, node, "to") || !find_or_add(yaml, node, graph, entry.from, &from) ||
        !find_or_add(yaml, node, graph, entry.to, &to))
        return false;
    if (from == to)
        return yaml_complain(yaml, node, "a link of %s to itself", entry.from);
    if (is_there(graph, from, to))
        return yaml_complain(
            yaml, node, "the link between %s and %s is listed twice", entry.from, entry.to);
    graph_connect(graph, from, to,
        &(struct graph_link){ .rate_bps = entry.kind.rate_bps,
            .delay_ps = entry.kind.delay_ps,
            .line = node->place.line });
    return true;
}

/* The first ports of a switch lead to NICs, wherever the list names them. */
static void number_ports(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i].port_count = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < graph->link_count; i++) {
            struct graph_end *ends = graph->links[i].ends;
            bool has_nic = graph->nodes[ends[0].node].is_nic || graph->nodes[ends[1].node].is_nic;

            for (uint32_t side = 0; side < 2 && has_nic == (pass == 0); side++)
                ends[side].port = graph->nodes[ends[side].node].port_count++;
        }
}

bool graph_links_read(struct yaml *yaml, const struct yaml_node *list,
    const struct topology_link_kind *usual, struct graph *graph)
{
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_link(yaml, node, usual, graph))
            return false;
    number_ports(graph);
    return true;
}

bool graph_links_complain(
    struct yaml *yaml, const struct yaml_node *list, uint32_t link, const char *reason)
{
    const struct yaml_node *node = list->first;

    while (link-- > 0)
        node = node->next;
    return yaml_complain(yaml, node, "%s", reason);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a topology as the fabric of an experiment. */
#include <stdio.h>
#include <string.h>

#include "study/search_topology.h"

#define BUFFER_BPS 100e9 /* sizes of buffers in experiments are those of such a port */

/* ---- the shape ------------------------------------------------------------------------------- */

static struct yaml_node *parse_shape(struct yaml *yaml, const struct search_topology *topology)
{
    enum { TEXT_BYTES = 1024 };
    static const char source[] = "topology";
    const struct size_fabric *fabric = &topology->fabric;
    struct graph_parameters graph;
    char text[TEXT_BYTES];
    int length;

    if (!size_graph(fabric, &graph))
        return NULL;
    length = snprintf(
        text, sizeof(text), "{ shape: %s", graph.shape == &graph_shape_zcube ? "zcube" : "clos");
    for (uint32_t i = 0; graph.shape->numbers[i].key; i++)
        if (graph.numbers[i] > 0) /* tiers that it does not have */
            length += snprintf(text + length, sizeof(text) - (size_t)length, ", %s: %u",
                graph.shape->numbers[i].key, graph.numbers[i]);
    snprintf(text + length, sizeof(text) - (size_t)length,
        ", host_link: { rate: %llub/s }, uplink: { rate: %llub/s } }",
        (unsigned long long)fabric->port_bps, (unsigned long long)fabric->uplink_bps);
    return yaml_parse(yaml, source, text, strlen(text), false);
}

/* ---- what remains of the fabric of the experiment -------------------------------------------- */

static bool scale_size(struct yaml *yaml, struct yaml_node *node, double factor)
{
    uint64_t bytes;
    char text[24];

    if (node->kind != YAML_SCALAR || quantity_parse(QUANTITY_SIZE, node->text, &bytes))
        return yaml_complain(yaml, node, "write %s", quantity_example(QUANTITY_SIZE));
    snprintf(text, sizeof(text), "%llu", (unsigned long long)((double)bytes * factor + 0.5));
    node->text = yaml_text(yaml, text, strlen(text));
    return true;
}

/* A faster port has more of the buffer of its switch, and marks later. */
static bool scale_buffers(
    struct yaml *yaml, struct yaml_node *buffers, const struct size_fabric *fabric)
{
    const struct {
        const char *key;
        uint64_t bps;
    } sizes[] = { { "data", fabric->uplink_bps }, { "host_data", fabric->port_bps },
        { "red_min", fabric->uplink_bps }, { "red_max", fabric->uplink_bps } };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct yaml_node *node = (struct yaml_node *)yaml_member(buffers, sizes[i].key);

        if (node && !scale_size(yaml, node, (double)sizes[i].bps / BUFFER_BPS))
            return false;
    }
    return true;
}

static bool keep_link(
    struct yaml *yaml, struct yaml_node *fabric, const struct yaml_node *link, const char *path)
{
    for (const struct yaml_node *node = link->first; node; node = node->next)
        if (!node->key || strcmp(node->key, "delay") != 0)
            return yaml_complain_key(yaml, node, "the topologies give it; remove it");
    return link->kind != YAML_MAPPING || !link->first ||
           yaml_put(yaml, fabric, path, yaml_copy(yaml, link->first));
}

static bool keep_key(struct yaml *yaml, struct yaml_node *fabric, const struct yaml_node *node,
    const struct size_fabric *sized)
{
    static const char *const kept[] = { "name", "version", "switch_latency", "nic_latency",
        "framing", "cut_through", "usid_block", "buffers", "detour", "paths", NULL };
    struct yaml_node *copy;

    if (strcmp(node->key, "host_link") == 0)
        return keep_link(yaml, fabric, node, "host_link.delay");
    if (strcmp(node->key, "uplink") == 0)
        return keep_link(yaml, fabric, node, "uplink.delay");
    if (word_find(kept, node->key) < 0)
        return yaml_complain_key(yaml, node, "the topologies give it; remove it");
    copy = yaml_copy(yaml, node);
    yaml_adopt(fabric, copy);
    return strcmp(node->key, "buffers") != 0 || scale_buffers(yaml, copy, sized);
}

bool search_topology_put(
    const struct search_topology *topology, struct yaml *yaml, struct yaml_node *top)
{
    const struct yaml_node *before = yaml_member(top, "fabric");
    struct yaml_node *fabric = parse_shape(yaml, topology);

    if (!fabric)
        return yaml_complain(yaml, top, "%s cannot be simulated", topology->name);
    if (before && before->kind != YAML_MAPPING)
        return yaml_complain(yaml, before,
            "the topologies replace the fabric; give only its latencies, delays and buffers");
    for (const struct yaml_node *node = before ? before->first : NULL; node; node = node->next)
        if (!keep_key(yaml, fabric, node, &topology->fabric))
            return false;
    return yaml_put(yaml, top, "fabric", fabric);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Fabric files: a fabric that is read can be wired, named and addressed; else what is wrong is said
 * with its place. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "files/files.h"
#include "libfyaml.h"
#include "must.h"

static void expect_sense(const struct plan *fabric)
{
    struct ipv6_addr address = plan_nic_address(fabric, fabric->topology.nic_count - 1);
    char reason[TOPOLOGY_REASON_BYTES];
    char name[TOPOLOGY_NAME_BYTES];
    struct topology_element found;
    uint32_t nic;

    MUST(plan_nic_of(fabric, &address, &nic) && nic == fabric->topology.nic_count - 1);
    for (uint32_t i = 0; i < fabric->topology.switch_count;
         i += 1 + fabric->topology.switch_count / 64) {
        struct topology_element element = topology_switch_at(&fabric->topology, i);

        topology_name(&element, name);
        MUST(topology_find(&fabric->topology, name, &found, reason));
        MUST(topology_switch_index(&fabric->topology, &found) == i);
    }
}

static void expect_graph(const struct graph *graph)
{
    char name[GRAPH_NAME_BYTES];

    for (uint32_t i = 0; i < graph->node_count; i += 1 + graph->node_count / 16) {
        graph_name(graph, i, name);
        MUST(graph_find(graph, name) == i);
    }
    for (uint32_t i = 0; i < graph->link_count; i += 1 + graph->link_count / 64)
        for (uint32_t side = 0; side < 2; side++) {
            struct graph_end peer;

            MUST(graph_link_at(graph, graph->links[i].ends[side], &peer) == &graph->links[i]);
            MUST(peer.node == graph->links[i].ends[!side].node);
        }
}

static bool read_any(struct yaml *yaml, const struct yaml_node *top)
{
    struct plan fabric;

    if (!fabric_file_read(yaml, top, &fabric))
        return false;
    expect_sense(&fabric);
    if (fabric.topology.graph)
        expect_graph(fabric.topology.graph);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct yaml_node *top;
    struct yaml yaml;

    yaml_init(&yaml);
    top = yaml_parse(&yaml, "fabric.yaml", (const char *)data, length_bytes, true);
    if (!top || top->kind != YAML_MAPPING || !read_any(&yaml, top))
        MUST((top && top->kind != YAML_MAPPING) || yaml.problem[0] != 0);
    MUST(memchr(yaml.problem, 0, sizeof(yaml.problem)) != NULL);
    yaml_fini(&yaml);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file with a `shape` into a graph. */
#include "files/graph_file.h"

#include <string.h>

#include "files/fabric_file.h"
#include "files/graph_links.h"
#include "files/group_file.h"
#include "files/yaml_fields.h"

#define MS_PS     UINT64_C(1000000000)
#define LINKS_MAX 16384u /* each is compared with all before it */

enum shape {
    SHAPE_CLOS,
    SHAPE_RAIL_OPTIMISED,
    SHAPE_RAIL_ONLY,
    SHAPE_DUAL_PLANE,
    SHAPE_ZCUBE,
    SHAPE_LINKS
};

static const char *const shape_words[] = { "clos", "rail_optimised", "rail_only", "dual_plane",
    "zcube", "links", NULL };

/* One level of a Clos, from the hosts up: the number of units of the level below, its own switches,
 * and the links of each pair. */
struct shape_numbers {
    int shape;
    uint32_t version;
    uint32_t planes;
    uint32_t tiers;
    uint32_t units[GRAPH_TIERS_MAX];
    uint32_t tops[GRAPH_TIERS_MAX];
    uint32_t parallel[GRAPH_TIERS_MAX];
    uint32_t rails;
    uint32_t groups;
    uint32_t servers;
    uint32_t spines;
    uint32_t n;
    uint32_t k;
    uint32_t nics;
    uint64_t switch_latency_ps;
    uint64_t nic_latency_ps;
    struct topology_link_kind host_link;
    struct topology_link_kind uplink;
    uint32_t block;
    uint32_t detour;
    char name[TOPOLOGY_NAME_BYTES];
    const struct yaml_node *buffers;
    const struct yaml_node *failure_groups;
    const struct yaml_node *host_link_node;
    const struct yaml_node *uplink_node;
    const struct yaml_node *block_node;
    const struct yaml_node *links;
};

#define NUMBER(word, member)                                                                       \
    {                                                                                              \
        .key = (word), .type = YAML_COUNT, .offset = offsetof(struct shape_numbers, member),       \
        .least = 1, .most = 1 << 20                                                                \
    }
#define PART(word, kind, member)                                                                   \
    {                                                                                              \
        .key = (word), .type = (kind), .offset = offsetof(struct shape_numbers, member)            \
    }

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = offsetof(struct shape_numbers, name), .most = TOPOLOGY_NAME_BYTES },
    { .key = "shape", .type = YAML_WORD, .offset = offsetof(struct shape_numbers, shape), .words = shape_words },
    { .key = "version", .type = YAML_COUNT, .offset = offsetof(struct shape_numbers, version), .least = 1, .most = FABRIC_FILE_VERSION },
    NUMBER("planes", planes),
    NUMBER("tiers", tiers),
    NUMBER("hosts_per_leaf", units[0]),
    NUMBER("leaves_per_pod", units[1]),
    NUMBER("pods", units[2]),
    NUMBER("clusters", units[3]),
    NUMBER("spines_per_pod", tops[1]),
    NUMBER("cores", tops[2]),
    NUMBER("supercores", tops[3]),
    NUMBER("leaf_links", parallel[1]),
    NUMBER("spine_links", parallel[2]),
    NUMBER("core_links", parallel[3]),
    NUMBER("rails", rails),
    NUMBER("groups", groups),
    NUMBER("servers_per_group", servers),
    NUMBER("spines", spines),
    NUMBER("n", n),
    NUMBER("k", k),
    NUMBER("nics", nics),
    { .key = "detour", .type = YAML_COUNT, .offset = offsetof(struct shape_numbers, detour), .most = PLAN_DETOUR_MAX },
    { .key = "switch_latency", .type = YAML_TIME, .offset = offsetof(struct shape_numbers, switch_latency_ps), .most = 10 * MS_PS },
    { .key = "nic_latency", .type = YAML_TIME, .offset = offsetof(struct shape_numbers, nic_latency_ps), .most = 10 * MS_PS },
    PART("host_link", YAML_MAP, host_link_node),
    PART("uplink", YAML_MAP, uplink_node),
    PART("usid_block", YAML_ANY, block_node),
    PART("buffers", YAML_MAP, buffers),
    PART("failure_groups", YAML_LIST, failure_groups),
    PART("links", YAML_LIST, links),
    { .key = NULL },
};
/* clang-format on */

static bool complain(
    struct yaml *yaml, const struct yaml_node *mapping, const struct graph_problem *problem)
{
    return yaml_complain(yaml, mapping, "%s", problem->reason);
}

static void take_graph(struct yaml *yaml, const struct graph_size *size, struct graph *graph)
{
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    graph_init(graph, &arena, size);
    bytes = arena.used_bytes;
    arena_init(&arena, yaml_take(yaml, 1, bytes), bytes);
    graph_init(graph, &arena, size);
}

static struct graph_clos clos_of(const struct shape_numbers *numbers)
{
    struct graph_clos clos = { .plane_count = numbers->planes,
        .tier_count = numbers->tiers,
        .host_link = numbers->host_link,
        .uplink = numbers->uplink };

    for (uint32_t level = 0; level < GRAPH_TIERS_MAX; level++) {
        clos.units[level] = numbers->units[level];
        clos.tops[level] = numbers->tops[level];
        clos.parallel[level] = numbers->parallel[level];
    }
    return clos;
}

static struct graph_rail rail_of(const struct shape_numbers *numbers)
{
    return (struct graph_rail){ .rail_count = numbers->rails,
        .group_count = numbers->groups,
        .servers_per_group = numbers->servers,
        .spine_count = numbers->spines,
        .plane_count = numbers->shape == SHAPE_DUAL_PLANE ? 2 : 1,
        .is_rail_only = numbers->shape == SHAPE_RAIL_ONLY,
        .host_link = numbers->host_link,
        .uplink = numbers->uplink };
}

static bool generate(struct yaml *yaml, const struct shape_numbers *numbers, struct graph *graph,
    struct graph_problem *problem)
{
    struct graph_clos clos = clos_of(numbers);
    struct graph_rail rail = rail_of(numbers);
    struct graph_zcube zcube = { numbers->n, numbers->k, numbers->host_link, numbers->uplink };
    struct graph_size size;

    if (numbers->shape == SHAPE_CLOS) {
        if (!graph_clos_size(&clos, &size, problem))
            return false;
        take_graph(yaml, &size, graph);
        graph_clos(graph, &clos);
    } else if (numbers->shape == SHAPE_ZCUBE) {
        if (!graph_zcube_size(&zcube, &size, problem))
            return false;
        take_graph(yaml, &size, graph);
        graph_zcube(graph, &zcube);
    } else {
        if (!graph_rail_size(&rail, &size, problem))
            return false;
        take_graph(yaml, &size, graph);
        graph_rail(graph, &rail);
    }
    return true;
}

static bool list(struct yaml *yaml, const struct yaml_node *mapping,
    const struct shape_numbers *numbers, struct graph *graph)
{
    struct graph_size size = { .nic_count = numbers->nics };

    if (!yaml_require(yaml, mapping, "nics") || !yaml_require(yaml, mapping, "links"))
        return false;
    if (numbers->links->child_count > LINKS_MAX)
        return yaml_complain(yaml, numbers->links, "%u links; at most %u can be listed",
            numbers->links->child_count, LINKS_MAX);
    size.link_count = numbers->links->child_count;
    size.switch_count = 2 * size.link_count;
    take_graph(yaml, &size, graph);
    if (!graph_links_read(yaml, numbers->links, &numbers->uplink, graph))
        return false;
    graph->size.switch_count = graph->node_count - size.nic_count;
    return true;
}

static bool plan(struct yaml *yaml, const struct yaml_node *mapping,
    const struct shape_numbers *numbers, const struct graph *graph, struct plan *fabric)
{
    uint32_t *scratch = yaml_take(yaml, 2 * (size_t)graph->node_count, sizeof(*scratch));
    struct topology_problem problem = { .member = "" };
    struct topology_config config;

    topology_config_init(&config);
    memcpy(config.name, numbers->name, sizeof(config.name));
    config.switch_latency_ps = numbers->switch_latency_ps;
    config.nic_latency_ps = numbers->nic_latency_ps;
    config.usid_block = numbers->block;
    return fabric_file_buffers(yaml, numbers->buffers, &config.buffers) &&
           (plan_init_graph(fabric, &config, graph, numbers->detour, scratch, &problem) ||
               fabric_file_complain(yaml, mapping, &problem));
}

static bool finish(struct yaml *yaml, const struct yaml_node *mapping,
    const struct shape_numbers *numbers, struct graph *graph)
{
    uint32_t *scratch = yaml_take(yaml, graph->node_count, sizeof(*scratch));
    struct graph_problem problem;

    if (graph_finish(graph, scratch, &problem))
        return true;
    if (problem.link != GRAPH_NONE && numbers->links)
        return graph_links_complain(yaml, numbers->links, problem.link, problem.reason);
    return complain(yaml, mapping, &problem);
}

/* A Clos has enough paths that go up and then down. In other shapes the shortest paths are too
 * few. */
static uint32_t usual_detour(int shape)
{
    return shape == SHAPE_ZCUBE || shape == SHAPE_LINKS ? 1 : 0;
}

bool graph_file_read(struct yaml *yaml, const struct yaml_node *mapping, struct plan *fabric)
{
    struct shape_numbers numbers = {
        .planes = 1, .tiers = 2, .detour = UINT32_MAX, .name = "fabric"
    };
    struct graph *graph = yaml_take(yaml, 1, sizeof(*graph));
    struct topology_config usual;
    struct graph_problem problem;

    topology_config_init(&usual);
    numbers.host_link = usual.host_link;
    numbers.uplink = usual.uplink;
    numbers.switch_latency_ps = usual.switch_latency_ps;
    numbers.nic_latency_ps = usual.nic_latency_ps;
    numbers.block = usual.usid_block;
    if (!yaml_read(yaml, mapping, fields, &numbers) ||
        !fabric_file_link(yaml, numbers.host_link_node, &numbers.host_link) ||
        !fabric_file_link(yaml, numbers.uplink_node, &numbers.uplink) ||
        !fabric_file_block(yaml, numbers.block_node, &numbers.block))
        return false;
    if (numbers.detour == UINT32_MAX)
        numbers.detour = usual_detour(numbers.shape);
    if (numbers.shape == SHAPE_LINKS) {
        if (!list(yaml, mapping, &numbers, graph))
            return false;
    } else if (!generate(yaml, &numbers, graph, &problem)) {
        return complain(yaml, mapping, &problem);
    }
    return finish(yaml, mapping, &numbers, graph) && plan(yaml, mapping, &numbers, graph, fabric) &&
           group_file_read(yaml, numbers.failure_groups, &fabric->topology);
}

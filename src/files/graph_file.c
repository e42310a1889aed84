/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file with a `shape` into a graph. */
#include "files/graph_file.h"

#include <assert.h>
#include <string.h>

#include "files/fabric_file.h"
#include "files/graph_links.h"
#include "files/group_file.h"
#include "files/yaml_fields.h"

#define MS_PS     UINT64_C(1000000000)
#define LINKS_MAX 16384u /* each is compared with all before it */

enum { SHAPE_LINKS = GRAPH_SHAPE_COUNT }; /* in graph_shape_words */

struct description {
    uint32_t shape;
    uint32_t version;
    struct graph_parameters parameters;
    uint32_t nics;
    struct topology_config config; /* name, latencies, wires and buffers */
    uint32_t block;
    uint32_t detour;
    int paths; /* enum plan_choice */
    const struct yaml_node *buffers;
    const struct yaml_node *failure_groups;
    const struct yaml_node *host_link;
    const struct yaml_node *uplink;
    const struct yaml_node *usid_block;
    const struct yaml_node *links;
};

#define COUNT_MAX  (1 << 20)
#define AT(member) offsetof(struct description, member)

/* clang-format off */
static const struct yaml_field first_fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = AT(config.name), .most = TOPOLOGY_NAME_BYTES },
    { .key = "shape", .type = YAML_WORD, .offset = AT(shape), .words = graph_shape_words },
    { .key = "version", .type = YAML_COUNT, .offset = AT(version), .least = 1, .most = FABRIC_FILE_VERSION },
    { .key = NULL },
};

static const struct yaml_field links_fields[] = {
    { .key = "nics", .type = YAML_COUNT, .offset = AT(nics), .least = 1, .most = COUNT_MAX },
    { .key = "links", .type = YAML_LIST, .offset = AT(links) },
    { .key = NULL },
};

static const struct yaml_field last_fields[] = {
    { .key = "detour", .type = YAML_COUNT, .offset = AT(detour), .most = PLAN_DETOUR_MAX },
    { .key = "paths", .type = YAML_WORD, .offset = AT(paths), .words = plan_choice_words },
    { .key = "switch_latency", .type = YAML_TIME, .offset = AT(config.switch_latency_ps), .most = 10 * MS_PS },
    { .key = "nic_latency", .type = YAML_TIME, .offset = AT(config.nic_latency_ps), .most = 10 * MS_PS },
    { .key = "framing", .type = YAML_COUNT16, .offset = AT(config.framing_bytes), .most = 256 },
    { .key = "cut_through", .type = YAML_COUNT16, .offset = AT(config.cut_through_bytes), .most = TOPOLOGY_PACKET_BYTES },
    { .key = "host_link", .type = YAML_MAP, .offset = AT(host_link) },
    { .key = "uplink", .type = YAML_MAP, .offset = AT(uplink) },
    { .key = "usid_block", .type = YAML_ANY, .offset = AT(usid_block) },
    { .key = "buffers", .type = YAML_MAP, .offset = AT(buffers) },
    { .key = "failure_groups", .type = YAML_LIST, .offset = AT(failure_groups) },
    { .key = NULL },
};
/* clang-format on */

enum { FIELDS_MAX = GRAPH_NUMBERS_MAX + 20 };

/* Sets the numbers of a shape to their defaults and appends their keys. */
static uint32_t append_numbers(
    struct graph_parameters *parameters, struct yaml_field *to, uint32_t count)
{
    const struct graph_number *numbers = parameters->shape->numbers;

    for (uint32_t i = 0; numbers[i].key; i++) {
        assert(i < GRAPH_NUMBERS_MAX);
        parameters->numbers[i] = numbers[i].usual;
        to[count++] = (struct yaml_field){ .key = numbers[i].key,
            .type = YAML_COUNT,
            .offset = AT(parameters.numbers) + i * sizeof(numbers[i].usual),
            .least = 1,
            .most = COUNT_MAX };
    }
    return count;
}

/* Lists the keys that this shape has. */
static void list_fields(struct description *description, struct yaml_field out[static FIELDS_MAX])
{
    uint32_t count = yaml_append(first_fields, out, 0);

    if (description->shape == SHAPE_LINKS)
        count = yaml_append(links_fields, out, count);
    else
        count = append_numbers(&description->parameters, out, count);
    count = yaml_append(last_fields, out, count);
    assert(count < FIELDS_MAX);
    out[count] = (struct yaml_field){ .key = NULL };
}

static bool complain_problem(
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

/* Points at the key of the parameter that is wrong, if the file has it. */
static bool complain_size(struct yaml *yaml, const struct yaml_node *mapping,
    const struct graph_shape *shape, const struct graph_problem *problem)
{
    const struct yaml_node *value = NULL;

    if (problem->number != GRAPH_NONE)
        value = yaml_member(mapping, shape->numbers[problem->number].key);
    return value ? yaml_complain_key(yaml, value, "%s", problem->reason)
                 : complain_problem(yaml, mapping, problem);
}

static bool generate_graph(struct yaml *yaml, const struct yaml_node *mapping,
    const struct graph_parameters *parameters, struct graph *graph)
{
    struct graph_problem problem;
    struct graph_size size;

    if (!parameters->shape->size(parameters, &size, &problem))
        return complain_size(yaml, mapping, parameters->shape, &problem);
    take_graph(yaml, &size, graph);
    parameters->shape->build(graph, parameters);
    return true;
}

static bool list_graph(struct yaml *yaml, const struct yaml_node *mapping,
    const struct description *description, struct graph *graph)
{
    struct graph_size size = { .nic_count = description->nics };

    if (!yaml_require(yaml, mapping, "nics") || !yaml_require(yaml, mapping, "links"))
        return false;
    if (description->links->child_count > LINKS_MAX)
        return yaml_complain(yaml, description->links, "%u links; at most %u can be listed",
            description->links->child_count, LINKS_MAX);
    size.link_count = description->links->child_count;
    size.switch_count = 2 * size.link_count;
    take_graph(yaml, &size, graph);
    if (!graph_links_read(yaml, description->links, &description->parameters.uplink, graph))
        return false;
    graph->size.switch_count = graph->node_count - size.nic_count;
    return true;
}

static bool plan_graph(struct yaml *yaml, const struct yaml_node *mapping,
    const struct description *description, const struct graph *graph, struct plan *fabric)
{
    uint32_t *scratch = yaml_take(yaml, 2 * (size_t)graph->node_count, sizeof(*scratch));
    struct topology_problem problem = { .member = "" };
    struct topology_config config = description->config;

    config.usid_block = description->block;
    if (!fabric_file_buffers(yaml, description->buffers, &config.buffers))
        return false;
    if (!plan_init_graph(fabric, &config, graph, description->detour, scratch, &problem))
        return fabric_file_complain(yaml, mapping, &problem);
    fabric->graph.choice = (enum plan_choice)description->paths;
    return true;
}

static bool finish_graph(struct yaml *yaml, const struct yaml_node *mapping,
    const struct description *description, struct graph *graph)
{
    uint32_t *scratch = yaml_take(yaml, graph->node_count, sizeof(*scratch));
    struct graph_problem problem;

    if (graph_finish(graph, scratch, &problem))
        return true;
    if (problem.link != GRAPH_NONE && description->links)
        return graph_links_complain(yaml, description->links, problem.link, problem.reason);
    return complain_problem(yaml, mapping, &problem);
}

static void init_description(struct description *description, const struct topology_config *usual)
{
    *description = (struct description){ .config = *usual,
        .block = usual->usid_block,
        .parameters = { .host_link = usual->host_link, .uplink = usual->uplink } };
}

/* Reads `shape` first, because the other keys depend on it. */
static bool read_description(
    struct yaml *yaml, const struct yaml_node *mapping, struct description *description)
{
    static const struct yaml_field shape = { .type = YAML_WORD, .words = graph_shape_words };
    struct graph_parameters *parameters = &description->parameters;
    struct yaml_field fields[FIELDS_MAX];

    if (!yaml_read_value(yaml, yaml_member(mapping, "shape"), &shape, &description->shape))
        return false;
    if (description->shape != SHAPE_LINKS)
        parameters->shape = graph_shapes[description->shape];
    description->detour = parameters->shape ? parameters->shape->detour : 1;
    list_fields(description, fields);
    return yaml_read(yaml, mapping, fields, description) &&
           fabric_file_link(yaml, description->host_link, &parameters->host_link) &&
           fabric_file_link(yaml, description->uplink, &parameters->uplink) &&
           fabric_file_block(yaml, description->usid_block, &description->block);
}

bool graph_file_read(struct yaml *yaml, const struct yaml_node *mapping,
    const struct topology_config *usual, struct plan *fabric)
{
    struct graph *graph = yaml_take(yaml, 1, sizeof(*graph));
    struct description description;

    init_description(&description, usual);
    if (!read_description(yaml, mapping, &description))
        return false;
    if (description.shape == SHAPE_LINKS) {
        if (!list_graph(yaml, mapping, &description, graph))
            return false;
    } else if (!generate_graph(yaml, mapping, &description.parameters, graph)) {
        return false;
    }
    return finish_graph(yaml, mapping, &description, graph) &&
           plan_graph(yaml, mapping, &description, graph, fabric) &&
           group_file_read(yaml, description.failure_groups, &fabric->topology);
}

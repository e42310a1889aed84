/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a search file over the built-in one. */
#include "study/search_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const search_figure_words[SEARCH_FIGURE_COUNT + 1] = {
#define FIGURE(key, heading, UNIT, path, per) #key,
#include "result/comparison_figures.def"
#undef FIGURE
    [SEARCH_FIGURE_COST] = "cost_usd",
    [SEARCH_FIGURE_POWER] = "power_w",
};

static const char default_objectives[] =
    "[ { name: goodput, figure: goodput_fraction, goal: most, tolerance: 2% },"
    "  { name: tail, figure: p99_us, tolerance: 5% },"
    "  { name: recovery, figure: stood_us, tolerance: 10% },"
    "  { name: cost, figure: cost_usd, tolerance: 1% } ]";

/* What both files have; the second one replaces what it gives. */
struct contents {
    uint32_t version;
    char name[EXPERIMENT_NAME_BYTES];
    char title[SEARCH_TITLE_BYTES];
    uint64_t gpus;
    uint64_t nic_bps;
    uint64_t switch_bps; /* 0: follows from the GPUs */
    uint64_t lane_bps;
    uint32_t points;
    uint32_t seeds;
    uint32_t check_seeds;
    uint64_t seed;
    uint64_t time_ps;
    const struct yaml_node *prices;
    const struct yaml_node *topologies;
    const struct yaml_node *parameters;
    const struct yaml_node *objectives;
    const struct yaml_node *experiment;
};

#define AT(member) offsetof(struct contents, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "version", .type = YAML_COUNT, .offset = AT(version), .least = 1, .most = SEARCH_FILE_VERSION },
    { .key = "name", .type = YAML_TEXT, .offset = AT(name), .most = EXPERIMENT_NAME_BYTES },
    { .key = "title", .type = YAML_TEXT, .offset = AT(title), .most = SEARCH_TITLE_BYTES },
    { .key = "gpus", .type = YAML_NUMBER, .offset = AT(gpus), .least = 4, .most = 1000000 },
    { .key = "nic", .type = YAML_RATE, .offset = AT(nic_bps), .least = 1000000, .most = UINT64_C(8000000000000) },
    { .key = "switch", .type = YAML_RATE, .offset = AT(switch_bps), .least = 1000000, .most = UINT64_C(1000000000000000) },
    { .key = "lane", .type = YAML_RATE, .offset = AT(lane_bps), .least = 1000000, .most = UINT64_C(1000000000000) },
    { .key = "points", .type = YAML_COUNT, .offset = AT(points), .least = 1, .most = 100000 },
    { .key = "seeds", .type = YAML_COUNT, .offset = AT(seeds), .least = 1, .most = 100 },
    { .key = "check_seeds", .type = YAML_COUNT, .offset = AT(check_seeds), .least = 2, .most = 100 },
    { .key = "seed", .type = YAML_NUMBER, .offset = AT(seed), .least = 0, .most = UINT32_MAX },
    { .key = "time", .type = YAML_TIME, .offset = AT(time_ps) },
    { .key = "prices", .type = YAML_ANY, .offset = AT(prices) },
    { .key = "topologies", .type = YAML_LIST, .offset = AT(topologies) },
    { .key = "parameters", .type = YAML_MAP, .offset = AT(parameters) },
    { .key = "objectives", .type = YAML_LIST, .offset = AT(objectives) },
    { .key = "experiment", .type = YAML_ANY, .offset = AT(experiment) },
    { .key = NULL },
};
#undef AT
#define AT(member) offsetof(struct search_objective, member)

static const char *const goal_words[] = { [SEARCH_LEAST] = "least", [SEARCH_MOST] = "most", NULL };
static const struct yaml_field objective_fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = AT(name), .most = sizeof(((struct search_objective *)0)->name) },
    { .key = "figure", .type = YAML_WORD, .offset = AT(figure), .words = search_figure_words },
    { .key = "goal", .type = YAML_WORD, .offset = AT(goal), .words = goal_words },
    { .key = "tolerance", .type = YAML_PERMILLE, .offset = AT(tolerance), .least = 1, .most = 1000 },
    { .key = "cases", .type = YAML_LIST, .offset = AT(cases) },
    { .key = NULL },
};
/* clang-format on */

/* ---- objectives ------------------------------------------------------------------------------ */

static bool read_objective(struct search_request *request, const struct yaml_node *node,
    struct search_objective *objective)
{
    *objective = (struct search_objective){ .tolerance = 20 };
    if (!yaml_require(&request->yaml, node, "name") ||
        !yaml_require(&request->yaml, node, "figure") ||
        !yaml_read(&request->yaml, node, objective_fields, objective))
        return false;
    for (uint32_t i = 0; i < request->objective_count; i++)
        if (strcmp(request->objectives[i].name, objective->name) == 0)
            return yaml_complain(&request->yaml, yaml_member(node, "name"),
                "another objective has this name; give each its own");
    if (objective->cases && objective->figure >= COMPARISON_FIGURE_COUNT)
        return yaml_complain_key(&request->yaml, objective->cases,
            "'%s' is the same in all cases; remove it", search_figure_words[objective->figure]);
    return true;
}

static bool read_objectives(struct search_request *request, const struct yaml_node *list)
{
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        if (request->objective_count == PARETO_OBJECTIVES_MAX)
            return yaml_complain(
                &request->yaml, node, "more than %d objectives", PARETO_OBJECTIVES_MAX);
        if (!read_objective(request, node, &request->objectives[request->objective_count]))
            return false;
        request->objective_count++;
    }
    return request->objective_count > 0 ||
           yaml_complain(&request->yaml, list, "the list is empty; give an objective");
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* A key without a dot is a parameter of the transport. */
static const char *whole_key(struct yaml *yaml, const char *key)
{
    char text[YAML_KEY_BYTES];

    if (strchr(key, '.'))
        return key;
    snprintf(text, sizeof(text), "parameters.%s", key);
    return yaml_text(yaml, text, strlen(text));
}

static bool read_axis(struct search_request *request, const struct yaml_node *list)
{
    struct search_space *space = &request->space;
    struct search_axis *axis = &space->axes[space->axis_count];

    if (space->axis_count == SEARCH_AXES_MAX)
        return yaml_complain_key(&request->yaml, list, "more than %d keys", SEARCH_AXES_MAX);
    if (list->kind != YAML_SEQUENCE || !list->first || list->child_count >= SEARCH_VALUES_MAX)
        return yaml_complain(&request->yaml, list,
            "give a list of 1 to %d values other than the usual one", SEARCH_VALUES_MAX - 1);
    *axis = (struct search_axis){ .key = whole_key(&request->yaml, list->key), .value_count = 1 };
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        if (node->kind != YAML_SCALAR)
            return yaml_complain(&request->yaml, node, "give a single value");
        request->values[space->axis_count][axis->value_count] = node;
        axis->values[axis->value_count++] = node->text;
    }
    space->axis_count++;
    return true;
}

static bool read_axes(struct search_request *request, const struct yaml_node *mapping)
{
    for (const struct yaml_node *node = mapping->first; node; node = node->next)
        if (!read_axis(request, node))
            return false;
    return true;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* The switch that a ZCube with two levels fills: a NIC has half of its rate in each, and a switch
 * has as many ports to NICs as to switches. At 16,384 GPUs with 400 Gb/s it has 51.2 Tb/s. */
static uint64_t usual_switch_bps(const struct size_request *size)
{
    return (uint64_t)ceil(sqrt((double)size->gpus)) * size->nic_bps;
}

static bool read_sizes(struct search_request *request, const struct contents *contents,
    const struct search_changes *changes)
{
    struct size_request *size = &request->size;
    const struct yaml_node *prices = contents->prices;
    const char *path = changes->prices_path;

    size_request_init(size);
    size->gpus = changes->gpus ? changes->gpus : contents->gpus;
    size->nic_bps = changes->nic_bps ? changes->nic_bps : contents->nic_bps;
    size->lane_bps = contents->lane_bps;
    size->switch_bps = changes->switch_bps ? changes->switch_bps : contents->switch_bps;
    if (!size->switch_bps)
        size->switch_bps = usual_switch_bps(size);
    size->planes = (uint32_t)size_divide_up(size->nic_bps, size->lane_bps);
    if (!path && prices && prices->kind != YAML_SCALAR)
        return yaml_complain(&request->yaml, prices, "name a price file");
    if (!path && prices)
        path = yaml_path(&request->yaml, prices);
    return price_file_read(&request->yaml, path, &request->prices) &&
           search_topology_read(
               &request->yaml, contents->topologies, size, &request->prices, &request->topologies);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_contents(
    struct search_request *request, const char *path, struct contents *contents)
{
    struct yaml *yaml = &request->yaml;
    struct yaml_node *usual =
        yaml_parse(yaml, "built-in", search_file_default, strlen(search_file_default), true);
    struct yaml_node *top = path ? yaml_load(yaml, path) : usual;
    bool has_own_work;

    if (!usual || !top)
        return false;
    usual->is_root = true;
    has_own_work = path && yaml_member(top, "experiment");
    if (!yaml_read(yaml, usual, fields, contents) || !yaml_read(yaml, top, fields, contents))
        return false;
    if (has_own_work && !yaml_member(top, "objectives"))
        contents->objectives =
            yaml_parse(yaml, "built-in", default_objectives, strlen(default_objectives), false);
    return contents->objectives != NULL;
}

/* An experiment is a file, or the keys of one. */
static bool read_experiment(struct search_request *request, const struct yaml_node *node)
{
    request->experiment = node->kind == YAML_SCALAR
                              ? experiment_load(&request->yaml, yaml_path(&request->yaml, node))
                              : node;
    return request->experiment &&
           (request->experiment->kind == YAML_MAPPING ||
               yaml_complain(&request->yaml, node, "give the keys of an experiment, or a file"));
}

static void take_changes(struct search_request *request, const struct contents *contents,
    const struct search_changes *changes)
{
    memcpy(request->name, contents->name, sizeof(request->name));
    memcpy(request->title, contents->title, sizeof(request->title));
    request->points = changes->points ? changes->points : contents->points;
    request->seeds = changes->seeds ? changes->seeds : contents->seeds;
    request->check_seeds = changes->check_seeds ? changes->check_seeds : contents->check_seeds;
    request->seed = changes->has_seed ? changes->seed : contents->seed;
    request->time_ps = changes->time_ps ? changes->time_ps : contents->time_ps;
    request->sets = changes->sets;
    request->set_count = changes->set_count;
}

bool search_file_read(
    struct search_request *request, const char *path, const struct search_changes *changes)
{
    struct contents contents = { 0 };

    memset(request, 0, sizeof(*request));
    yaml_init(&request->yaml);
    if (!read_contents(request, path, &contents))
        return false;
    take_changes(request, &contents, changes);
    if (!read_objectives(request, contents.objectives) ||
        !read_axes(request, contents.parameters) || !read_sizes(request, &contents, changes) ||
        !read_experiment(request, contents.experiment))
        return false;
    request->space.topology_count = request->topologies.count;
    return true;
}

void search_file_fini(struct search_request *request)
{
    yaml_fini(&request->yaml);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an experiment file into the configuration of a simulation. */
#include "files/experiment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include "files/experiment_part.h"
#include "files/fabric_file.h"
#include "files/word.h"
#include "files/yaml_fields.h"

#define DAY_PS      (UINT64_C(86400) * SIM_PS_PER_S)
#define SAMPLES     200    /* default */
#define SAMPLES_MAX 100000 /* more cannot be displayed */
#define PATH_BYTES  4096

struct document {
    char name[EXPERIMENT_NAME_BYTES];
    char title[EXPERIMENT_TITLE_BYTES];
    uint64_t duration_ps;
    uint64_t sample_ps;
    uint64_t seed;
    uint32_t repeat;
    uint32_t window_psns;
    uint32_t qp_series;
    bool capacity;
    bool occupancy;
    bool reordering;
    enum sim_protocol protocol;
    uint32_t version;
    const struct yaml_node *fabric;
    const struct yaml_node *hardware;
    const struct yaml_node *parameters;
    const struct yaml_node *roce;
    const struct yaml_node *uet;
    const struct yaml_node *infiniband;
    const struct yaml_node *map;
    const struct yaml_node *workloads;
    const struct yaml_node *jobs;
    const struct yaml_node *faults;
    const struct yaml_node *generators;
    const struct yaml_node *observe;
    const struct yaml_node *victim;
    const struct yaml_node *watch;
    const struct yaml_node *phases;
    const struct yaml_node *criteria;
    const struct yaml_node *sweep;
};

#define IN_DOCUMENT(member) offsetof(struct document, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = IN_DOCUMENT(name), .most = EXPERIMENT_NAME_BYTES },
    { .key = "title", .type = YAML_TEXT, .offset = IN_DOCUMENT(title), .most = EXPERIMENT_TITLE_BYTES },
    { .key = "version", .type = YAML_COUNT, .offset = IN_DOCUMENT(version), .least = 1, .most = FABRIC_FILE_VERSION },
    { .key = "fabric", .type = YAML_ANY, .offset = IN_DOCUMENT(fabric) },
    { .key = "hardware", .type = YAML_ANY, .offset = IN_DOCUMENT(hardware) },
    { .key = "protocol", .type = YAML_WORD, .offset = IN_DOCUMENT(protocol), .words = sim_protocol_words },
    { .key = "parameters", .type = YAML_MAP, .offset = IN_DOCUMENT(parameters) },
    { .key = "roce", .type = YAML_MAP, .offset = IN_DOCUMENT(roce) },
    { .key = "uet", .type = YAML_MAP, .offset = IN_DOCUMENT(uet) },
    { .key = "infiniband", .type = YAML_MAP, .offset = IN_DOCUMENT(infiniband) },
    { .key = "map", .type = YAML_MAP, .offset = IN_DOCUMENT(map) },
    { .key = "workloads", .type = YAML_LIST, .offset = IN_DOCUMENT(workloads) },
    { .key = "jobs", .type = YAML_LIST, .offset = IN_DOCUMENT(jobs) },
    { .key = "faults", .type = YAML_LIST, .offset = IN_DOCUMENT(faults) },
    { .key = "generators", .type = YAML_LIST, .offset = IN_DOCUMENT(generators) },
    { .key = "duration", .type = YAML_TIME, .offset = IN_DOCUMENT(duration_ps), .least = 1000, .most = DAY_PS },
    { .key = "sample", .type = YAML_TIME, .offset = IN_DOCUMENT(sample_ps), .least = 1000, .most = DAY_PS },
    { .key = "seed", .type = YAML_NUMBER, .offset = IN_DOCUMENT(seed) },
    { .key = "repeat", .type = YAML_COUNT, .offset = IN_DOCUMENT(repeat), .least = 1, .most = 10000 },
    { .key = "window_psns", .type = YAML_COUNT, .offset = IN_DOCUMENT(window_psns), .least = 128, .most = 32768 },
    { .key = "qp_series", .type = YAML_COUNT, .offset = IN_DOCUMENT(qp_series), .most = 1024 },
    { .key = "capacity", .type = YAML_FLAG, .offset = IN_DOCUMENT(capacity) },
    { .key = "occupancy", .type = YAML_FLAG, .offset = IN_DOCUMENT(occupancy) },
    { .key = "reordering", .type = YAML_FLAG, .offset = IN_DOCUMENT(reordering) },
    { .key = "observe", .type = YAML_MAP, .offset = IN_DOCUMENT(observe) },
    { .key = "victim", .type = YAML_ANY, .offset = IN_DOCUMENT(victim) },
    { .key = "watch", .type = YAML_MAP, .offset = IN_DOCUMENT(watch) },
    { .key = "phases", .type = YAML_LIST, .offset = IN_DOCUMENT(phases) },
    { .key = "criteria", .type = YAML_LIST, .offset = IN_DOCUMENT(criteria) },
    { .key = "sweep", .type = YAML_LIST, .offset = IN_DOCUMENT(sweep) },
    { .key = NULL },
};
/* clang-format on */

/* ---- tree ------------------------------------------------------------------------------------ */

/* Replaces the name of the fabric file by its contents. */
static bool include_fabric(struct yaml *yaml, struct yaml_node *top)
{
    struct yaml_node *node = (struct yaml_node *)yaml_member(top, "fabric");
    struct yaml_node *included;
    const char *path;

    if (!node || node->kind != YAML_SCALAR || yaml_is_empty(node))
        return true;
    path = yaml_path(yaml, node);
    if (access(path, R_OK) != 0)
        return yaml_complain(yaml, node, "%s: %s; name a fabric file, or write its keys here", path,
            strerror(errno));
    included = fabric_file_load(yaml, path);
    if (!included)
        return false;
    yaml_replace(node, included);
    return true;
}

static struct yaml_node *complete_tree(struct yaml *yaml, struct yaml_node *top)
{
    const struct yaml_node *planes = top ? yaml_member(top, "planes") : NULL;

    if (planes && !yaml_member(top, "workloads") && !yaml_member(top, "jobs")) {
        yaml_complain_key(yaml, planes,
            "this is a fabric file; an experiment names it under 'fabric:' and has workloads");
        return NULL;
    }
    return top && include_fabric(yaml, top) ? top : NULL;
}

struct yaml_node *experiment_load(struct yaml *yaml, const char *path)
{
    return complete_tree(yaml, yaml_load(yaml, path));
}

struct yaml_node *experiment_parse(struct yaml *yaml, const char *source, const char *text)
{
    struct yaml_node *top = yaml_parse(yaml, source, text, strlen(text), true);

    if (top)
        top->is_root = true;
    return complete_tree(yaml, top);
}

/* `source` names the option in messages. */
static bool set_key(
    struct yaml *yaml, struct yaml_node *top, const char *source, const char *key, const char *text)
{
    struct yaml_place place = { .source = source };
    struct yaml_node *value;

    if (experiment_sweep_has(top, key))
        return yaml_complain_at(yaml, place, "the sweep gives this key its values; set it there");
    value = yaml_parse(yaml, source, text, strlen(text), false);
    return value && yaml_put(yaml, top, key, value) && include_fabric(yaml, top);
}

static const char *option_text(struct yaml *yaml, const char *option, const char *value)
{
    char text[PATH_BYTES];

    snprintf(text, sizeof(text), "%s %s", option, value);
    return yaml_text(yaml, text, strlen(text));
}

bool experiment_set(struct yaml *yaml, struct yaml_node *top, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    const char *source = option_text(yaml, "--set", assignment);

    if (!equals || equals == assignment)
        return yaml_complain_at(yaml, (struct yaml_place){ .source = source },
            "KEY=VALUE is expected, such as parameters.mpr=4");
    return set_key(
        yaml, top, source, yaml_text(yaml, assignment, (size_t)(equals - assignment)), equals + 1);
}

bool experiment_set_protocol(struct yaml *yaml, struct yaml_node *top, const char *word)
{
    return set_key(yaml, top, option_text(yaml, "--protocol", word), "protocol", word);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool experiment_check_name(struct yaml *yaml, const struct yaml_node *node, const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    if (*name && *name != '-' && strspn(name, allowed) == strlen(name))
        return true;
    return yaml_complain(yaml, node, "'%s' is not a name; use letters, digits, _ and -", name);
}

static bool read_observe(
    struct yaml *yaml, const struct yaml_node *mapping, struct experiment *experiment)
{
    struct observe {
        const struct yaml_node *workload;
        uint32_t rank;
        uint32_t to;
    } observe = { .to = MEASURE_NONE };
    static const struct yaml_field observe_fields[] = {
        { .key = "workload", .type = YAML_ANY, .offset = offsetof(struct observe, workload) },
        { .key = "rank", .type = YAML_COUNT, .offset = offsetof(struct observe, rank) },
        { .key = "to", .type = YAML_COUNT, .offset = offsetof(struct observe, to) },
        { .key = NULL },
    };

    if (!yaml_read(yaml, mapping, observe_fields, &observe))
        return false;
    experiment->measure.observe = (struct measure_observe){ 0, observe.rank, observe.to };
    if (observe.workload && !experiment_find_workload(yaml, observe.workload, experiment,
                                &experiment->measure.observe.workload))
        return false;
    if (observe.rank >= experiment->sim.workloads[experiment->measure.observe.workload].rank_count)
        return yaml_complain(yaml, mapping, "workload '%s' has no rank %u; its ranks are 0 to %u",
            experiment->sim.workloads[experiment->measure.observe.workload].name, observe.rank,
            experiment->sim.workloads[experiment->measure.observe.workload].rank_count - 1);
    return true;
}

/* A sweep may compare protocols, so the settings of another one are permitted. */
static bool read_protocol(
    struct yaml *yaml, const struct document *document, struct experiment *experiment)
{
    experiment->sim.protocol = document->protocol;
    roce_settings_init(&experiment->sim.roce);
    uet_settings_init(&experiment->sim.uet);
    ib_settings_init(&experiment->sim.infiniband);
    return (!document->roce || experiment_read_roce(yaml, document->roce, &experiment->sim.roce)) &&
           (!document->uet || experiment_read_uet(yaml, document->uet, &experiment->sim.uet)) &&
           (!document->infiniband ||
               experiment_read_infiniband(yaml, document->infiniband, &experiment->sim.infiniband));
}

static bool read_parts(
    struct yaml *yaml, const struct document *document, struct experiment *experiment)
{
    return read_protocol(yaml, document, experiment) &&
           (!document->map || experiment_read_map(yaml, document->map, &experiment->sim.map)) &&
           (!document->parameters || experiment_read_parameters(yaml, document->parameters,
                                         &experiment->sim.parameters)) &&
           experiment_read_workloads(yaml, document->workloads, document->jobs, experiment) &&
           (!document->faults || experiment_read_faults(yaml, document->faults, experiment)) &&
           (!document->generators ||
               experiment_read_generators(yaml, document->generators, experiment)) &&
           (!document->observe || read_observe(yaml, document->observe, experiment)) &&
           (!document->victim ||
               experiment_find_workload(yaml, document->victim, experiment, &experiment->victim)) &&
           (!document->watch || experiment_read_watches(yaml, document->watch, experiment)) &&
           (!document->phases || experiment_read_phases(yaml, document->phases, experiment)) &&
           (!document->criteria || experiment_read_criteria(yaml, document->criteria, experiment));
}

static bool read_fabric(struct yaml *yaml, const struct document *document,
    const struct topology_config *usual, struct experiment *experiment)
{
    static const struct yaml_node all_defaults = { .kind = YAML_MAPPING, .is_root = true };

    if (!document->fabric)
        return fabric_file_read_over(yaml, &all_defaults, usual, &experiment->fabric);
    if (document->fabric->kind == YAML_SEQUENCE)
        return yaml_complain(
            yaml, document->fabric, "the name of a fabric file is expected here, or its keys");
    return fabric_file_read_over(yaml, document->fabric, usual, &experiment->fabric);
}

static bool read_hardware_and_fabric(
    struct yaml *yaml, const struct document *document, struct experiment *experiment)
{
    struct hardware *hardware = &experiment->sim.hardware;
    struct topology_config usual;

    hardware_init(hardware);
    topology_config_init(&usual);
    if (document->hardware && !experiment_read_hardware(yaml, document->hardware, hardware))
        return false;
    experiment_apply_hardware(hardware, &usual);
    if (!read_fabric(yaml, document, &usual, experiment))
        return false;
    if (document->hardware && !experiment_check_hardware(
                                  yaml, document->hardware, hardware, &experiment->fabric.topology))
        return false;
    experiment_note_hardware(hardware, &experiment->fabric.topology.config);
    return true;
}

static bool take_times(struct yaml *yaml, const struct yaml_node *top,
    const struct document *document, struct experiment *experiment)
{
    const struct yaml_node *sample = yaml_member(top, "sample");

    experiment->sim.duration_ps = document->duration_ps;
    experiment->measure.sample_ps = document->sample_ps;
    if (!experiment->measure.sample_ps)
        experiment->measure.sample_ps = (document->duration_ps + SAMPLES - 1) / SAMPLES;
    if (document->duration_ps / experiment->measure.sample_ps > SAMPLES_MAX)
        return yaml_complain(yaml, sample, "%s is too short: there would be more than %u samples",
            sample->text, SAMPLES_MAX);
    return true;
}

static void default_name(const struct yaml_node *top, char *name)
{
    const char *file = strrchr(top->place.source, '/');
    const char *dot;

    file = file ? file + 1 : top->place.source;
    dot = strrchr(file, '.');
    snprintf(name, EXPERIMENT_NAME_BYTES, "%.*s", dot ? (int)(dot - file) : 60, file);
}

static bool is_field(const char *key)
{
    for (const struct yaml_field *field = fields; field->key; field++)
        if (strcmp(field->key, key) == 0)
            return true;
    return false;
}

/* Reports a parameter that is given as a key of the experiment. */
static bool check_parameter_places(struct yaml *yaml, const struct yaml_node *top)
{
    for (const struct yaml_node *node = top->first; node; node = node->next)
        if (node->key && !is_field(node->key) &&
            parameters_find(node->key, (uint32_t)strlen(node->key)) < parameter_count)
            return yaml_complain_key(
                yaml, node, "this is a parameter; write parameters.%s", node->key);
    return true;
}

bool experiment_read(struct yaml *yaml, const struct yaml_node *top, struct experiment *experiment)
{
    struct document document = { .seed = 1, .repeat = 1, .capacity = true };

    *experiment = (struct experiment){ .victim = MEASURE_NONE };
    experiment->measure.observe.workload = MEASURE_NONE;
    default_name(top, document.name);
    if (!check_parameter_places(yaml, top) || !yaml_read(yaml, top, fields, &document) ||
        !yaml_require(yaml, top, "duration") ||
        (!document.jobs && !yaml_require(yaml, top, "workloads")))
        return false;
    memcpy(experiment->name, document.name, sizeof(experiment->name));
    memcpy(experiment->title, document.title, sizeof(experiment->title));
    experiment->repeat = document.repeat;
    experiment->sim.seed = document.seed;
    experiment->sim.window_psns = document.window_psns;
    experiment->sim.fabric = &experiment->fabric;
    experiment->measure.sim = &experiment->sim;
    experiment->measure.qp_series = document.qp_series;
    experiment->measure.skips_capacity = !document.capacity;
    experiment->measure.occupancy = document.occupancy;
    experiment->sim.counts_order = document.reordering;
    parameters_init(&experiment->sim.parameters, TIMERS_HARDWARE);
    return take_times(yaml, top, &document, experiment) &&
           read_hardware_and_fabric(yaml, &document, experiment) &&
           read_parts(yaml, &document, experiment) && experiment_check(yaml, top, experiment);
}

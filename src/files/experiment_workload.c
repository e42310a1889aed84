/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the workloads and parameters of an experiment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/experiment_part.h"
#include "files/fabric_file.h"
#include "files/schedule_file.h"
#include "files/word.h"
#include "files/yaml_fields.h"

static const char *const placements[] = {
    [SIM_PACKED] = "packed",
    [SIM_RANDOM] = "random",
    NULL,
};

/* Units of start times in connection matrices. */
static const char *const start_units[] = { "ps", "ns", "us", NULL };

struct entry {
    struct sim_workload workload;
    int format;
    int start_unit;
    const struct yaml_node *file;
    const struct yaml_node *nics;
    const struct yaml_node *evs;
    uint32_t model; /* of experiment_models */
    uint32_t scale;
};

#define WORK(member) offsetof(struct entry, workload.member)
#define HOUR_PS      (UINT64_C(3600) * SIM_PS_PER_S)
#define BYTES_MOST   (UINT64_C(1) << 40)
#define GBPS         UINT64_C(1000000000)
#define TBPS         (1000 * GBPS)

enum {
    NODE_NICS = 8,             /* the usual group of a hierarchical all-reduce, and a node */
    SCHEDULE_OUTSTANDING = 16, /* the usual number of messages */
};

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = WORK(name), .most = SIM_NAME_BYTES },
    { .key = "kind", .type = YAML_WORD, .offset = WORK(kind), .words = sim_workload_words },
    { .key = "ranks", .type = YAML_COUNT, .offset = WORK(rank_count), .least = 2, .most = 1 << 20 },
    { .key = "placement", .type = YAML_WORD, .offset = WORK(placement), .words = placements },
    { .key = "first_nic", .type = YAML_COUNT, .offset = WORK(first_nic) },
    { .key = "nics", .type = YAML_LIST, .offset = offsetof(struct entry, nics) },
    { .key = "message_bytes", .type = YAML_SIZE, .offset = WORK(message_bytes), .least = 1, .most = BYTES_MOST },
    { .key = "iterations", .type = YAML_COUNT, .offset = WORK(iterations) },
    { .key = "outstanding", .type = YAML_COUNT, .offset = WORK(outstanding), .least = 1, .most = 1024 },
    { .key = "qps", .type = YAML_COUNT, .offset = WORK(qps), .least = 1, .most = 131072 },
    { .key = "bidirectional", .type = YAML_FLAG, .offset = WORK(bidirectional) },
    { .key = "shift", .type = YAML_COUNT, .offset = WORK(shift) },
    { .key = "chunks", .type = YAML_COUNT, .offset = WORK(chunks), .least = 1, .most = 65536 },
    { .key = "group", .type = YAML_COUNT, .offset = WORK(group), .least = 2, .most = 1 << 20 },
    { .key = "peers_at_once", .type = YAML_COUNT, .offset = WORK(peers_at_once), .least = 1, .most = 1 << 20 },
    { .key = "local_rate", .type = YAML_RATE, .offset = WORK(local_bps), .least = GBPS, .most = 1000 * TBPS },
    { .key = "start", .type = YAML_TIME, .offset = WORK(start_ps), .most = HOUR_PS },
    { .key = "jitter", .type = YAML_TIME, .offset = WORK(jitter_ps), .most = HOUR_PS },
    { .key = "stagger", .type = YAML_TIME, .offset = WORK(stagger_ps), .most = HOUR_PS },
    { .key = "compute", .type = YAML_TIME, .offset = WORK(compute_ps), .most = HOUR_PS },
    { .key = "overlap", .type = YAML_PERMILLE, .offset = WORK(overlap_permille), .most = 1000 },
    { .key = "collective", .type = YAML_WORD, .offset = WORK(collective), .words = sim_workload_words },
    { .key = "tensor", .type = YAML_COUNT, .offset = WORK(tensor), .least = 1, .most = 1024 },
    { .key = "pipeline", .type = YAML_COUNT, .offset = WORK(pipeline), .least = 1, .most = 1024 },
    { .key = "expert", .type = YAML_COUNT, .offset = WORK(expert), .least = 1, .most = 1 << 16 },
    { .key = "micro_batches", .type = YAML_COUNT, .offset = WORK(micro_batches), .least = 1, .most = 1024 },
    { .key = "exchanges", .type = YAML_COUNT, .offset = WORK(exchanges), .most = 1024 },
    { .key = "activation_bytes", .type = YAML_SIZE, .offset = WORK(activation_bytes), .most = BYTES_MOST },
    { .key = "tensor_bytes", .type = YAML_SIZE, .offset = WORK(tensor_bytes), .most = BYTES_MOST },
    { .key = "dispatch_bytes", .type = YAML_SIZE, .offset = WORK(dispatch_bytes), .most = BYTES_MOST },
    { .key = "combine_bytes", .type = YAML_SIZE, .offset = WORK(combine_bytes), .most = BYTES_MOST },
    { .key = "model", .type = YAML_WORD, .offset = offsetof(struct entry, model), .words = experiment_models },
    { .key = "scale", .type = YAML_COUNT, .offset = offsetof(struct entry, scale), .least = 1, .most = 1 << 30 },
    { .key = "file", .type = YAML_ANY, .offset = offsetof(struct entry, file) },
    { .key = "format", .type = YAML_WORD, .offset = offsetof(struct entry, format), .words = schedule_format_words },
    { .key = "start_unit", .type = YAML_WORD, .offset = offsetof(struct entry, start_unit), .words = start_units },
    { .key = "evs", .type = YAML_LIST, .offset = offsetof(struct entry, evs) },
    { .key = "ev_active_per_plane", .type = YAML_COUNT, .offset = WORK(ev_active_per_plane), .least = 1, .most = 1024 },
    { .key = NULL },
};
/* clang-format on */

/* "7" or "4-7". */
static bool read_span(struct yaml *yaml, const struct yaml_node *node, uint32_t span[2])
{
    const char *text = node->kind == YAML_SCALAR ? node->text : "";
    char *end = NULL;

    if (*text >= '0' && *text <= '9') {
        span[0] = span[1] = (uint32_t)strtoul(text, &end, 10);
        if (end[0] == '-' && end[1] >= '0' && end[1] <= '9')
            span[1] = (uint32_t)strtoul(end + 1, &end, 10);
    }
    if (!end || *end || span[1] < span[0])
        return yaml_complain(yaml, node, "numbers of NICs are expected here: 7, or 4-7");
    return true;
}

static bool read_nics(struct yaml *yaml, const struct yaml_node *list,
    const struct experiment *experiment, struct sim_workload *workload)
{
    uint32_t nic_count = experiment->fabric.topology.nic_count;
    uint32_t *nics = yaml_take(yaml, nic_count, sizeof(*nics));
    uint32_t count = 0;

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        uint32_t span[2] = { 0, 0 };

        if (!read_span(yaml, node, span))
            return false;
        if (span[1] >= nic_count)
            return yaml_complain(yaml, node, "this fabric has no NIC %u; its NICs are 0 to %u",
                span[1], nic_count - 1);
        if (span[1] - span[0] >= nic_count - count)
            return yaml_complain(yaml, node, "there are more NICs here than the fabric has");
        for (uint32_t nic = span[0]; nic <= span[1]; nic++)
            nics[count++] = nic;
    }
    if (workload->rank_count && workload->rank_count != count)
        return yaml_complain(yaml, list, "%u NICs for %u ranks; omit 'ranks', or set it to %u",
            count, workload->rank_count, count);
    workload->placement = SIM_LIST;
    workload->nics = nics;
    workload->rank_count = count;
    return true;
}

static bool read_evs(struct yaml *yaml, const struct yaml_node *list,
    const struct experiment *experiment, struct sim_workload *workload)
{
    uint32_t *evs = yaml_take(yaml, list->child_count, sizeof(*evs));

    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!fabric_file_ev(yaml, node, &experiment->fabric, &evs[node->index]))
            return false;
    workload->evs = evs;
    workload->ev_count = list->child_count;
    return true;
}

/* Reads the file of a schedule, which has all messages. */
static bool read_traffic(struct yaml *yaml, const struct yaml_node *node,
    const struct experiment *experiment, struct entry *entry)
{
    static const uint64_t unit_ps[] = { 1, 1000, 1000000 };
    static const char *const others[] = { "message_bytes", "iterations" };
    uint32_t nic_count = experiment->fabric.topology.nic_count;
    struct experiment_traffic traffic = {
        .file = entry->file, .format = entry->format, .start_unit_ps = unit_ps[entry->start_unit]
    };

    if (!yaml_require(yaml, node, "file"))
        return false;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (yaml_member(node, others[i]))
            return yaml_complain_key(yaml, yaml_member(node, others[i]),
                "the messages of a schedule are in its file; omit this");
    if (!yaml_member(node, "outstanding"))
        entry->workload.outstanding = SCHEDULE_OUTSTANDING;
    traffic.rank_max =
        entry->workload.placement == SIM_PACKED && nic_count > entry->workload.first_nic
            ? nic_count - entry->workload.first_nic
            : nic_count;
    return experiment_read_schedule(yaml, node, &traffic, &entry->workload);
}

static bool refuse_file(struct yaml *yaml, const struct yaml_node *node)
{
    static const char *const keys[] = { "file", "format", "start_unit" };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (yaml_member(node, keys[i]))
            return yaml_complain_key(
                yaml, yaml_member(node, keys[i]), "only workloads of kind schedule have a file");
    return true;
}

static void use_all_nics(const struct experiment *experiment, struct sim_workload *workload)
{
    uint32_t nic_count = experiment->fabric.topology.nic_count;

    if (!workload->rank_count)
        workload->rank_count =
            nic_count > workload->first_nic ? nic_count - workload->first_nic : nic_count;
}

static bool read_workload(struct yaml *yaml, const struct yaml_node *node,
    const struct experiment *experiment, struct sim_workload *workload)
{
    struct entry entry = {
        .workload = { .outstanding = 2, .qps = 1, .collective = SIM_ALL_REDUCE },
        .scale = 1,
        .format = -1,
    };

    if (!yaml_read(yaml, node, fields, &entry) || !yaml_require(yaml, node, "kind"))
        return false;
    if (entry.model && entry.workload.kind == SIM_PARALLEL_TRAINING)
        experiment_set_model(entry.model, entry.scale, &entry.workload);
    else if (entry.model)
        return yaml_complain(yaml, node, "only a parallel_training has a 'model'");
    else if (entry.workload.kind != SIM_SCHEDULE && !yaml_require(yaml, node, "message_bytes"))
        return false;
    if (entry.nics && !read_nics(yaml, entry.nics, experiment, &entry.workload))
        return false;
    if (entry.evs && !read_evs(yaml, entry.evs, experiment, &entry.workload))
        return false;
    if (entry.workload.kind == SIM_SCHEDULE ? !read_traffic(yaml, node, experiment, &entry)
                                            : !refuse_file(yaml, node))
        return false;
    use_all_nics(experiment, &entry.workload);
    if (!entry.workload.group &&
        (entry.workload.kind == SIM_PARALLEL_TRAINING ||
            sim_workload_pattern(&entry.workload) == SIM_HIERARCHICAL_ALL_REDUCE))
        entry.workload.group = NODE_NICS;
    if (!*entry.workload.name)
        snprintf(
            entry.workload.name, SIM_NAME_BYTES, "%s", sim_workload_words[entry.workload.kind]);
    *workload = entry.workload;
    return experiment_check_name(yaml, node, workload->name);
}

bool experiment_read_workloads(
    struct yaml *yaml, const struct yaml_node *list, struct experiment *experiment)
{
    struct sim_workload *workloads = yaml_take(yaml, list->child_count, sizeof(*workloads));

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        if (!read_workload(yaml, node, experiment, &workloads[node->index]))
            return false;
        for (uint32_t i = 0; i < node->index; i++)
            if (strcmp(workloads[i].name, workloads[node->index].name) == 0)
                return yaml_complain(yaml, node,
                    "another workload is also called '%s'; give this one another 'name'",
                    workloads[i].name);
    }
    if (!list->first)
        return yaml_complain(yaml, list, "there is no workload; add one");
    experiment->sim.workloads = workloads;
    experiment->sim.workload_count = list->child_count;
    return true;
}

bool experiment_find_workload(struct yaml *yaml, const struct yaml_node *name,
    const struct experiment *experiment, uint32_t *workload)
{
    const struct sim_config *sim = &experiment->sim;
    const char **names = yaml_take(yaml, sim->workload_count + 1, sizeof(*names));
    const char *meant;
    int index;

    for (uint32_t i = 0; i < sim->workload_count; i++)
        names[i] = sim->workloads[i].name;
    if (name->kind != YAML_SCALAR)
        return yaml_complain(yaml, name, "the name of a workload is expected here");
    index = word_find(names, name->text);
    meant = word_nearest(names, name->text);
    if (index < 0)
        return yaml_complain(yaml, name, "there is no workload '%s'%s%s%s", name->text,
            meant ? "; did you mean '" : "; name one of 'workloads'", meant ? meant : "",
            meant ? "'?" : "");
    *workload = (uint32_t)index;
    return true;
}

/* ---- parameters ------------------------------------------------------------------------------ */

bool experiment_parameter_is_of_fabric(const char *name)
{
    static const char *const of_fabric[] = { "link_bps", "slowest_bps", "base_rtt", "network_trims",
        "last_hop_ecn", NULL };

    return word_find(of_fabric, name) >= 0;
}

static bool complain_parameter(
    struct yaml *yaml, const struct yaml_node *node, enum parameters_error error)
{
    const struct parameter_description *description;
    const char **names = yaml_take(yaml, parameter_count + 1, sizeof(*names));
    const char *meant;

    if (error == PARAMETERS_UNKNOWN) {
        for (uint32_t i = 0; i < parameter_count; i++)
            names[i] = parameter_descriptions[i].name;
        meant = word_nearest(names, node->key);
        return yaml_complain_key(yaml, node, "there is no such parameter; %s%s%s",
            meant ? "did you mean '" : "'mrc sim --parameters' lists them", meant ? meant : "",
            meant ? "'?" : "");
    }
    description = &parameter_descriptions[parameters_find(node->key, (uint32_t)strlen(node->key))];
    if (description->choices) {
        char words[128];

        word_list(description->choices, words, sizeof(words));
        return yaml_complain(
            yaml, node, "'%s' is not a valid choice; choices: %s", node->text, words);
    }
    if (error == PARAMETERS_NOT_A_NUMBER)
        return yaml_complain(yaml, node, "'%s' is not a number of %s; write one, such as %llu",
            node->text, description->unit, (unsigned long long)description->default_value);
    return yaml_complain(yaml, node, "%s is out of range; give %llu to %llu %s", node->text,
        (unsigned long long)description->minimum, (unsigned long long)description->maximum,
        description->unit);
}

static bool read_parameter(
    struct yaml *yaml, const struct yaml_node *node, struct parameters *parameters)
{
    enum parameters_error error;

    if (node->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "a single value is expected here");
    if (experiment_parameter_is_of_fabric(node->key))
        return yaml_complain_key(yaml, node, "is derived from the fabric; set it there instead");
    error = parameters_set(parameters, node->key, node->text);
    return error == PARAMETERS_OK || complain_parameter(yaml, node, error);
}

/* Reads `timers` first, wherever it is in the file: it sets the defaults of other parameters. */
bool experiment_read_parameters(
    struct yaml *yaml, const struct yaml_node *mapping, struct parameters *parameters)
{
    for (int first = 1; first >= 0; first--)
        for (const struct yaml_node *node = mapping->first; node; node = node->next)
            if ((strcmp(node->key, "timers") == 0) == first &&
                !read_parameter(yaml, node, parameters))
                return false;
    return true;
}

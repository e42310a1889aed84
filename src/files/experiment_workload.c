/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the workloads of an experiment. */
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

bool experiment_read_nics(struct yaml *yaml, const struct yaml_node *list, const char *whose,
    uint32_t nic_count, struct experiment_nics *out)
{
    uint32_t *nics = yaml_take(yaml, nic_count, sizeof(*nics));
    uint32_t count = 0;

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        uint32_t span[2] = { 0, 0 };

        if (!read_span(yaml, node, span))
            return false;
        if (span[1] >= nic_count)
            return yaml_complain(yaml, node, "this %s has no NIC %u; its NICs are 0 to %u", whose,
                span[1], nic_count - 1);
        if (span[1] - span[0] >= nic_count - count)
            return yaml_complain(yaml, node, "there are more NICs here than the %s has", whose);
        for (uint32_t nic = span[0]; nic <= span[1]; nic++)
            nics[count++] = nic;
    }
    *out = (struct experiment_nics){ .all = nics, .count = count };
    return true;
}

static bool read_nics(struct yaml *yaml, const struct yaml_node *list, uint32_t nic_count,
    struct sim_workload *workload)
{
    struct experiment_nics nics = { 0 };

    if (!experiment_read_nics(yaml, list, workload->job ? "job" : "fabric", nic_count, &nics))
        return false;
    if (workload->rank_count && workload->rank_count != nics.count)
        return yaml_complain(yaml, list, "%u NICs for %u ranks; omit 'ranks', or set it to %u",
            nics.count, workload->rank_count, nics.count);
    workload->placement = SIM_LIST;
    workload->nics = nics.all;
    workload->rank_count = nics.count;
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
static bool read_traffic(
    struct yaml *yaml, const struct yaml_node *node, uint32_t nic_count, struct entry *entry)
{
    static const uint64_t unit_ps[] = { 1, 1000, 1000000 };
    static const char *const others[] = { "message_bytes", "iterations" };
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

static void use_all_nics(uint32_t nic_count, struct sim_workload *workload)
{
    if (!workload->rank_count)
        workload->rank_count =
            nic_count > workload->first_nic ? nic_count - workload->first_nic : nic_count;
}

/* The only workload of a job has its name, the others begin with it. */
static void give_name(
    const struct yaml_node *node, const struct sim_job *job, struct sim_workload *workload)
{
    const char *kind = sim_workload_words[workload->kind];

    if (*workload->name)
        return;
    if (!job)
        snprintf(workload->name, SIM_NAME_BYTES, "%s", kind);
    else if (node->parent->child_count == 1)
        snprintf(workload->name, SIM_NAME_BYTES, "%s", job->name);
    else
        snprintf(workload->name, SIM_NAME_BYTES, "%.*s-%s", SIM_NAME_BYTES / 2, job->name, kind);
}

static bool read_workload(struct yaml *yaml, const struct yaml_node *node,
    const struct experiment *experiment, struct sim_workload *workload)
{
    const struct sim_job *job = workload->job;
    uint32_t nic_count = job ? job->nic_count : experiment->fabric.topology.nic_count;
    struct entry entry = {
        .workload = { .job = job, .outstanding = 2, .qps = 1, .collective = SIM_ALL_REDUCE },
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
    if (entry.nics && !read_nics(yaml, entry.nics, nic_count, &entry.workload))
        return false;
    if (entry.evs && !read_evs(yaml, entry.evs, experiment, &entry.workload))
        return false;
    if (entry.workload.kind == SIM_SCHEDULE ? !read_traffic(yaml, node, nic_count, &entry)
                                            : !refuse_file(yaml, node))
        return false;
    use_all_nics(nic_count, &entry.workload);
    if (!entry.workload.group &&
        (entry.workload.kind == SIM_PARALLEL_TRAINING ||
            sim_workload_pattern(&entry.workload) == SIM_HIERARCHICAL_ALL_REDUCE))
        entry.workload.group = NODE_NICS;
    entry.workload.start_ps += job ? job->start_ps : 0;
    give_name(node, job, &entry.workload);
    *workload = entry.workload;
    return experiment_check_name(yaml, node, workload->name);
}

/* Reads a list of workloads, and adds them. */
static bool read_list(struct yaml *yaml, const struct yaml_node *list, const struct sim_job *job,
    struct experiment *experiment, struct sim_workload *workloads)
{
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        uint32_t index = experiment->sim.workload_count++;

        workloads[index].job = job;
        if (!read_workload(yaml, node, experiment, &workloads[index]))
            return false;
        for (uint32_t i = 0; i < index; i++)
            if (strcmp(workloads[i].name, workloads[index].name) == 0)
                return yaml_complain(yaml, node,
                    "another workload is also called '%s'; give this one another 'name'",
                    workloads[i].name);
    }
    return list->first || yaml_complain(yaml, list, "there is no workload; add one");
}

static uint32_t count_workloads(const struct yaml_node *workloads, const struct yaml_node *jobs)
{
    uint32_t count = workloads ? workloads->child_count : 0;

    for (const struct yaml_node *job = jobs ? jobs->first : NULL; job; job = job->next)
        count += yaml_member(job, "workloads") ? yaml_member(job, "workloads")->child_count : 0;
    return count;
}

bool experiment_read_workloads(struct yaml *yaml, const struct yaml_node *list,
    const struct yaml_node *jobs, struct experiment *experiment)
{
    struct sim_workload *workloads =
        yaml_take(yaml, count_workloads(list, jobs), sizeof(*workloads));

    experiment->sim.workloads = workloads;
    experiment->sim.workload_count = 0;
    if (jobs && !experiment_read_jobs(yaml, jobs, experiment))
        return false;
    if (list && !read_list(yaml, list, NULL, experiment, workloads))
        return false;
    for (const struct yaml_node *job = jobs ? jobs->first : NULL; job; job = job->next)
        if (!read_list(yaml, yaml_member(job, "workloads"), &experiment->sim.jobs[job->index],
                experiment, workloads))
            return false;
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

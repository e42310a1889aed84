/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the jobs of an experiment: NICs that workloads share with no other job. */
#include <stddef.h>
#include <string.h>

#include "files/experiment_part.h"
#include "files/yaml_fields.h"

#define HOUR_PS (UINT64_C(3600) * SIM_PS_PER_S)

static const char *const placements[] = {
    [SIM_PACKED] = "contiguous",
    [SIM_RANDOM] = "random",
    [SIM_LIST] = "list",
    [SIM_SPREAD] = "spread",
    NULL,
};

struct entry {
    struct sim_job job;
    const struct yaml_node *nics;
    const struct yaml_node *workloads;
};

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = offsetof(struct entry, job.name), .most = SIM_NAME_BYTES },
    { .key = "nics", .type = YAML_ANY, .offset = offsetof(struct entry, nics) },
    { .key = "placement", .type = YAML_WORD, .offset = offsetof(struct entry, job.placement), .words = placements },
    { .key = "start", .type = YAML_TIME, .offset = offsetof(struct entry, job.start_ps), .most = HOUR_PS },
    { .key = "workloads", .type = YAML_LIST, .offset = offsetof(struct entry, workloads) },
    { .key = NULL },
};
/* clang-format on */

/* `nics` is a number, or a list. `listed`: the NICs of all lists so far. */
static bool read_nics(struct yaml *yaml, const struct yaml_node *node, struct entry *entry,
    uint32_t nic_count, bool *listed)
{
    static const struct yaml_field count = { .type = YAML_COUNT, .least = 2, .most = 1 << 20 };
    struct experiment_nics nics;

    if (entry->nics->kind != YAML_SEQUENCE) {
        if (entry->job.placement == SIM_LIST)
            return yaml_complain(yaml, entry->nics, "a list of NICs is expected here: [8, 0-6]");
        return yaml_read_value(yaml, entry->nics, &count, &entry->job.nic_count);
    }
    if (yaml_member(node, "placement") && entry->job.placement != SIM_LIST)
        return yaml_complain(yaml, yaml_member(node, "placement"),
            "the NICs of this job are listed; omit this, or give their number only");
    if (!experiment_read_nics(yaml, entry->nics, "fabric", nic_count, &nics))
        return false;
    for (uint32_t i = 0; i < nics.count; i++) {
        if (listed[nics.all[i]])
            return yaml_complain(yaml, entry->nics, "NIC %u is listed twice", nics.all[i]);
        listed[nics.all[i]] = true;
    }
    entry->job.placement = SIM_LIST;
    entry->job.nics = nics.all;
    entry->job.nic_count = nics.count;
    return true;
}

static bool read_job(struct yaml *yaml, const struct yaml_node *node,
    const struct experiment *experiment, struct sim_job *jobs, bool *listed)
{
    struct entry entry = { .job = { .placement = SIM_PACKED } };
    struct sim_job *job = &jobs[node->index];

    if (!yaml_read(yaml, node, fields, &entry) || !yaml_require(yaml, node, "name") ||
        !yaml_require(yaml, node, "nics") || !yaml_require(yaml, node, "workloads") ||
        !experiment_check_name(yaml, yaml_member(node, "name"), entry.job.name) ||
        !read_nics(yaml, node, &entry, experiment->fabric.topology.nic_count, listed))
        return false;
    *job = entry.job;
    for (uint32_t i = 0; i < node->index; i++)
        if (strcmp(jobs[i].name, job->name) == 0)
            return yaml_complain(
                yaml, yaml_member(node, "name"), "another job is also called '%s'", job->name);
    return true;
}

bool experiment_read_jobs(
    struct yaml *yaml, const struct yaml_node *list, struct experiment *experiment)
{
    struct sim_job *jobs = yaml_take(yaml, list->child_count, sizeof(*jobs));
    bool *listed = yaml_take(yaml, experiment->fabric.topology.nic_count, sizeof(*listed));

    if (!list->first)
        return yaml_complain(yaml, list, "there is no job; add one");
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_job(yaml, node, experiment, jobs, listed))
            return false;
    experiment->sim.jobs = jobs;
    experiment->sim.job_count = list->child_count;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the line of an experiment for a problem that only the simulator can see. */
#include <string.h>

#include "files/experiment_part.h"

static const struct yaml_node *entry_at(const struct yaml_node *list, uint32_t index)
{
    const struct yaml_node *entry = list->first;

    while (entry && entry->index != index)
        entry = entry->next;
    return entry;
}

/* Returns the list with a workload, of the experiment or of a job, and its number there. */
static const struct yaml_node *list_of_workload(const struct yaml_node *top, uint32_t *index)
{
    const struct yaml_node *list = yaml_member(top, "workloads");
    const struct yaml_node *jobs = yaml_member(top, "jobs");
    const struct yaml_node *job = jobs ? jobs->first : NULL;

    while (job && (!list || *index >= list->child_count)) {
        *index -= list ? list->child_count : 0;
        list = yaml_member(job, "workloads");
        job = job->next;
    }
    return list;
}

/* Returns the key of the file for a member that the simulator names differently. */
static const char *key_of(const char *member)
{
    if (strcmp(member, "message") == 0)
        return "message_bytes";
    return strcmp(member, "duration") == 0 ? "for" : member;
}

bool experiment_check(
    struct yaml *yaml, const struct yaml_node *top, const struct experiment *experiment)
{
    struct problem problem = { .section = "", .member = "" };
    const struct yaml_node *node = top;
    const struct yaml_node *deeper;

    if (sim_config_check(&experiment->sim, &problem))
        return true;
    deeper = problem.section ? yaml_member(top, problem.section) : NULL;
    if (problem.section && strcmp(problem.section, "workloads") == 0)
        deeper = list_of_workload(top, &problem.index);
    if (deeper) {
        node = deeper;
        if (node->kind == YAML_SEQUENCE && (deeper = entry_at(node, problem.index)))
            node = deeper;
        if (problem.member && (deeper = yaml_member(node, key_of(problem.member))))
            return yaml_complain(yaml, deeper, "%s", problem.reason);
    }
    if (problem.member && *problem.member)
        return yaml_complain(yaml, node, "%s: %s", problem.member, problem.reason);
    return yaml_complain(yaml, node, "%s", problem.reason);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the phases and criteria of an experiment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/criterion.h"
#include "files/experiment_part.h"
#include "files/fabric_file.h"
#include "files/word.h"
#include "files/yaml_fields.h"

#define DAY_PS (UINT64_C(86400) * SIM_PS_PER_S)

/* clang-format off */
static const struct yaml_field phase_fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = offsetof(struct measure_phase, name), .most = SIM_NAME_BYTES },
    { .key = "from", .type = YAML_TIME, .offset = offsetof(struct measure_phase, from_ps), .most = DAY_PS },
    { .key = "until", .type = YAML_TIME, .offset = offsetof(struct measure_phase, until_ps), .least = 1, .most = DAY_PS },
    { .key = NULL },
};
/* clang-format on */

static bool read_phase(struct yaml *yaml, const struct yaml_node *node, struct measure_phase *phase)
{
    phase->until_ps = SIM_NEVER_PS;
    if (!yaml_read(yaml, node, phase_fields, phase) || !yaml_require(yaml, node, "name") ||
        !experiment_check_name(yaml, node, phase->name))
        return false;
    if (phase->until_ps <= phase->from_ps)
        return yaml_complain(yaml, yaml_member(node, "until"), "is not after 'from'");
    return true;
}

bool experiment_read_phases(
    struct yaml *yaml, const struct yaml_node *list, struct experiment *experiment)
{
    struct measure_phase *phases = yaml_take(yaml, list->child_count, sizeof(*phases));

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        if (!read_phase(yaml, node, &phases[node->index]))
            return false;
        for (uint32_t i = 0; i < node->index; i++)
            if (strcmp(phases[i].name, phases[node->index].name) == 0)
                return yaml_complain(
                    yaml, node, "another phase is also called '%s'; rename one", phases[i].name);
    }
    experiment->measure.phases = phases;
    experiment->measure.phase_count = list->child_count;
    return true;
}

/* ---- links ----------------------------------------------------------------------------------- */

bool experiment_read_watches(
    struct yaml *yaml, const struct yaml_node *mapping, struct experiment *experiment)
{
    struct measure_watch *watches = yaml_take(yaml, mapping->child_count, sizeof(*watches));

    for (const struct yaml_node *node = mapping->first; node; node = node->next) {
        struct measure_watch *watch = &watches[experiment->measure.watch_count++];

        snprintf(watch->name, sizeof(watch->name), "%s", node->key);
        if (!experiment_check_name(yaml, node, node->key) ||
            !fabric_file_find(yaml, node, &experiment->fabric.topology, &watch->link))
            return false;
        if (!topology_is_link(watch->link.kind))
            return yaml_complain(yaml, node,
                "'%s' is not a link; name one, such as p0.t0.1-t1.2 or h3.p0", node->text);
    }
    experiment->measure.watches = watches;
    return true;
}

/* ---- criteria -------------------------------------------------------------------------------- */

static const char *const summary_names[] = { "goodput_bps", "goodput_fraction", "capacity_fraction",
    "capacity", "faults", "completion_us", "jain", "victim_fraction", "retransmitted", "trimmed",
    "marked", "lost", "timeouts", "plane_imbalance", "ev_transitions", "packets_sent",
    "packets_delivered", "queue_peak_bytes", "queue_occupancy", "reordering", "qp_errors",
    "counters", "simulated_us", "workloads", "jobs", "phases", NULL };

/* Of a phase, apart from its workloads. */
static const char *const phase_names[] = { "from_us", "until_us", "lost", "packets_sent",
    "retransmitted", "trimmed", "marked", "timeouts", "counters", "queue_peak_bytes", "active_evs",
    "bad_evs", "ev_reaction_us", "links", "capacity_fraction", "limits", NULL };

/* Copies the part of a path up to the next dot to `out`. Returns what follows the dot. */
static const char *take_segment(const char *path, char out[static CRITERION_NAME_BYTES])
{
    size_t length = strcspn(path, ".");

    memcpy(out, path, length);
    out[length] = '\0';
    return path + length + (path[length] == '.');
}

static bool is_workload(const struct experiment *experiment, const char *name)
{
    for (uint32_t i = 0; i < experiment->sim.workload_count; i++)
        if (strcmp(experiment->sim.workloads[i].name, name) == 0)
            return true;
    return false;
}

static bool is_job(const struct experiment *experiment, const char *name)
{
    for (uint32_t i = 0; i < experiment->sim.job_count; i++)
        if (strcmp(experiment->sim.jobs[i].name, name) == 0)
            return true;
    return false;
}

static bool is_phase(const struct experiment *experiment, const char *name)
{
    for (uint32_t i = 0; i < experiment->measure.phase_count; i++)
        if (strcmp(experiment->measure.phases[i].name, name) == 0)
            return true;
    return false;
}

/* With generators, any number of faults is possible. */
static bool is_fault(const struct experiment *experiment, const char *number)
{
    char *end;
    unsigned long index = strtoul(number, &end, 10);

    return *number >= '0' && *number <= '9' && !*end &&
           (index < experiment->sim.fault_count || experiment->sim.generator_count > 0);
}

/* Looks up names of criteria before the run. */
struct judging {
    const struct experiment *experiment;
    const struct yaml_node *top;
};

static bool is_label(const struct yaml_node *top, const char *text)
{
    char label[EXPERIMENT_LABEL_BYTES];

    for (uint32_t i = 0; i < experiment_sweep_count(top); i++) {
        experiment_sweep_label(top, i, label);
        if (strcmp(label, text) == 0)
            return true;
    }
    return false;
}

/* In a phase, workloads are next to the figures of the phase, with or without "workloads". */
static bool is_in_phase(const struct experiment *experiment, const char *path)
{
    char segment[CRITERION_NAME_BYTES];
    const char *rest = take_segment(path, segment);

    if (strcmp(segment, "workloads") == 0)
        take_segment(rest, segment);
    else if (word_find(phase_names, segment) >= 0)
        return true;
    return is_workload(experiment, segment);
}

/* Returns true if a name of the summary can have a value. `rest`: what follows its first part. */
static bool is_in_summary(const struct experiment *experiment, const char *name, const char *rest)
{
    char segment[CRITERION_NAME_BYTES];

    if (word_find(summary_names, name) < 0)
        return false;
    rest = take_segment(rest, segment);
    if (strcmp(name, "workloads") == 0)
        return is_workload(experiment, segment);
    if (strcmp(name, "jobs") == 0)
        return is_job(experiment, segment);
    if (strcmp(name, "phases") == 0)
        return is_phase(experiment, segment) && is_in_phase(experiment, rest);
    if (strcmp(name, "faults") == 0)
        return is_fault(experiment, segment);
    return true;
}

/* Returns true if a name can have a value, so that a wrong name is reported before the run. */
static bool can_be_known(void *context, const char *name, double *value)
{
    const struct judging *judging = context;
    char segment[CRITERION_NAME_BYTES];
    const char *rest = take_segment(name, segment);

    *value = 1;
    if (strcmp(segment, "runs") == 0) {
        rest = take_segment(rest, segment);
        if (!is_label(judging->top, segment))
            return false;
        rest = take_segment(rest, segment);
    }
    return is_in_summary(judging->experiment, segment, rest);
}

struct entry {
    const struct yaml_node *text;
    const struct yaml_node *paper;
    const struct yaml_node *scale;
    const struct yaml_node *run;
};

static const struct yaml_field criterion_fields[] = {
    { .key = "expect", .type = YAML_ANY, .offset = offsetof(struct entry, text) },
    { .key = "paper", .type = YAML_ANY, .offset = offsetof(struct entry, paper) },
    { .key = "scale", .type = YAML_ANY, .offset = offsetof(struct entry, scale) },
    { .key = "run", .type = YAML_ANY, .offset = offsetof(struct entry, run) },
    { .key = NULL },
};

static bool take_text(struct yaml *yaml, const struct yaml_node *node, const char **text)
{
    if (node && node->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "a line of text is expected here");
    *text = node ? node->text : NULL;
    return true;
}

static bool read_criterion(struct yaml *yaml, const struct yaml_node *node,
    struct experiment *experiment, struct experiment_criterion *criterion)
{
    struct judging judging = { experiment, node->parent->parent };
    struct criterion_outcome outcome;
    struct entry entry = { .text = node };

    if (node->kind == YAML_MAPPING &&
        (!yaml_read(yaml, node, criterion_fields, &entry) || !yaml_require(yaml, node, "expect")))
        return false;
    if (!take_text(yaml, entry.text, &criterion->text) ||
        !take_text(yaml, entry.paper, &criterion->paper) ||
        !take_text(yaml, entry.scale, &criterion->scale) ||
        !take_text(yaml, entry.run, &criterion->run))
        return false;
    if (entry.run && !is_label(judging.top, criterion->run))
        return yaml_complain(
            yaml, entry.run, "no set of the sweep has the label '%s'", criterion->run);
    criterion_evaluate(criterion->text, can_be_known, &judging, &outcome);
    if (outcome.problem[0])
        return yaml_complain(yaml, entry.text, "'%s': %s; write e.g. goodput_fraction >= 0.95",
            criterion->text, outcome.problem);
    return true;
}

bool experiment_read_criteria(
    struct yaml *yaml, const struct yaml_node *list, struct experiment *experiment)
{
    struct experiment_criterion *criteria = yaml_take(yaml, list->child_count, sizeof(*criteria));

    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_criterion(yaml, node, experiment, &criteria[node->index]))
            return false;
    experiment->criteria = criteria;
    experiment->criterion_count = list->child_count;
    return true;
}

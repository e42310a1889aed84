/* SPDX-License-Identifier: Apache-2.0 */
/* The document around the runs, and how it gets into a file. */
#include "cmd/sim_result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/whole_file.h"

static void add_integer(json_t *json, const char *key, uint64_t value)
{
    json_object_set_new(json, key, json_integer((json_int_t)value));
}

static void add_counts(json_t *json, const struct topology *topology)
{
    if (topology->graph) {
        add_integer(json, "planes", topology->config.plane_count);
        add_integer(json, "switches", topology->switch_count);
        add_integer(json, "nics", topology->nic_count);
        return;
    }
    for (const struct topology_count *count = topology_counts; count->key; count++)
        if (count->result)
            add_integer(json, count->result, topology_count_get(&topology->config, count));
}

static json_t *fabric_json(const struct topology *topology)
{
    const struct topology_config *config = &topology->config;
    json_t *json = json_pack("{s:s}", "name", config->name);

    add_counts(json, topology);
    add_integer(json, "host_link_bps", config->host_link.rate_bps);
    add_integer(json, "uplink_bps", config->uplink.rate_bps);
    json_object_set_new(json, "base_rtt_us", json_millionths(topology->base_rtt_ps));
    return json;
}

/* A number, or the word of a choice. */
static json_t *parameter_json(const struct parameters *parameters, uint32_t index)
{
    uint64_t value = parameters_get(parameters, index);

    if (!parameter_descriptions[index].choices)
        return json_integer((json_int_t)value);
    return json_string(parameters_choice(index, value));
}

/* All that can be set; the others follow from the fabric. */
static json_t *parameters_json(const struct parameters *parameters)
{
    json_t *json = json_object();

    for (uint32_t i = 0; i < parameter_count; i++)
        if (!experiment_parameter_is_of_fabric(parameter_descriptions[i].name))
            json_object_set_new(
                json, parameter_descriptions[i].name, parameter_json(parameters, i));
    return json;
}

json_t *sim_result(const struct experiment *experiment, const struct yaml_node *top, json_t *runs)
{
    return json_pack("{s:i,s:s,s:{s:o,s:o,s:o,s:o,s:o},s:o,s:o}", "openmrc_result", 1, "version",
        OPENMRC_VERSION, "experiment", "name", json_text(experiment->name), "title",
        json_text(experiment->title), "file", json_text(top->place.source), "inputs",
        json_of_yaml(top), "parameters", parameters_json(&experiment->sim.parameters), "fabric",
        fabric_json(&experiment->fabric.topology), "runs", runs);
}

/* ---- criteria -------------------------------------------------------------------------------- */

struct scope {
    const json_t *runs;
    const json_t *run;
};

/* Element of an array by its number, from 0; NULL: there is none. */
static const json_t *element(const json_t *array, const char *number)
{
    char *end;
    unsigned long index = strtoul(number, &end, 10);

    return *number >= '0' && *number <= '9' && !*end ? json_array_get(array, index) : NULL;
}

/* Down one path of keys. In a phase, workloads stand beside the phase's own figures. */
static const json_t *walk(const json_t *json, const char *path)
{
    while (json && *path) {
        size_t length = strcspn(path, ".");
        char key[CRITERION_NAME_BYTES];
        const json_t *next;

        memcpy(key, path, length);
        key[length] = '\0';
        next = json_is_array(json) ? element(json, key) : json_object_get(json, key);
        if (!next)
            next = json_object_get(json_object_get(json, "workloads"), key);
        json = next;
        path += length + (path[length] == '.');
    }
    return json;
}

/* Repeated runs bear their seed behind the label of the sweep. */
static bool is_called(const json_t *run, const char *label, size_t length)
{
    const char *its = json_string_value(json_object_get(run, "label"));

    if (strncmp(its, label, length) != 0)
        return false;
    return its[length] == '\0' || strncmp(its + length, " seed ", 6) == 0;
}

static const json_t *run_called(const json_t *runs, const char *label, size_t length)
{
    size_t index;
    const json_t *run;

    json_array_foreach(runs, index, run)
    {
        if (is_called(run, label, length))
            return run;
    }
    return NULL;
}

static bool look_up(void *context, const char *name, double *value)
{
    const struct scope *scope = context;
    const json_t *run = scope->run;
    const json_t *found;

    if (strncmp(name, "runs.", 5) == 0) {
        size_t length = strcspn(name + 5, ".");

        run = run_called(scope->runs, name + 5, length);
        name += 5 + length + (name[5 + length] == '.');
    }
    found = strcmp(name, "simulated_us") == 0 ? json_object_get(run, name)
                                              : walk(json_object_get(run, "summary"), name);
    if (!json_is_number(found))
        return false;
    *value = json_number_value(found);
    return true;
}

static json_t *judge(const struct experiment_criterion *criterion, struct scope *scope)
{
    struct criterion_outcome outcome;
    json_t *json = json_pack("{s:s,s:s?,s:s?}", "text", criterion->text, "paper", criterion->paper,
        "scale", criterion->scale);

    criterion_evaluate(criterion->text, look_up, scope, &outcome);
    json_object_set_new(json, "value",
        outcome.result == CRITERION_UNKNOWN ? json_null() : json_real(outcome.value));
    json_object_set_new(json, "pass", json_boolean(outcome.result == CRITERION_HOLDS));
    if (outcome.problem[0])
        json_object_set_new(json, "problem", json_string(outcome.problem));
    return json;
}

/* What compares runs is judged once, in the last one. */
static bool is_about(
    const struct experiment_criterion *criterion, const json_t *runs, const json_t *run)
{
    if (criterion->run)
        return is_called(run, criterion->run, strlen(criterion->run));
    if (strstr(criterion->text, "runs."))
        return run == json_array_get(runs, json_array_size(runs) - 1);
    return true;
}

bool sim_result_judge(const struct experiment *experiment, json_t *runs)
{
    bool all_hold = true;
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        json_t *verdicts = json_array();

        for (uint32_t i = 0; i < experiment->criterion_count; i++) {
            const struct experiment_criterion *criterion = &experiment->criteria[i];
            struct scope scope = { .runs = runs, .run = run };
            json_t *verdict;

            if (!is_about(criterion, runs, run))
                continue;
            verdict = judge(criterion, &scope);
            all_hold = all_hold && json_is_true(json_object_get(verdict, "pass"));
            json_array_append_new(verdicts, verdict);
        }
        json_object_set_new(run, "criteria", verdicts);
    }
    return all_hold;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int write_all(FILE *file, void *result)
{
    if (json_dumpf(result, file, JSON_FORM) != 0 || fputc('\n', file) == EOF)
        return -(errno ? errno : EIO);
    return 0;
}

enum cmd_status sim_result_write(json_t *result, const char *path)
{
    int err = whole_file_write(path, write_all, result);

    if (err)
        return cmd_complain(CMD_FAILED, "sim", "%s: %s", path, strerror(-err));
    return CMD_DONE;
}

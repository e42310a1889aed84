/* SPDX-License-Identifier: Apache-2.0 */
/* Composes the document around the runs, and writes it to a file. */
#include "result/result_document.h"

#include <errno.h>
#include <stdio.h>

#include "files/files.h"
#include "result/result_hardware.h"

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

/* Returns a number, or the name of a choice. */
static json_t *parameter_json(const struct parameters *parameters, uint32_t index)
{
    uint64_t value = parameters_get(parameters, index);

    if (!parameter_descriptions[index].choices)
        return json_integer((json_int_t)value);
    return json_string(parameters_choice(index, value));
}

/* Returns all parameters that can be set; the others are derived from the fabric. */
static json_t *parameters_json(const struct parameters *parameters)
{
    json_t *json = json_object();

    for (uint32_t i = 0; i < parameter_count; i++)
        if (!experiment_parameter_is_of_fabric(parameter_descriptions[i].name))
            json_object_set_new(
                json, parameter_descriptions[i].name, parameter_json(parameters, i));
    return json;
}

json_t *result_document(
    const struct experiment *experiment, const struct yaml_node *top, json_t *runs)
{
    return json_pack("{s:i,s:s,s:{s:o,s:o,s:o,s:o,s:o},s:o,s:o,s:o}", "openmrc_result", 1,
        "version", OPENMRC_VERSION, "experiment", "name", json_text(experiment->name), "title",
        json_text(experiment->title), "file", json_text(top->place.source), "inputs",
        json_of_yaml(top), "parameters", parameters_json(&experiment->sim.parameters), "fabric",
        fabric_json(&experiment->fabric.topology), "hardware",
        result_hardware(&experiment->sim.hardware), "runs", runs);
}

static int write_all(FILE *file, void *result)
{
    if (json_dumpf(result, file, JSON_FORM) != 0 || fputc('\n', file) == EOF)
        return -(errno ? errno : EIO);
    return 0;
}

int result_document_write(json_t *result, const char *path)
{
    return whole_file_write(path, write_all, result);
}

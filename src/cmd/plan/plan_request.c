/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of the verbs that size a fabric. */
#include "cmd/plan/plan_request.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/fabric_load.h"

static const char name[] = "plan";

static void init_options(struct plan_options *options)
{
    *options = (struct plan_options){ .more_gpus = 10000, .goal = -1 };
    size_request_init(&options->request);
    size_site_init(&options->site);
}

/* ---- values ---------------------------------------------------------------------------------- */

static enum cmd_status read_rate(const char *option, const char *text, uint64_t *bps)
{
    if (quantity_parse(QUANTITY_RATE, text, bps) == QUANTITY_OK)
        return CMD_DONE;
    return cmd_complain(
        CMD_MISUSED, name, "--%s: '%s' is not a rate; write 800G or 51.2T", option, text);
}

static enum cmd_status read_count(
    const char *option, const char *text, uint32_t most, uint32_t *out)
{
    uint64_t number = 0;
    enum cmd_status status = options_number(
        name, option, text, (struct option_range){ .least = 1, .most = most }, &number);

    *out = (uint32_t)number;
    return status;
}

enum cmd_status plan_request_protocols(void *options, char *value)
{
    char reason[STUDY_CONTENDER_REASON_BYTES];

    if (study_contender_choose(&((struct plan_options *)options)->protocols, value, reason))
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--protocols: %s", reason);
}

enum cmd_status plan_request_gpus(void *options, char *value)
{
    struct plan_options *of = options;

    return options_number(name, "--gpus", value,
        (struct option_range){ .least = 1, .most = SIZE_GPUS_MAX }, &of->request.gpus);
}

enum cmd_status plan_request_nic(void *options, char *value)
{
    return read_rate("nic", value, &((struct plan_options *)options)->request.nic_bps);
}

enum cmd_status plan_request_lane(void *options, char *value)
{
    return read_rate("lane", value, &((struct plan_options *)options)->request.lane_bps);
}

enum cmd_status plan_request_uplink(void *options, char *value)
{
    return read_rate("uplink", value, &((struct plan_options *)options)->request.uplink_bps);
}

enum cmd_status plan_request_switch(void *options, char *value)
{
    struct plan_options *of = options;

    of->has_switch = true;
    return read_rate("switch", value, &of->request.switch_bps);
}

enum cmd_status plan_request_planes(void *options, char *value)
{
    struct plan_options *of = options;

    of->has_planes = true;
    return read_count("--planes", value, GRAPH_PLANES_MAX, &of->request.planes);
}

enum cmd_status plan_request_tiers(void *options, char *value)
{
    struct plan_options *of = options;

    of->has_tiers = true;
    return read_count("--tiers", value, SIZE_TIERS_MAX, &of->request.tiers);
}

enum cmd_status plan_request_shape(void *options, char *value)
{
    int found = word_find(size_kind_words, value);
    char known[200];

    if (found < 0) {
        word_list(size_kind_words, known, sizeof(known));
        return cmd_complain(CMD_MISUSED, name, "--shape: there is no '%s'; write %s", value, known);
    }
    ((struct plan_options *)options)->request.kind = (enum size_kind)found;
    return CMD_DONE;
}

enum cmd_status plan_request_oversubscription(void *options, char *value)
{
    char *end;
    double ratio = strtod(value, &end);

    if (end == value || *end || !(ratio >= 1 && ratio <= 64))
        return cmd_complain(CMD_MISUSED, name,
            "--oversubscription: '%s' is not a ratio; give 1 to 64, such as 1.5", value);
    ((struct plan_options *)options)->request.oversubscription =
        (uint32_t)lround(ratio * SIZE_EVEN);
    return CMD_DONE;
}

/* ---- what they describe ---------------------------------------------------------------------- */

bool plan_request_read(const struct option_table *table, struct plan_options *options,
    int argument_count, char **arguments, enum cmd_status *status)
{
    char reason[STUDY_CONTENDER_REASON_BYTES];

    init_options(options);
    if (!options_read(table, options, argument_count, arguments, status))
        return false;
    if (options->protocols.count == 0)
        study_contender_choose(
            &options->protocols, options->request.kind == SIZE_INFINIBAND ? "ib" : "mrc", reason);
    if (optind == argument_count)
        return true;
    *status = cmd_complain(CMD_MISUSED, table->command,
        "unexpected argument '%s'; a fabric file is given with -f", arguments[optind]);
    return false;
}

enum cmd_status plan_request_solve(
    const char *command, const struct plan_options *options, struct size_fabric *fabric)
{
    char reason[SIZE_REASON_BYTES];
    enum cmd_status status;
    struct plan plan;
    struct yaml yaml;

    if (!options->fabric) {
        if (size_solve(&options->request, fabric, reason))
            return CMD_DONE;
        return cmd_complain(CMD_MISUSED, command, "%s", reason);
    }
    status = fabric_load(command, options->fabric, &yaml, &plan);
    if (status != CMD_DONE)
        return status;
    size_count(&plan.topology, fabric);
    yaml_fini(&yaml);
    return CMD_DONE;
}

enum cmd_status plan_request_job(
    const char *command, const struct plan_options *options, struct job *job)
{
    const char *shown = options->job ? options->job : "built-in";
    char reason[JOB_FILE_REASON_BYTES];
    json_error_t error;
    json_t *json = options->job ? json_load_file(options->job, 0, &error)
                                : json_loads(job_file_default, 0, &error);
    bool is_read;

    if (!json)
        return cmd_complain(CMD_MISUSED, command, "%s:%d: %s", shown, error.line, error.text);
    is_read = job_file_read(json, job, reason);
    json_decref(json);
    return is_read ? CMD_DONE : cmd_complain(CMD_MISUSED, command, "%s: %s", shown, reason);
}

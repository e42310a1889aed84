/* SPDX-License-Identifier: Apache-2.0 */
/* mrc stat: shows the counters of a running NIC. */
#include <stdio.h>
#include <string.h>

#include "cmd/nic_status.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const struct option_row rows[] = {
    { OPTION_FLAG, 's', "nonzero", NULL, "only counters that are not 0",
        OPTION_AT(struct nic_options, nonzero) },
    { OPTION_FLAG, 'd', "details", NULL, "print the meaning of each counter",
        OPTION_AT(struct nic_options, details) },
    { OPTION_FLAG, 'P', "prometheus", NULL,
        "print the metrics of NICs and fabrics in the format of Prometheus",
        OPTION_AT(struct nic_options, as_prometheus) },
    NIC_JSON_ROW,
};

static const struct option_table table = {
    .command = "stat",
    .intro = "usage: mrc stat show [dev DEVICE] [-s] [-d] [-j]\n"
             "       mrc stat show [dev DEVICE] --prometheus\n"
             "       mrc stat list [-j]\n"
             "\n"
             "Shows the counters since the device was opened, and dropped packets by reason. list\n"
             "describes every counter and gauge of NICs and fabrics.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const verbs[] = { "show", "list", NULL };
static const struct nic_command command = {
    .name = "stat",
    .options = &table,
    .verbs = verbs,
    .nothing = "no process has a device open; 'mrc dev show' lists devices",
};

static void keep_nonzero(json_t *counters)
{
    const char *key;
    json_t *value;
    void *next;

    json_object_foreach_safe(counters, next, key, value) if (json_integer_value(value) == 0)
        json_object_del(counters, key);
}

/* The process may have another version of the registry. */
static const char *help_of(enum metric_group group, const char *name)
{
    const struct metric *metric = metric_find(group, name);

    return metric ? metric->help : "unknown to this mrc";
}

static void print_counters(
    const char *device, enum metric_group group, const json_t *counters, bool with_help)
{
    const char *word = metric_group_word(group);
    const char *key;
    const json_t *value;

    json_object_foreach((json_t *)counters, key, value)
    {
        printf("%s %-8s %-28s %lld", device, word, key, json_integer_value(value));
        printf("%s%s\n", with_help ? "  " : "", with_help ? help_of(group, key) : "");
    }
}

static void show_counters(const struct nic_options *options, const char *device, json_t *answer)
{
    static const char *const parts[] = { "counters", "drops", "engine" };
    static const enum metric_group groups[] = { METRIC_OF_TRANSPORT, METRIC_OF_DROP,
        METRIC_OF_ENGINE };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        json_t *counters = json_object_get(answer, parts[i]);

        if (options->nonzero)
            keep_nonzero(counters);
        if (!options->as_json)
            print_counters(device, groups[i], counters, options->details);
    }
}

static void list_metrics(bool as_json)
{
    if (as_json) {
        nic_status_print_json(metric_json());
        return;
    }
    for (uint32_t i = 0; i < metric_count; i++)
        printf("%-8s %-28s %-8s %-6s %s\n", metric_group_word(metric_list[i].group),
            metric_list[i].name, metric_kind_word(metric_list[i].kind),
            metric_unit(&metric_list[i]), metric_list[i].help);
}

/* ---- Prometheus ------------------------------------------------------------------------------ */

struct gathering {
    struct metric_page page;
    enum cmd_status status;
};

static void note_result(
    struct gathering *gathering, enum request_result result, const char *owner, const char *reason)
{
    if (result != REQUEST_ANSWERED && result != REQUEST_NOT_RUNNING)
        gathering->status = cmd_complain(CMD_FAILED, command.name, "%s: %s", owner, reason);
}

static void gather_fabric(void *context, const struct fabric_list_entry *fabric)
{
    struct gathering *gathering = context;
    char reason[REQUEST_REASON_BYTES];

    if (fabric->is_running && fabric->kind != FABRIC_KERNEL)
        note_result(gathering, metric_collect_fabric(&gathering->page, fabric->name, reason),
            fabric->name, reason);
}

static enum cmd_status print_prometheus(
    const struct nic_options *options, const struct device_list *devices)
{
    struct gathering gathering = { .status = CMD_DONE };
    char reason[REQUEST_REASON_BYTES];
    char root[RUN_PLACE_BYTES];

    for (uint32_t i = 0; i < devices->count; i++)
        note_result(&gathering, metric_collect_device(&gathering.page, devices->names[i], reason),
            devices->names[i], reason);
    if (!options->device && run_place_make(root, sizeof(root)) == 0)
        fabric_list_visit(root, gather_fabric, &gathering);
    metric_page_write(&gathering.page, stdout);
    if (gathering.page.count == 0 && gathering.status == CMD_DONE)
        cmd_complain(CMD_DONE, command.name,
            "no process has a device open, and no fabric runs; 'mrc fabric run' starts one");
    metric_page_fini(&gathering.page);
    return gathering.status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum cmd_status run_stat(int argument_count, char **arguments)
{
    struct nic_options options;
    struct device_list devices;
    enum cmd_status status;
    json_t *all;

    if (!nic_status_parse(&command, argument_count, arguments, &options, &status))
        return status;
    if (strcmp(options.verb, "list") == 0) {
        list_metrics(options.as_json);
        return CMD_DONE;
    }
    status = nic_status_devices(&command, &options, &devices);
    if (status != CMD_DONE)
        return status;
    if (options.as_prometheus)
        return print_prometheus(&options, &devices);
    all = json_array();
    for (uint32_t i = 0; i < devices.count && status == CMD_DONE; i++) {
        json_t *answer;

        status = nic_status_ask_owner(&command, &options, devices.names[i], "stat", &answer);
        if (!answer)
            continue;
        show_counters(&options, devices.names[i], answer);
        json_array_append_new(all, answer);
    }
    return nic_status_finish(&command, &options, &devices, all, status);
}

const struct cmd stat_command = {
    .name = "stat",
    .summary = "show the counters of a running NIC",
    .run = run_stat,
    .options = &table,
    .complete = nic_status_complete,
};

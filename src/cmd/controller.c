/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a running controller. */
#include "cmd/controller.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ctl/ctl.h"

unsigned controller_ask(const char *command, const struct controller_options *options,
    const char *path, const json_t *body, json_t **answer)
{
    char reason[CTL_REASON_BYTES] = "";
    struct ctl_folder folder;
    struct ctl_client client;
    unsigned status = 0;

    *answer = NULL;
    if (!ctl_folder_name(&folder, options->state))
        snprintf(reason, sizeof(reason), "--state: the name is too long");
    else if (ctl_client_find(&client, &folder, reason))
        status = ctl_client_ask(&client, path, body, answer, reason);
    if (status == 0)
        cmd_complain(CMD_FAILED, command, "%s", reason);
    return status;
}

enum cmd_status controller_print_page(const char *command, const struct controller_options *options)
{
    char reason[CTL_REASON_BYTES] = "--state: the name is too long";
    struct ctl_folder folder;
    struct ctl_client client;

    if (!ctl_folder_name(&folder, options->state) || !ctl_client_find(&client, &folder, reason))
        return cmd_complain(CMD_FAILED, command, "%s", reason);
    printf("%s/%s%s\n", client.url, client.token[0] ? "#token=" : "", client.token);
    return CMD_DONE;
}

void controller_print_json(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(value);
}

const char *controller_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "-";
}

double controller_percent(const json_t *object, const char *key)
{
    return (double)json_integer_value(json_object_get(object, key)) / 1e4;
}

const char *controller_time(const json_t *object, const char *key, char out[static 32])
{
    time_t seconds = (time_t)(json_integer_value(json_object_get(object, key)) / 1000);
    struct tm day;

    if (!gmtime_r(&seconds, &day) || strftime(out, 32, "%Y-%m-%d %H:%M:%SZ", &day) == 0)
        snprintf(out, 32, "-");
    return out;
}

static enum cmd_status print_change(
    const char *verb, const struct controller_options *options, unsigned status, json_t *answer)
{
    const char *element = controller_text(answer, "element");
    const json_t *after = json_object_get(answer, "after");

    if (options->as_json)
        json_dumpf(answer, stdout, JSON_COMPACT), putchar('\n');
    if (status != 200)
        return cmd_complain(CMD_FAILED, verb, "%s%s%s", element[0] == '-' ? "" : element,
            element[0] == '-' ? "" : ": ", controller_text(answer, "error"));
    if (!options->as_json)
        printf(
            "%s %s; the NIC with the fewest paths (%s) %s %.1f %% of them, and must keep %.1f %%\n",
            element,
            strcmp(controller_text(answer, "outcome"), "dry_run") == 0 ? "could change (dry run)"
            : strcmp(verb, "drain") == 0                               ? "drained"
                                                                       : "restored",
            controller_text(after, "nic"), options->is_dry ? "would have" : "has",
            controller_percent(after, "share_ppm"), controller_percent(after, "limit_ppm"));
    return CMD_DONE;
}

enum cmd_status controller_change(
    const char *verb, const struct controller_options *options, char **elements)
{
    char path[32];
    enum cmd_status status = CMD_DONE;

    snprintf(path, sizeof(path), "/v1/%s", verb);
    for (; *elements && status == CMD_DONE; elements++) {
        json_t *body = json_pack("{s:s,s:b,s:s*}", "element", *elements, "dry_run", options->is_dry,
            "reason", options->reason);
        json_t *answer;
        unsigned code = body ? controller_ask(verb, options, path, body, &answer) : 0;

        if (!body)
            return cmd_complain(CMD_MISUSED, verb, "'%s' is not the name of an element", *elements);
        status = code ? print_change(verb, options, code, answer) : CMD_FAILED;
        if (code)
            json_decref(answer);
        json_decref(body);
    }
    return status;
}

enum cmd_status controller_list_drained(
    const char *command, const struct controller_options *options)
{
    const json_t *row;
    json_t *rows;
    size_t i;

    if (controller_ask(command, options, "/v1/denylist", NULL, &rows) != 200)
        return CMD_FAILED;
    if (options->as_json) {
        controller_print_json(rows);
        return CMD_DONE;
    }
    json_array_foreach(rows, i, row)
    {
        char time[32];

        printf("%-20s drained since %s by %s: %s\n", controller_text(row, "element"),
            controller_time(row, "since_ms", time), controller_text(row, "actor"),
            controller_text(row, "reason"));
    }
    if (json_array_size(rows) == 0)
        fprintf(stderr, "nothing is drained\n");
    json_decref(rows);
    return CMD_DONE;
}

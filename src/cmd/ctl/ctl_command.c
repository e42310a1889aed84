/* SPDX-License-Identifier: Apache-2.0 */
/* mrc ctl: shows the state of a controller: status, agents, NICs, audit log, events, verdicts. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/controller.h"

static const struct option_row rows[] = {
    CONTROLLER_STATE_ROW,
    CONTROLLER_JSON_ROW,
};

static const struct option_table table = {
    .command = "ctl",
    .intro =
        "usage: mrc ctl [status|agents|nics|audit|events|verdicts|server|page] [-j]\n"
        "\n"
        "Shows what the controller (mrcd) knows: its state (default), its agents, the NICs they\n"
        "speak for, the log of all actions, the newest events, verdicts, and refused requests.\n"
        "page prints the address of its page.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static long long number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void print_evidence(const json_t *state)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(state, "evidence"), i, row)
        printf("evidence    EV %s found bad by %lld NICs of %lld leaves, %lld times in a minute\n",
            controller_text(row, "ev"), number_of(row, "nics"), number_of(row, "leaves"),
            number_of(row, "reports"));
}

static void print_map(const json_t *state)
{
    const json_t *map = json_object_get(state, "map");
    const json_t *verdict;
    size_t i;

    if (!map) {
        printf("map         off\n");
        return;
    }
    printf("map         %lld NICs in the last round, %lld rounds of %lld periods of %lld ms, %lld "
           "probes lost\n",
        number_of(map, "nics"), number_of(map, "rounds"), number_of(map, "round_periods"),
        number_of(map, "period_ms"), number_of(map, "lost"));
    json_array_foreach(json_object_get(state, "verdicts_open"), i, verdict)
        printf("verdict     %s: %s\n", controller_text(verdict, "element"),
            controller_text(verdict, "text"));
}

static void print_policy(const json_t *policy)
{
    const char *mode = controller_text(policy, "mode");
    const char *remark = strcmp(mode, "dry-run") == 0 ? " (nothing was done: a dry run)" : "";
    const json_t *it;
    size_t i;

    printf("policy      %s, %lld of %lld actions in the last hour\n", mode,
        number_of(policy, "actions_last_hour"), number_of(policy, "actions_max"));
    json_array_foreach(json_object_get(policy, "cases"), i, it)
        printf("policy      %s %s, drained %lld times, %lld clean rounds, held for %lld s more%s\n",
            controller_text(it, "element"), controller_text(it, "state"), number_of(it, "drains"),
            number_of(it, "clean_rounds"), (number_of(it, "hold_left_ms") + 999) / 1000, remark);
}

static void print_status(const json_t *state)
{
    printf("fabric      %s\n", controller_text(state, "fabric"));
    printf("denylist    version %lld, %lld elements\n", number_of(state, "version"),
        number_of(state, "drained"));
    printf("capacity    %.1f %% of the paths of the NIC with the fewest; limit %.1f %%\n",
        controller_percent(state, "capacity_ppm"), controller_percent(state, "capacity_limit_ppm"));
    printf("agents      %lld of %lld connected\n", number_of(state, "agents_connected"),
        number_of(state, "agents"));
    printf("devices     %lld of %lld have the current denylist\n",
        number_of(state, "devices_current"), number_of(state, "devices"));
    printf("store       %s, %lld events dropped\n", controller_text(state, "store"),
        number_of(state, "events_dropped"));
    print_map(state);
    print_policy(json_object_get(state, "policy"));
    print_evidence(state);
}

static void print_agent(const json_t *agent)
{
    printf("%-24s %s version %lld devices %zu events %lld refused %lld lost %lld claims refused "
           "%lld reports refused %lld rounds refused %lld\n",
        controller_text(agent, "name"),
        json_is_true(json_object_get(agent, "connected")) ? "connected" : "silent",
        number_of(agent, "version"), json_array_size(json_object_get(agent, "devices")),
        number_of(agent, "events"), number_of(agent, "events_refused"),
        number_of(agent, "events_lost"), number_of(agent, "claims_refused"),
        number_of(agent, "reports_refused"), number_of(agent, "rounds_refused"));
}

static void print_nic(const json_t *nic)
{
    printf("%-8s %-10s of %-20s version %lld denied %lld%s%s\n", controller_text(nic, "nic"),
        controller_text(nic, "name"), controller_text(nic, "agent"), number_of(nic, "version"),
        number_of(nic, "denied"), json_object_get(nic, "problem") ? " problem: " : "",
        json_object_get(nic, "problem") ? controller_text(nic, "problem") : "");
}

static void print_action(const json_t *row)
{
    char time[32];

    printf("%6lld %s %s %s %s: %s%s%s\n", number_of(row, "id"),
        controller_time(row, "time_ms", time), controller_text(row, "actor"),
        controller_text(row, "verb"), controller_text(row, "element"),
        controller_text(row, "outcome"), json_is_string(json_object_get(row, "reason")) ? ", " : "",
        json_is_string(json_object_get(row, "reason")) ? controller_text(row, "reason") : "");
}

static void print_event(const json_t *row)
{
    char time[32];
    char *text = json_dumps(json_object_get(row, "evidence"), JSON_COMPACT | JSON_ENCODE_ANY);

    printf("%6lld %s %s %s\n", number_of(row, "id"), controller_time(row, "time_ms", time),
        controller_text(row, "device"), text ? text : "");
    free(text);
}

static void print_verdict(const json_t *row)
{
    char since[32];

    printf("%6lld %s %s: %s, confidence %.1f %%%s\n", number_of(row, "id"),
        controller_time(row, "since_ms", since), controller_text(row, "element"),
        controller_text(row, "text"), controller_percent(row, "confidence_ppm"),
        json_is_integer(json_object_get(row, "until_ms")) ? " (ended)" : "");
}

static void print_refusals(const json_t *servers)
{
    json_t *counts, *count;
    const char *server, *reason;

    json_object_foreach((json_t *)(size_t)servers, server, counts)
        json_object_foreach(counts, reason, count)
            printf("%-10s %-18s %lld\n", server, reason, (long long)json_integer_value(count));
}

static const struct view {
    const char *word;
    const char *path;
    void (*print_whole)(const json_t *);
    void (*print_row)(const json_t *);
} views[] = {
    { "status", "/v1/state", print_status, NULL },
    { "agents", "/v1/agents", NULL, print_agent },
    { "nics", "/v1/nics", NULL, print_nic },
    { "audit", "/v1/audit", NULL, print_action },
    { "events", "/v1/events", NULL, print_event },
    { "verdicts", "/v1/verdicts", NULL, print_verdict },
    { "server", "/v1/server", print_refusals, NULL },
    { "page", NULL, NULL, NULL },
};

static const struct view *find_view(const char *word)
{
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        if (!word || strncmp(views[i].word, word, strlen(word)) == 0)
            return &views[i];
    return NULL;
}

static enum cmd_status run_ctl(int argument_count, char **arguments)
{
    struct controller_options options = { 0 };
    const struct view *view;
    enum cmd_status status;
    json_t *answer;
    const json_t *row;
    size_t i;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    view = find_view(arguments[optind]);
    if (!view || (arguments[optind] && arguments[optind + 1]))
        return cmd_complain(CMD_MISUSED, "ctl", "unknown word '%s'; 'mrc ctl --help' lists them",
            view ? arguments[optind + 1] : arguments[optind]);
    if (!view->path)
        return controller_print_page("ctl", &options);
    if (controller_ask("ctl", &options, view->path, NULL, &answer) != 200) {
        json_decref(answer);
        return CMD_FAILED;
    }
    if (options.as_json) {
        controller_print_json(answer);
        return CMD_DONE;
    }
    if (view->print_whole)
        view->print_whole(answer);
    else
        json_array_foreach(answer, i, row) view->print_row(row);
    json_decref(answer);
    return CMD_DONE;
}

const struct cmd ctl_command = {
    .name = "ctl",
    .summary = "show the state of the controller",
    .run = run_ctl,
    .options = &table,
};

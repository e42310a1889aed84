/* SPDX-License-Identifier: Apache-2.0 */
/* mrc monitor: prints events of running NICs as they happen. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/nic_status.h"

enum {
    LOOK_AGAIN_MS = 500, /* interval of the search for newly opened devices */
};

static const struct option_row rows[] = {
    { OPTION_FLAG, 'a', "all", NULL, "also print EVs that are skipped for a while and return",
        OPTION_AT(struct nic_options, all) },
    { OPTION_FLAG, 'j', "json", NULL, "print JSON, one object per line",
        OPTION_AT(struct nic_options, as_json) },
};

static const struct option_table table = {
    .command = "monitor",
    .intro =
        "usage: mrc monitor [dev DEVICE] [-a] [-j]\n"
        "\n"
        "Prints state changes of EVs with their cause, of ports and of queue pairs, and timeouts,\n"
        "as they happen. Includes devices that are opened later.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const verbs[] = { "", NULL };
static const struct nic_command command = {
    .name = "monitor",
    .options = &table,
    .verbs = verbs,
    .arguments = NIC_WITHOUT_VERB,
};

/* The handler of events. */
struct monitor {
    const struct nic_options *options;
    enum cmd_status status;
};

/* ---- printing -------------------------------------------------------------------------------- */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Event times count from the start of the machine. An event without a time has the current time. */
static int64_t wall_ns(const json_t *event)
{
    const json_t *time = json_object_get(event, "time_ns");
    int64_t now_ns = clock_ns(CLOCK_REALTIME);

    return time ? now_ns - (clock_ns(CLOCK_MONOTONIC) - json_integer_value(time)) : now_ns;
}

static void print_time(int64_t at_ns)
{
    time_t second = (time_t)(at_ns / 1000000000);
    struct tm local;
    char text[16];

    localtime_r(&second, &local);
    strftime(text, sizeof(text), "%H:%M:%S", &local);
    printf("%s.%03d ", text, (int)(at_ns / 1000000 % 1000));
}

/* "2026-03-01T10:40:32.790123Z" */
static void add_time(json_t *event)
{
    int64_t at_ns = wall_ns(event);
    time_t second = (time_t)(at_ns / 1000000000);
    struct tm utc;
    char text[24];

    gmtime_r(&second, &utc);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
    json_object_set_new(
        event, "time", json_sprintf("%s.%06dZ", text, (int)(at_ns / 1000 % 1000000)));
}

static void print_change(const json_t *event)
{
    const char *kind = nic_status_text(event, "event");
    char interval[24];

    if (strcmp(kind, "ev") == 0)
        printf("qp %lld ev %#llx plane %lld %s -> %s: %s", nic_status_number(event, "qpn"),
            (unsigned long long)nic_status_number(event, "ev"), nic_status_number(event, "plane"),
            nic_status_text(event, "from"), nic_status_text(event, "to"),
            nic_status_text(event, "cause"));
    else if (strcmp(kind, "port") == 0)
        printf("port %lld %s", nic_status_number(event, "port"), nic_status_text(event, "change"));
    else if (strcmp(kind, "qp") == 0)
        printf("qp %lld %s -> %s: %s", nic_status_number(event, "qpn"),
            nic_status_text(event, "from"), nic_status_text(event, "to"),
            nic_status_text(event, "cause"));
    else if (strcmp(kind, "timeout") == 0)
        printf("qp %lld timeout after %s, %lld in a row, psn %lld", nic_status_number(event, "qpn"),
            nic_status_time(nic_status_number(event, "interval_ns"), interval),
            nic_status_number(event, "timeouts") + 1, nic_status_number(event, "psn"));
    else if (strcmp(kind, "lost") == 0)
        printf("%lld events lost: too many at once", nic_status_number(event, "count"));
    else
        fputs(kind, stdout);
}

static void print_event(const json_t *event)
{
    const char *peer = json_string_value(json_object_get(event, "peer"));

    print_time(wall_ns(event));
    printf("%s ", nic_status_text(event, "device"));
    print_change(event);
    printf("%s%s\n", peer ? ", peer " : "", peer ? peer : "");
}

static void print_line(const struct nic_options *options, const char *line)
{
    json_t *event = json_loads(line, 0, NULL);

    if (event && options->as_json) {
        add_time(event);
        json_dumpf(event, stdout, JSON_COMPACT);
        putchar('\n');
    } else if (event) {
        print_event(event);
    }
    json_decref(event);
}

/* ---- following ------------------------------------------------------------------------------- */

static bool take_event(void *context, const char *line)
{
    struct monitor *monitor = context;

    print_line(monitor->options, line);
    return !cmd_output_is_lost(&monitor->status, command.name);
}

static enum cmd_status follow_all(struct event_watch *watch, const struct nic_options *options)
{
    struct device_list devices;
    enum cmd_status status = nic_status_devices(&command, options, &devices);

    for (uint32_t i = 0; status == CMD_DONE && i < devices.count; i++)
        event_watch_follow(watch, devices.names[i], options->all);
    return status;
}

static enum cmd_status run_monitor(int argument_count, char **arguments)
{
    static struct event_watch watch = { .on_event = take_event };
    static struct nic_options options;
    static struct monitor monitor = { .options = &options };
    enum cmd_status status;

    if (!nic_status_parse(&command, argument_count, arguments, &options, &status))
        return status;
    watch.context = &monitor;
    status = follow_all(&watch, &options);
    if (status != CMD_DONE)
        return status;
    if (watch.count == 0)
        cmd_complain(CMD_DONE, command.name, "no process has a device open; waiting");
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (!watch.is_over) {
        event_watch_wait(&watch, LOOK_AGAIN_MS);
        follow_all(&watch, &options);
    }
    return monitor.status;
}

const struct cmd monitor_command = {
    .name = "monitor",
    .summary = "show events of running NICs as they happen",
    .run = run_monitor,
    .options = &table,
    .complete = nic_status_complete,
};

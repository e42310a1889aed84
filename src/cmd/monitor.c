/* SPDX-License-Identifier: Apache-2.0 */
/* mrc monitor: what happens in running NICs, as it happens. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/nic_status.h"
#include "pktio/pktio.h"

enum {
    LOOK_AGAIN_MS = 500, /* for devices that have been opened meanwhile */
    LINE_BYTES = 1024,
    WATCHED_MAX = 64,
};

static const struct option_row rows[] = {
    { OPTION_FLAG, 'a', "all", NULL, "also EVs that are skipped for a while and return",
        OPTION_AT(struct nic_options, all) },
    { OPTION_FLAG, 'j', "json", NULL, "one object a line", OPTION_AT(struct nic_options, as_json) },
};

static const struct option_table table = {
    .command = "monitor",
    .intro =
        "usage: mrc monitor [dev DEVICE] [-a] [-j]\n"
        "\n"
        "Prints changes of EVs with their cause, of ports and of queue pairs, and timeouts, as\n"
        "they come, also of devices that are opened later.",
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

struct watched {
    char device[DEVICE_LIST_NAME_BYTES];
    int sock;
    char line[LINE_BYTES];
    size_t length;
};

struct watch {
    struct watched all[WATCHED_MAX];
    uint32_t count;
    enum cmd_status status;
    bool is_over; /* nobody reads what is printed */
};

/* ---- printing -------------------------------------------------------------------------------- */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* NICs count from when the machine started. An event without a time is told at once. */
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

static void print_event(const json_t *event)
{
    const char *kind = nic_status_text(event, "event");
    char interval[24];

    print_time(wall_ns(event));
    printf("%s ", nic_status_text(event, "device"));
    if (strcmp(kind, "ev") == 0)
        printf("qp %lld ev %#llx plane %lld %s -> %s: %s\n", nic_status_number(event, "qpn"),
            (unsigned long long)nic_status_number(event, "ev"), nic_status_number(event, "plane"),
            nic_status_text(event, "from"), nic_status_text(event, "to"),
            nic_status_text(event, "cause"));
    else if (strcmp(kind, "port") == 0)
        printf(
            "port %lld %s\n", nic_status_number(event, "port"), nic_status_text(event, "change"));
    else if (strcmp(kind, "qp") == 0)
        printf("qp %lld %s -> %s: %s\n", nic_status_number(event, "qpn"),
            nic_status_text(event, "from"), nic_status_text(event, "to"),
            nic_status_text(event, "cause"));
    else if (strcmp(kind, "timeout") == 0)
        printf("qp %lld timeout after %s, %lld in a row, psn %lld\n",
            nic_status_number(event, "qpn"),
            nic_status_time(nic_status_number(event, "interval_ns"), interval),
            nic_status_number(event, "timeouts") + 1, nic_status_number(event, "psn"));
    else if (strcmp(kind, "lost") == 0)
        printf("%lld events more than could be told\n", nic_status_number(event, "count"));
    else
        printf("%s\n", kind);
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

static bool is_followed(const struct watch *watch, const char *device)
{
    for (uint32_t i = 0; i < watch->count; i++)
        if (strcmp(watch->all[i].device, device) == 0)
            return true;
    return false;
}

static void follow(struct watch *watch, const struct nic_options *options, const char *device)
{
    struct watched *next = &watch->all[watch->count];
    char path[512];

    if (watch->count == WATCHED_MAX || is_followed(watch, device) ||
        run_place(path, sizeof(path), device, "status") != 0)
        return;
    *next =
        (struct watched){ .sock = control_follow(path, options->all ? "monitor all" : "monitor") };
    if (next->sock < 0)
        return;
    snprintf(next->device, sizeof(next->device), "%s", device);
    watch->count++;
}

static enum cmd_status follow_all(struct watch *watch, const struct nic_options *options)
{
    struct device_list devices;
    enum cmd_status status = nic_status_devices(&command, options, &devices);

    for (uint32_t i = 0; status == CMD_DONE && i < devices.count; i++)
        follow(watch, options, devices.names[i]);
    return status;
}

static void print_lines(
    struct watch *watch, const struct nic_options *options, struct watched *from)
{
    char *end;

    while (!watch->is_over && (end = memchr(from->line, '\n', from->length))) {
        size_t rest = from->length - (size_t)(end + 1 - from->line);

        *end = '\0';
        print_line(options, from->line);
        watch->is_over = cmd_output_is_lost(&watch->status, command.name);
        memmove(from->line, end + 1, rest);
        from->length = rest;
    }
    if (from->length == sizeof(from->line))
        from->length = 0;
}

/* False: it is closed. */
static bool take(struct watch *watch, const struct nic_options *options, struct watched *from)
{
    ssize_t got = read(from->sock, from->line + from->length, sizeof(from->line) - from->length);

    if (got <= 0 && !(got < 0 && errno == EINTR)) {
        close(from->sock);
        return false;
    }
    from->length += got > 0 ? (size_t)got : 0;
    print_lines(watch, options, from);
    return true;
}

static void wait_and_take(struct watch *watch, const struct nic_options *options)
{
    struct pollfd fds[WATCHED_MAX];

    for (uint32_t i = 0; i < watch->count; i++)
        fds[i] = (struct pollfd){ .fd = watch->all[i].sock, .events = POLLIN };
    if (poll(fds, watch->count, LOOK_AGAIN_MS) <= 0)
        return;
    for (uint32_t i = watch->count; i-- > 0;)
        if (fds[i].revents && !take(watch, options, &watch->all[i]))
            watch->all[i] = watch->all[--watch->count];
}

static enum cmd_status run_monitor(int argument_count, char **arguments)
{
    static struct watch watch;
    struct nic_options options;
    enum cmd_status status;

    if (!nic_status_parse(&command, argument_count, arguments, &options, &status))
        return status;
    status = follow_all(&watch, &options);
    if (status != CMD_DONE)
        return status;
    if (watch.count == 0)
        cmd_complain(CMD_DONE, command.name, "no process has a device open yet: waiting for one");
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (!watch.is_over) {
        wait_and_take(&watch, &options);
        follow_all(&watch, &options);
    }
    return watch.status;
}

const struct cmd monitor_command = {
    .name = "monitor",
    .summary = "show what happens in running NICs, as it happens",
    .run = run_monitor,
    .options = &table,
    .complete = nic_status_complete,
};

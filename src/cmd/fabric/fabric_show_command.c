/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric show: prints a running fabric as a table or as JSON. */
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"
#include "cmd/fabric/fabric.h"
#include "cmd/options.h"

#define UNPACED_BPS 8000000000000

static const char name[] = "fabric show";

struct options {
    const char *fabric;
    uint32_t watch_s; /* 0: once */
    bool all;
    bool as_json;
};

static enum cmd_status take_seconds(void *options, char *text)
{
    const char *at = text;
    uint32_t seconds;

    if (!scan_u32(&at, &seconds) || *at || seconds < 1 || seconds > 86400)
        return cmd_complain(
            CMD_MISUSED, name, "--watch takes seconds from 1 to 86400, not '%s'", text);
    ((struct options *)options)->watch_s = seconds;
    return CMD_DONE;
}

#define AT(member) OPTION_AT(struct options, member)

static const struct option_row rows[] = {
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)", AT(fabric),
        .values = OPTION_VALUES_FABRICS },
    { OPTION_FLAG, 'a', "all", NULL, "also show links that have carried nothing", AT(all) },
    { OPTION_CALL, 'w', "watch", "S", "repeat every S seconds", .read = take_seconds,
        .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'j', "json", NULL, "print JSON", AT(as_json) },
};

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc fabric show [OPTIONS]\n"
             "\n"
             "Shows links, queues, counters and faults of a running fabric.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static long long number(const json_t *of, const char *key)
{
    return json_integer_value(json_object_get(of, key));
}

/* Links that are not paced have the highest rate of the field; they are shown as "-". */
static const char *rate(const json_t *port, char out[static 24])
{
    long long rate_bps = number(port, "rate_bps");

    snprintf(out, 24, "%.1f", (double)rate_bps / 1e9);
    return rate_bps >= UNPACED_BPS ? "-" : out;
}

static void print_link(const char *from, const json_t *port)
{
    long long packets = number(port, "frames");
    char text[24];

    printf("%-12s %-18s %-5s %7s %12lld %8lld %8lld %8lld %8lld %9lld\n", from,
        json_string_value(json_object_get(port, "link")),
        json_is_true(json_object_get(port, "up")) ? "up" : "DOWN", rate(port, text), packets,
        number(port, "marked"), number(port, "trimmed_arriving") + number(port, "trimmed_tail"),
        number(port, "lost"),
        number(port, "dropped_data_queue") + number(port, "dropped_control_queue") +
            number(port, "dropped_buffer") + number(port, "dropped_port_down"),
        number(port, "data_depth_bytes_max"));
}

static bool is_interesting(const json_t *port, bool all)
{
    return all || number(port, "frames") > 0 || number(port, "lost") > 0 ||
           !json_is_true(json_object_get(port, "up"));
}

static void print_ports(const char *from, const json_t *ports, bool all)
{
    const json_t *port;
    size_t i;

    json_array_foreach(ports, i, port) if (is_interesting(port, all)) print_link(from, port);
}

/* "drops at p0.t0.0: source 3, no_route 1" */
static void print_drops(const json_t *node)
{
    const char *separator = ": ";
    const json_t *count;
    const char *reason;

    if (json_object_size(json_object_get(node, "drops")) == 0)
        return;
    printf("drops at %s", json_string_value(json_object_get(node, "name")));
    json_object_foreach(json_object_get(node, "drops"), reason, count)
    {
        printf("%s%s %lld", separator, reason, (long long)json_integer_value(count));
        separator = ", ";
    }
    putchar('\n');
}

static void print_table(const json_t *fabric, bool all)
{
    const json_t *entry;
    char nic[24];
    size_t i;

    printf("fabric '%s': %lld NICs with %lld ports, %lld switches\n\n",
        json_string_value(json_object_get(fabric, "name")), number(fabric, "nic_count"),
        number(fabric, "planes"), number(fabric, "switch_count"));
    json_array_foreach(json_object_get(fabric, "faults"), i, entry) printf("fault %lld: %s %s\n",
        number(entry, "id"), json_string_value(json_object_get(entry, "where")),
        json_string_value(json_object_get(entry, "kind")));
    printf("%-12s %-18s %-5s %7s %12s %8s %8s %8s %8s %9s\n", "FROM", "LINK", "STATE", "Gb/s",
        "FRAMES", "MARKED", "TRIMMED", "LOST", "DROPPED", "QUEUE MAX");
    json_array_foreach(json_object_get(fabric, "nics"), i, entry)
    {
        snprintf(nic, sizeof(nic), "h%zu", i);
        print_ports(nic, json_object_get(entry, "ports"), all);
    }
    json_array_foreach(json_object_get(fabric, "switches"), i, entry) print_ports(
        json_string_value(json_object_get(entry, "name")), json_object_get(entry, "ports"), all);
    json_array_foreach(json_object_get(fabric, "switches"), i, entry) print_drops(entry);
}

static enum cmd_status show_once(const struct options *options)
{
    json_t *answer;
    enum cmd_status status = fabric_ask_word(options->fabric, "show", &answer);

    if (status != CMD_DONE)
        return status;
    if (options->as_json) {
        json_dumpf(answer, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        print_table(answer, options->all);
    }
    json_decref(answer);
    return CMD_DONE;
}

static enum cmd_status fabric_show(int argument_count, char **arguments)
{
    struct options options = { .fabric = "fabric" };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind != argument_count)
        return cmd_complain(CMD_MISUSED, name, "%s: not an option", arguments[optind]);
    do {
        status = show_once(&options);
        if (status != CMD_DONE || cmd_output_is_lost(&status, name))
            return status;
        if (options.watch_s > 0)
            sleep(options.watch_s);
    } while (options.watch_s > 0);
    return CMD_DONE;
}

const struct cmd fabric_show_command = {
    .name = "show",
    .summary = "show links, queues, counters and faults of a running fabric",
    .run = fabric_show,
    .options = &table,
};

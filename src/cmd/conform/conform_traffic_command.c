/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform traffic: sends frames, and measures what becomes of them. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/conform/conform_traffic_print.h"
#include "cmd/conform/conform_verbs.h"
#include "cmd/fabric_load.h"
#include "cmd/format_options.h"
#include "decode/decode.h"
#include "files/files.h"

static const char name[] = "conform traffic";

static const char *const pattern_words[] = {
#define PATTERN(id, word, help) word,
#include "conform/traffic_patterns.def"
#undef PATTERN
    NULL,
};

struct options {
    struct format_options wire; /* first: format_options.h */
    struct traffic_config config;
    struct option_list senders;
    struct option_list receivers;
    const char *fabric;
    const char *class;
    uint32_t ecn;
    bool as_json;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum cmd_status take_time(const char *option, const char *text, uint64_t *ns)
{
    uint64_t ps = 0;

    if (quantity_parse(QUANTITY_TIME, text, &ps) != QUANTITY_OK)
        return cmd_complain(CMD_MISUSED, name, "%s takes %s, not '%s'", option,
            quantity_example(QUANTITY_TIME), text);
    *ns = ps / 1000;
    return CMD_DONE;
}

static enum cmd_status take_gap(void *options, char *text)
{
    return take_time("--gap", text, &((struct options *)options)->config.gap_ns);
}

static enum cmd_status take_wait(void *options, char *text)
{
    return take_time("--wait", text, &((struct options *)options)->config.wait_ns);
}

static enum cmd_status take_destination(void *options, char *text)
{
    struct ipv6_addr *address = &((struct options *)options)->config.destination;

    if (inet_pton(AF_INET6, text, address->octets) == 1)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--destination takes an IPv6 address, not '%s'", text);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_LIST, 0, "from", "PORT[,KEY=VALUE...]", "a port that sends; may be repeated. A PORT is an interface or as in\n"
        "mrc_config(5): udp:LOCAL,REMOTE, shm:PATH, xdp:IF. Keys: path, source, nic,\n"
        "device, plane", AT(senders), .values = OPTION_VALUES_NONE },
    { OPTION_LIST, 0, "to", "PORT[,KEY=VALUE...]", "a port that only receives; may be repeated", AT(receivers), .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, 0, "fabric", "FILE", "take addresses and paths from the plan of this fabric (key nic)", AT(fabric) },
    { OPTION_CALL, 0, "destination", "ADDRESS", "the inner destination [2001:db8:ffff::2]", .read = take_destination, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 'n', "count", "N", "frames of each sender [1000]", AT(config.frame_count), .least = 1, .most = TRAFFIC_FRAMES_MAX },
    { OPTION_NUMBER, 0, "burst", "N", "frames of a burst [32]", AT(config.burst_frames), .least = 1, .most = TRAFFIC_BURST_MAX },
    { OPTION_CALL, 0, "gap", "TIME", "from the begin of a burst to the next one [1ms]", .read = take_gap, .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "wait", "TIME", "wait for frames as long as this without any [500ms]", .read = take_wait, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 's', "size", "BYTES", "payload of a frame [1024]", AT(config.payload_bytes), .most = 8192 },
    { OPTION_NUMBER, 0, "evs", "N", "EVs among which frames alternate [16]", AT(config.ev_count), .least = 1, .most = TRAFFIC_EVS_MAX },
    { OPTION_TEXT, 0, "class", "CLASS", "no_trim, trimmable, trimmable_retx or control [trimmable]", AT(class), .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 0, "ecn", "N", "the ECN field [2, ECT(0)]", AT(ecn), .most = 3 },
    { OPTION_TEXT, 0, "capture", "FILE", "replay: the capture, as for 'mrc decode'", AT(config.capture) },
    { OPTION_FLAG, 0, "times", NULL, "replay: keep the times of the capture", AT(config.keeps_times) },
    { OPTION_NUMBER, 0, "seed", "N", "the seed for payloads and hostile frames [1]", AT(config.seed) },
    { OPTION_FLAG, 'j', "json", NULL, "print JSON", AT(as_json) },
    FORMAT_OPTION_ROWS,
};
/* clang-format on */

static void list_patterns(FILE *to)
{
    fputs("\nPatterns:\n", to);
#define PATTERN(id, word, help) fprintf(to, "  %-8s %s\n", word, help);
#include "conform/traffic_patterns.def"
#undef PATTERN
}

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc conform traffic PATTERN --from PORT [--to PORT] [OPTIONS]\n"
             "\n"
             "Sends frames into a device and reports what comes back: loss, marks, trimming, order "
             "and\n"
             "latency. For devices that have no peer yet.",
    .closing = "Exit status: 0; 1 if a port failed or disappeared, or if no ordinary frame came "
               "back after\n"
               "hostile ones; 2 for a wrong command line.\n"
               "\n"
               "  mrc conform traffic burst --from eth1,path=fc00:42:400:c01:: --to eth2\n"
               "  mrc conform traffic incast --fabric fabric.yaml --from eth1,nic=h0 --from "
               "eth2,nic=h1 --to eth3,nic=h2",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .list = list_patterns,
};

/* ---- checks ---------------------------------------------------------------------------------- */

static enum cmd_status read_pattern(struct options *options, int argument_count, char **arguments)
{
    int pattern = optind < argument_count ? word_find(pattern_words, arguments[optind]) : -1;
    char known[100];

    word_list(pattern_words, known, sizeof(known));
    if (optind + 1 != argument_count)
        return cmd_complain(CMD_MISUSED, name, "name one pattern: %s", known);
    if (pattern < 0)
        return cmd_complain(
            CMD_MISUSED, name, "there is no pattern '%s'; patterns: %s", arguments[optind], known);
    options->config.pattern = (enum traffic_pattern)pattern;
    if (options->config.pattern == TRAFFIC_REPLAY && !options->config.capture)
        return cmd_complain(CMD_MISUSED, name, "replay needs --capture FILE");
    return CMD_DONE;
}

static enum cmd_status read_class(struct options *options)
{
    int class = 0;

    while (options->class && class < DSCP_OTHER &&
           strcmp(decode_words_class((enum dscp_class) class), options->class) != 0)
        class ++;
    if (!options->class)
        class = DSCP_TRIMMABLE;
    if (class == DSCP_OTHER || dscp_is_trimmed((enum dscp_class) class))
        return cmd_complain(CMD_MISUSED, name,
            "--class takes no_trim, trimmable, trimmable_retx or control, not '%s'",
            options->class);
    options->config.class = (enum dscp_class) class;
    options->config.ecn = (uint8_t)options->ecn;
    return CMD_DONE;
}

static bool read_ports(struct options *options, struct yaml *yaml)
{
    struct traffic_config *config = &options->config;

    for (uint32_t i = 0; i < options->senders.count + options->receivers.count; i++) {
        bool sends = i < options->senders.count;
        struct traffic_port *port = &config->ports[config->port_count++];

        if (!traffic_port_read(yaml, sends ? "--from" : "--to",
                sends ? options->senders.at[i] : options->receivers.at[i - options->senders.count],
                port))
            return false;
        port->sends = sends;
    }
    return true;
}

static enum cmd_status check_ports(const struct options *options)
{
    const struct traffic_config *config = &options->config;

    for (uint32_t i = 0; i < config->port_count; i++) {
        const struct traffic_port *port = &config->ports[i];

        if (port->has_nic && !config->fabric)
            return cmd_complain(CMD_MISUSED, name, "nic=%u needs --fabric FILE", port->nic);
        if (port->has_nic && port->nic >= config->fabric->topology.nic_count)
            return cmd_complain(CMD_MISUSED, name, "nic=%u: the fabric has NICs 0 to %u", port->nic,
                config->fabric->topology.nic_count - 1);
    }
    return CMD_DONE;
}

static enum cmd_status take_ports(struct options *options)
{
    uint32_t count = options->senders.count + options->receivers.count;
    enum cmd_status status = CMD_DONE;
    struct yaml yaml;

    if (options->senders.count == 0)
        return cmd_complain(CMD_MISUSED, name, "--from PORT is missing");
    if (count > TRAFFIC_PORTS_MAX)
        return cmd_complain(CMD_MISUSED, name, "at most %d ports", TRAFFIC_PORTS_MAX);
    if ((uint64_t)options->senders.count * options->config.frame_count > TRAFFIC_FRAMES_MAX)
        return cmd_complain(CMD_MISUSED, name, "--count: at most %d frames of all senders together",
            TRAFFIC_FRAMES_MAX);
    yaml_init(&yaml);
    if (!read_ports(options, &yaml))
        status = cmd_complain(CMD_MISUSED, name, "%s", yaml.problem);
    yaml_fini(&yaml);
    return status == CMD_DONE ? check_ports(options) : status;
}

/* ---- running --------------------------------------------------------------------------------- */

static enum cmd_status run_with(struct options *options)
{
    struct traffic_config *config = &options->config;
    struct traffic_result result;
    enum cmd_status status = take_ports(options);
    int err;

    if (status != CMD_DONE)
        return status;
    config->format = options->wire.format;
    config->is_interrupted = cmd_catch_interrupts(0);
    err = traffic_run(config, &result);
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s%s", result.end[0] ? result.end : strerror(-err),
            err == -EPERM ? "; only root can open an interface" : "");
    if (options->as_json)
        conform_traffic_print_json(config, pattern_words[config->pattern], &result);
    else
        conform_traffic_print_table(config, &result);
    if (result.end[0])
        return cmd_complain(CMD_FAILED, name, "%s", result.end);
    if (result.ordinary_sent > 0 && result.ordinary_seen == 0 && options->receivers.count > 0)
        return cmd_complain(CMD_FAILED, name, "after hostile frames the device forwards no more");
    return CMD_DONE;
}

static enum cmd_status run_on_fabric(struct options *options)
{
    struct plan fabric;
    struct yaml yaml;
    enum cmd_status status = fabric_load(name, options->fabric, &yaml, &fabric);

    if (status != CMD_DONE)
        return status;
    options->config.fabric = &fabric;
    if (fabric.topology.graph)
        status = cmd_complain(CMD_MISUSED, name,
            "--fabric: paths of a fabric with a shape are not known here; give each port a path");
    else
        status = run_with(options);
    options->config.fabric = NULL;
    yaml_fini(&yaml);
    return status;
}

static enum cmd_status run_traffic(int argument_count, char **arguments)
{
    struct options options = {
        .wire = { .command = name, .format = format_default },
        .config = { .frame_count = 1000,
            .burst_frames = 32,
            .ev_count = 16,
            .payload_bytes = 1024,
            .gap_ns = 1000000,
            .wait_ns = 500000000,
            .seed = 1,
            .destination = { { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, [15] = 2 } } },
        .ecn = ECN_ECT0,
    };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    status = read_pattern(&options, argument_count, arguments);
    if (status == CMD_DONE)
        status = read_class(&options);
    if (status == CMD_DONE)
        status = format_options_check(&options.wire);
    if (status != CMD_DONE)
        return status;
    return options.fabric ? run_on_fabric(&options) : run_with(&options);
}

const struct cmd conform_traffic_command = {
    .name = "traffic",
    .summary = "send frames into a device, and measure loss, marks, trimming and latency",
    .run = run_traffic,
    .options = &table,
};

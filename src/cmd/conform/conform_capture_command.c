/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform capture: reports what packets of a capture violate. */
#include <arpa/inet.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/conform/conform_verbs.h"
#include "cmd/format_options.h"
#include "conform/conform.h"
#include "decode/decode.h"
#include "files/files.h"
#include "pktio/pktio.h"

static const char name[] = "conform capture";

enum { NICS_MAX = 64 };

struct options {
    struct format_options wire; /* first */
    struct ipv6_addr nics[NICS_MAX];
    uint32_t nic_count;
    uint32_t mpr_units;
    uint64_t patience_ns;
    bool has_service_time;
    bool skips_icrc;
    bool as_json;
    bool lists_rules;
};

struct check {
    const struct options *options;
    struct capture capture;
    json_t *violations; /* with --json */
    uint64_t shown_by_rule[CONFORM_RULE_COUNT];
    uint8_t scratch[DECODE_PACKET_BYTES_MAX];
};

/* ---- options --------------------------------------------------------------------------------- */

static enum cmd_status take_nic(void *to, char *text)
{
    struct options *options = to;
    struct ipv6_addr *nic = &options->nics[options->nic_count];

    if (options->nic_count == NICS_MAX)
        return cmd_complain(CMD_MISUSED, name, "--at may be given at most %u times", NICS_MAX);
    *nic = (struct ipv6_addr){ .octets = { [10] = 0xff, [11] = 0xff } };
    if (inet_pton(AF_INET6, text, nic->octets) != 1 &&
        inet_pton(AF_INET, text, nic->octets + 12) != 1)
        return cmd_complain(CMD_MISUSED, name, "--at takes an IP address, not '%s'", text);
    options->nic_count++;
    return CMD_DONE;
}

static enum cmd_status take_patience(void *to, char *text)
{
    struct options *options = to;
    uint64_t ps = 0;

    if (quantity_parse(QUANTITY_TIME, text, &ps) != QUANTITY_OK)
        return cmd_complain(CMD_MISUSED, name, "--patience takes %s, not '%s'",
            quantity_example(QUANTITY_TIME), text);
    options->patience_ns = ps / 1000;
    return CMD_DONE;
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_CALL, 0, "at", "ADDRESS", "the capture was taken at the NIC with this IP address, and has all its\n"
        "packets; may be repeated [somewhere on the way]", .read = take_nic, .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 0, "mpr", "N", "the MPR that the QPs agreed on, in units of 128 PSNs [255]", AT(mpr_units),
        .least = 1, .most = 255 },
    { OPTION_CALL, 0, "patience", "TIME", "report a missing answer after TIME [1ms]", .read = take_patience,
        .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 0, "service-time", NULL, "responders add the time that they held a packet to its timestamp",
        AT(has_service_time) },
    { OPTION_FLAG, 0, "rules", NULL, "list the rules and their sections", AT(lists_rules) },
    { OPTION_FLAG, 'j', "json", NULL, "print JSON", AT(as_json) },
    { OPTION_FLAG, 0, "no-icrc", NULL, "do not check the invariant CRC", AT(skips_icrc) },
    FORMAT_OPTION_ROWS,
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro =
        "usage: mrc conform capture [OPTIONS] FILE...\n"
        "\n"
        "Reads captures of MRC connections between any implementations and reports each violation "
        "of the\n"
        "protocol: number of the packet, rule, section, and what is wrong. A FILE is a capture as "
        "for\n"
        "'mrc decode'. Each is checked on its own.",
    .closing =
        "Exit status: 0; 1 if a packet violates a rule or an input could not be read; 2 for a "
        "wrong command\n"
        "line.\n"
        "\n"
        "  mrc conform capture capture.pcapng\n"
        "  mrc conform capture --at 2001:db8::1 --mpr 8 nic.pcapng",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- results --------------------------------------------------------------------------------- */

/* A device that violates a rule does so in many packets. */
enum { SHOWN_OF_A_RULE = 10 };

static void show_violation(void *context, const struct conform_violation *violation)
{
    struct check *check = context;
    const struct conform_rule_words *rule = &conform_rules[violation->rule];

    if (check->options->as_json)
        json_array_append_new(check->violations,
            json_pack("{sI ss ss ss}", "packet", (json_int_t)violation->number, "rule", rule->name,
                "section", rule->section, "text", violation->text));
    else if (check->shown_by_rule[violation->rule] < SHOWN_OF_A_RULE)
        printf("packet %" PRIu64 ": %s (%s): %s\n", violation->number, rule->name, rule->section,
            violation->text);
    check->shown_by_rule[violation->rule]++;
}

static const char *reading_of_pdcid(const struct conform_totals *totals)
{
    if (totals->has_pdcid_sender && totals->has_pdcid_requester)
        return "different things";
    if (totals->has_pdcid_sender)
        return "the sender of the packet";
    if (totals->has_pdcid_requester)
        return "the requester";
    return "not known";
}

static void print_more(const struct check *check)
{
    for (uint32_t i = 0; i < CONFORM_RULE_COUNT; i++)
        if (check->shown_by_rule[i] > SHOWN_OF_A_RULE)
            printf("%" PRIu64 " more packets violate %s (%s): %s\n",
                check->shown_by_rule[i] - SHOWN_OF_A_RULE, conform_rules[i].name,
                conform_rules[i].section, conform_rules[i].sentence);
}

static void print_totals(const struct check *check, const struct conform_totals *totals)
{
    print_more(check);
    printf("%s: %" PRIu64 " packets of %u connections, %" PRIu64 " violations; spdcid names %s\n",
        check->capture.title, totals->packet_count, totals->flow_count, totals->violation_count,
        reading_of_pdcid(totals));
}

static void print_json(struct check *check, const struct conform_totals *totals)
{
    json_t *object = json_pack("{ss sI sI sI ss so}", "file", check->capture.title, "packets",
        (json_int_t)totals->packet_count, "connections", (json_int_t)totals->flow_count,
        "violation_count", (json_int_t)totals->violation_count, "spdcid_names",
        reading_of_pdcid(totals), "violations", check->violations);

    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

static void list_rules(void)
{
    for (uint32_t i = 0; i < CONFORM_RULE_COUNT; i++)
        printf("%-16s %-10s %s\n", conform_rules[i].name, conform_rules[i].section,
            conform_rules[i].sentence);
}

/* ---- one file -------------------------------------------------------------------------------- */

static enum cmd_status read_packets(struct check *check, struct conform_capture *conform)
{
    struct capture_packet raw;
    struct decode_packet packet;
    uint64_t number = 0;
    int got;

    while ((got = capture_next(&check->capture, &raw)) > 0) {
        decode_captured(
            &packet, &check->options->wire.format, &check->capture, &raw, check->scratch);
        if (!check->options->skips_icrc)
            decode_packet_check_icrc(&packet);
        if (!conform_capture_add(conform, &packet, ++number, raw.time_ns))
            return cmd_complain(CMD_FAILED, name, "not enough memory");
    }
    if (got < 0)
        return cmd_complain(CMD_FAILED, name, "%s", check->capture.error);
    conform_capture_finish(conform);
    return CMD_DONE;
}

static enum cmd_status judge_capture(struct check *check, const struct conform_totals *totals)
{
    if (totals->packet_count == 0) {
        json_decref(check->violations);
        return cmd_complain(CMD_FAILED, name, "%s: no MRC packet on UDP port %u (--udp-port)",
            check->capture.title, check->options->wire.format.udp_port);
    }
    if (check->options->as_json)
        print_json(check, totals);
    else
        print_totals(check, totals);
    return totals->violation_count > 0 ? CMD_FAILED : CMD_DONE;
}

static enum cmd_status check_open_file(struct check *check)
{
    const struct options *options = check->options;
    struct conform_capture *conform =
        conform_capture_new(&(struct conform_settings){ .nics = options->nics,
            .nic_count = options->nic_count,
            .mpr = options->mpr_units * CONFORM_MPR_UNIT,
            .patience_ns = options->patience_ns,
            .has_service_time = options->has_service_time,
            .context = check,
            .on_violation = show_violation });
    enum cmd_status status;

    if (!conform)
        return cmd_complain(CMD_FAILED, name, "not enough memory");
    if (options->as_json)
        check->violations = json_array();
    status = read_packets(check, conform);
    if (status == CMD_DONE)
        status = judge_capture(check, conform_capture_totals(conform));
    else
        json_decref(check->violations);
    conform_capture_free(conform);
    return status;
}

static enum cmd_status check_file(const struct options *options, const char *file)
{
    struct check check = { .options = options };
    enum cmd_status status;

    if (capture_open(&check.capture, file) < 0)
        return cmd_complain(CMD_FAILED, name, "%s", check.capture.error);
    if (link_layer_is_known(check.capture.link_type))
        status = check_open_file(&check);
    else
        status = cmd_complain(CMD_FAILED, name,
            "%s: link type %u is not supported; supported: Ethernet, raw IP, Linux cooked, "
            "loopback",
            check.capture.title, check.capture.link_type);
    capture_close(&check.capture);
    return status;
}

static enum cmd_status run_capture(int argument_count, char **arguments)
{
    struct options options = {
        .wire = { .command = name, .format = format_default },
        .patience_ns = 1000000,
    };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (options.lists_rules) {
        list_rules();
        return CMD_DONE;
    }
    if (format_options_check(&options.wire) != CMD_DONE)
        return CMD_MISUSED;
    if (optind == argument_count)
        return cmd_complain(CMD_MISUSED, name, "name a capture; see 'mrc conform capture --help'");
    for (int i = optind; i < argument_count; i++) {
        enum cmd_status one = check_file(&options, arguments[i]);

        if (status == CMD_DONE)
            status = one;
    }
    return status;
}

const struct cmd conform_capture_command = {
    .name = "capture",
    .summary = "report what the packets of a capture violate",
    .run = run_capture,
    .options = &table,
};

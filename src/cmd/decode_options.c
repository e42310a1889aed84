/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of mrc decode. */
#include "cmd/decode_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include "cmd/decode_knobs.h"
#include "files/files.h"
#include "plan/plan.h"

enum {
    OPTION_UDP_PORT = 256, /* beyond the letters */
    OPTION_DSCP,
    OPTION_EV_ORDER,
    OPTION_UPLINK_BITS,
    OPTION_M_BEFORE_SE,
    OPTION_NAK_WRITE_IMM,
    OPTION_NO_ICRC,
    OPTION_WRITE,
};

static const struct option long_options[] = {
    { "verbose", no_argument, NULL, 'v' },
    { "json", no_argument, NULL, 'j' },
    { "all", no_argument, NULL, 'a' },
    { "count", required_argument, NULL, 'c' },
    { "help", no_argument, NULL, 'h' },
    { "udp-port", required_argument, NULL, OPTION_UDP_PORT },
    { "dscp", required_argument, NULL, OPTION_DSCP },
    { "ev-order", required_argument, NULL, OPTION_EV_ORDER },
    { "uplink-bits", required_argument, NULL, OPTION_UPLINK_BITS },
    { "m-before-se", no_argument, NULL, OPTION_M_BEFORE_SE },
    { "nak-write-imm", required_argument, NULL, OPTION_NAK_WRITE_IMM },
    { "no-icrc", no_argument, NULL, OPTION_NO_ICRC },
    { "write", required_argument, NULL, OPTION_WRITE },
    { NULL, 0, NULL, 0 },
};

#define LONG_OPTION_COUNT (sizeof(long_options) / sizeof(long_options[0]) - 1)

void decode_options_print_help(void)
{
    fputs(
        "usage: mrc decode [OPTIONS] [FILE...]\n"
        "\n"
        "Shows MRC packets, and the RoCEv2 packets that share their port, one a line. A FILE is a "
        "pcap\n"
        "or pcapng capture, or text with one packet a line as hex digits, from the IP header on. "
        "No FILE,\n"
        "or -, is standard input.\n"
        "\n"
        "  -v, --verbose          every field of every header\n"
        "  -j, --json             JSON, one object a line\n"
        "  -a, --all              frames that are not MRC, too\n"
        "  -c, --count N          stop after N packets\n"
        "      --write FILE       also write the packets shown to FILE, as pcapng\n"
        "      --no-icrc          do not check the invariant CRC\n"
        "  -h, --help             this text\n"
        "\n"
        "What the operator decides, or the specification leaves open (defaults in brackets):\n"
        "      --udp-port N       the UDP port; given twice, the second is accepted too [4791 "
        "4971]\n"
        "      --dscp NAME=N,...  code points [no_trim=0,trimmable=4,trimmable_retx=8,trimmed=12,\n"
        "                         trimmed_lasthop=16,control=46]\n"
        "      --ev-order WHICH   what carries the high half of an EV: flow-label or source-port "
        "[flow-label]\n"
        "      --uplink-bits N    width of the uplink in an EV; the plane is above it [8]\n"
        "      --m-before-se      BTH byte 1 begins with M, then SE\n"
        "      --nak-write-imm N  syndrome of the NAK for too many WriteImm in flight [0x65]\n"
        "\n"
        "Exit status: 0; 1 if a packet is malformed or an input could not be read; 2 for a wrong "
        "command\n"
        "line.\n"
        "\n"
        "  mrc decode capture.pcapng\n"
        "  tcpdump -i any -U -w - udp port 4791 | mrc decode\n"
        "  mrc decode -j capture.pcap | jq 'select(.seth) | .seth.missing'\n"
        "  mrc decode --write vectors.pcapng vectors.txt\n",
        stdout);
}

static int beginning_with(const char *typed)
{
    int count = 0;

    for (size_t i = 0; i < LONG_OPTION_COUNT; i++)
        count += strncmp(long_options[i].name, typed, strlen(typed)) == 0;
    return count;
}

static enum cmd_status complain_option(char **arguments)
{
    const char *names[LONG_OPTION_COUNT];
    const char *typed = arguments[optind - 1];
    const char *meant;

    if (optopt > 0 && optopt < OPTION_UDP_PORT && strncmp(typed, "--", 2) != 0)
        return cmd_complain(CMD_MISUSED, "decode",
            "there is no option -%c; 'mrc decode --help' lists them", optopt);
    if (optopt > 0)
        return cmd_complain(CMD_MISUSED, "decode", "'%s': this option takes no value", typed);
    if (beginning_with(typed + 2) > 1)
        return cmd_complain(CMD_MISUSED, "decode",
            "'%s' is short for more than one option; 'mrc decode --help' lists them", typed);
    for (size_t i = 0; i < LONG_OPTION_COUNT; i++)
        names[i] = long_options[i].name;
    meant = nearest_word(typed + 2, names, LONG_OPTION_COUNT);
    if (meant)
        return cmd_complain(
            CMD_MISUSED, "decode", "there is no option '%s'; did you mean --%s?", typed, meant);
    return cmd_complain(
        CMD_MISUSED, "decode", "there is no option '%s'; 'mrc decode --help' lists them", typed);
}

static enum cmd_status read_number_option(struct decode_options *options, int option)
{
    enum cmd_status status;
    uint64_t number = 0;

    switch (option) {
    case 'c':
        return decode_knobs_number(
            "--count", optarg, (struct decode_range){ 1, UINT64_MAX }, &options->count_max);
    case OPTION_UPLINK_BITS:
        status =
            decode_knobs_number("--uplink-bits", optarg, (struct decode_range){ 1, 31 }, &number);
        plan_ev_set_width(&options->format, (uint32_t)number);
        return status;
    default:
        status = decode_knobs_number(
            "--nak-write-imm", optarg, (struct decode_range){ 0x60, 0x7f }, &number);
        options->format.nak_write_imm_limit = (uint8_t)number;
        return status;
    }
}

static enum cmd_status read_option(
    struct decode_options *options, int option, char **arguments, int *port_count)
{
    switch (option) {
    case 'v':
        options->form = DECODE_TREE;
        return CMD_DONE;
    case 'j':
        options->form = DECODE_JSON;
        return CMD_DONE;
    case 'a':
        options->shows_foreign = true;
        return CMD_DONE;
    case 'h':
        options->wants_help = true;
        return CMD_DONE;
    case OPTION_M_BEFORE_SE:
        options->format.m_before_se = true;
        return CMD_DONE;
    case OPTION_NO_ICRC:
        options->skips_icrc = true;
        return CMD_DONE;
    case OPTION_WRITE:
        options->write_path = optarg;
        return CMD_DONE;
    case OPTION_UDP_PORT:
        return decode_knobs_udp_port(&options->format, optarg, port_count);
    case OPTION_DSCP:
        return decode_knobs_dscp(&options->format, optarg);
    case OPTION_EV_ORDER:
        return decode_knobs_ev_order(&options->format, optarg);
    case ':':
        return cmd_complain(CMD_MISUSED, "decode", "'%s' wants a value; see 'mrc decode --help'",
            arguments[optind - 1]);
    case '?':
        return complain_option(arguments);
    default:
        return read_number_option(options, option);
    }
}

static enum cmd_status check(const struct decode_options *options)
{
    if (options->write_path && strcmp(options->write_path, "-") == 0)
        return cmd_complain(CMD_MISUSED, "decode",
            "--write wants the name of a file: standard output shows the packets");
    if (options->file_count == 0 && isatty(STDIN_FILENO))
        return cmd_complain(CMD_MISUSED, "decode",
            "which FILE? Or pipe packets into standard input; see 'mrc decode --help'");
    return decode_knobs_check(&options->format);
}

enum cmd_status decode_options_read(
    struct decode_options *options, int argument_count, char **arguments)
{
    int port_count = 0;
    int option;

    *options = (struct decode_options){ .format = format_default, .count_max = UINT64_MAX };
    opterr = 0;
    while ((option = getopt_long(argument_count, arguments, ":vjac:h", long_options, NULL)) != -1)
        if (read_option(options, option, arguments, &port_count) != CMD_DONE)
            return CMD_MISUSED;
    options->files = arguments + optind;
    options->file_count = argument_count - optind;
    return options->wants_help ? CMD_DONE : check(options);
}

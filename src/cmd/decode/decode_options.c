/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc decode. */
#include "cmd/decode/decode_options.h"

#include <getopt.h>
#include <string.h>

#include <unistd.h>

static enum cmd_status choose_tree(void *options, char *value)
{
    (void)value;
    ((struct decode_options *)options)->form = DECODE_TREE;
    return CMD_DONE;
}

static enum cmd_status choose_json(void *options, char *value)
{
    (void)value;
    ((struct decode_options *)options)->form = DECODE_JSON;
    return CMD_DONE;
}

#define AT(member) OPTION_AT(struct decode_options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_CALL, 'v', "verbose", NULL, "print every field of every header", .read = choose_tree },
    { OPTION_CALL, 'j', "json", NULL, "print JSON, one object per line", .read = choose_json },
    { OPTION_FLAG, 'a', "all", NULL, "also print frames that are not MRC", AT(shows_foreign) },
    { OPTION_NUMBER, 'c', "count", "N", "stop after N packets", AT(count_max), .least = 1 },
    { OPTION_TEXT, 0, "write", "FILE", "also write the printed packets to FILE, as pcapng", AT(write_path) },
    { OPTION_FLAG, 0, "no-icrc", NULL, "do not check the invariant CRC", AT(skips_icrc) },
    FORMAT_OPTION_ROWS,
};
/* clang-format on */

const struct option_table decode_option_table = {
    .command = "decode",
    .intro =
        "usage: mrc decode [OPTIONS] [FILE...]\n"
        "\n"
        "Prints MRC packets, and RoCEv2 packets on the same port, one per line. A FILE "
        "is a pcap\n"
        "or pcapng capture, or text with one packet per line in hex digits, from the IP header "
        "on. Without FILE,\n"
        "or with -, mrc decode reads standard input.",
    .closing =
        "Exit status: 0; 1 if a packet is malformed or an input could not be read; 2 for a wrong "
        "command\n"
        "line.\n"
        "\n"
        "  mrc decode capture.pcapng\n"
        "  tcpdump -i any -U -w - udp port 4791 | mrc decode\n"
        "  mrc decode -j capture.pcap | jq 'select(.seth) | .seth.missing'\n"
        "  mrc decode --write vectors.pcapng vectors.txt",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status check_options(const struct decode_options *options)
{
    if (options->write_path && strcmp(options->write_path, "-") == 0)
        return cmd_complain(CMD_MISUSED, "decode",
            "--write takes the name of a file; packets are printed to standard output");
    if (options->file_count == 0 && isatty(STDIN_FILENO))
        return cmd_complain(CMD_MISUSED, "decode",
            "name a FILE or pipe packets to standard input; see 'mrc decode --help'");
    return format_options_check(&options->wire);
}

bool decode_options_read(
    struct decode_options *options, int argument_count, char **arguments, enum cmd_status *status)
{
    *options = (struct decode_options){ .wire = { .command = "decode", .format = format_default },
        .count_max = UINT64_MAX };
    if (!options_read(&decode_option_table, options, argument_count, arguments, status))
        return false;
    options->files = arguments + optind;
    options->file_count = argument_count - optind;
    *status = check_options(options);
    return *status == CMD_DONE;
}

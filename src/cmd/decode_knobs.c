/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the knobs of the wire from text. */
#include "cmd/decode_knobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "files/files.h"

/* Decimal, or hexadecimal after 0x. */
static bool parse_number(const char *text, uint64_t *number)
{
    bool is_hex = strncmp(text, "0x", 2) == 0;
    const char *digits = is_hex ? text + 2 : text;
    char *end;

    if (!*digits ||
        strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789") < strlen(digits))
        return false;
    errno = 0;
    *number = strtoull(digits, &end, is_hex ? 16 : 10);
    return errno == 0;
}

enum cmd_status decode_knobs_number(
    const char *option, const char *text, struct decode_range range, uint64_t *number)
{
    if (parse_number(text, number) && *number >= range.least && *number <= range.most)
        return CMD_DONE;
    if (range.most == UINT64_MAX)
        return cmd_complain(CMD_MISUSED, "decode", "%s wants a number from %llu on, not '%s'",
            option, (unsigned long long)range.least, text);
    return cmd_complain(CMD_MISUSED, "decode", "%s wants a number from %llu to %llu, not '%s'",
        option, (unsigned long long)range.least, (unsigned long long)range.most, text);
}

enum cmd_status decode_knobs_udp_port(struct wire_format *format, const char *text, int *port_count)
{
    uint64_t port = 0;

    if (decode_knobs_number("--udp-port", text, (struct decode_range){ 1, UINT16_MAX }, &port) !=
        CMD_DONE)
        return CMD_MISUSED;
    switch ((*port_count)++) {
    case 0:
        format->udp_port = (uint16_t)port;
        format->udp_port_also = 0;
        return CMD_DONE;
    case 1:
        format->udp_port_also = (uint16_t)port;
        return CMD_DONE;
    default:
        return cmd_complain(CMD_MISUSED, "decode", "--udp-port may be given twice at most");
    }
}

static enum cmd_status complain_class(const char *typed)
{
    const char *names[DSCP_OTHER];
    const char *meant;

    for (int class = 0; class < DSCP_OTHER; class ++)
        names[class] = decode_words_class((enum dscp_class) class);
    meant = nearest_word(typed, names, DSCP_OTHER);
    if (meant)
        return cmd_complain(
            CMD_MISUSED, "decode", "--dscp knows no '%s'; did you mean '%s'?", typed, meant);
    return cmd_complain(CMD_MISUSED, "decode",
        "--dscp knows no '%s', only no_trim, trimmable, trimmable_retx, trimmed, "
        "trimmed_lasthop and control",
        typed);
}

static enum cmd_status read_code_point(struct wire_format *format, char *assignment)
{
    char *equals = strchr(assignment, '=');
    uint64_t value = 0;
    int class = 0;

    if (!equals)
        return cmd_complain(
            CMD_MISUSED, "decode", "--dscp wants NAME=NUMBER, not '%s'", assignment);
    *equals = '\0';
    while (
        class < DSCP_OTHER && strcmp(decode_words_class((enum dscp_class) class), assignment) != 0)
        class ++;
    if (class == DSCP_OTHER)
        return complain_class(assignment);
    if (decode_knobs_number("--dscp", equals + 1, (struct decode_range){ 0, 63 }, &value) !=
        CMD_DONE)
        return CMD_MISUSED;
    format->dscp[class] = (uint8_t)value;
    return CMD_DONE;
}

enum cmd_status decode_knobs_dscp(struct wire_format *format, char *text)
{
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
        if (read_code_point(format, word) != CMD_DONE)
            return CMD_MISUSED;
    return CMD_DONE;
}

enum cmd_status decode_knobs_check(const struct wire_format *format)
{
    for (int class = 0; class < DSCP_OTHER; class ++)
        for (int trimmed = DSCP_TRIMMED; trimmed <= DSCP_TRIMMED_LASTHOP; trimmed++)
            if (!dscp_is_trimmed((enum dscp_class) class) &&
                format->dscp[class] == format->dscp[trimmed])
                return cmd_complain(CMD_MISUSED, "decode",
                    "--dscp: %s and %s are both %u, so trimmed packets could not be told",
                    decode_words_class((enum dscp_class) class),
                    decode_words_class((enum dscp_class)trimmed), format->dscp[class]);
    return CMD_DONE;
}

enum cmd_status decode_knobs_ev_order(struct wire_format *format, const char *text)
{
    format->source_port_high = strcmp(text, "source-port") == 0;
    if (format->source_port_high || strcmp(text, "flow-label") == 0)
        return CMD_DONE;
    return cmd_complain(
        CMD_MISUSED, "decode", "--ev-order is flow-label or source-port, not '%s'", text);
}

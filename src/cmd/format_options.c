/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of the wire format from text. */
#include "cmd/format_options.h"

#include <string.h>

#include "decode/decode.h"
#include "files/files.h"
#include "plan/plan.h"

enum cmd_status format_options_udp_port(void *options, char *text)
{
    struct format_options *chosen = options;
    struct wire_format *format = &chosen->format;
    uint64_t port = 0;

    if (options_number(chosen->command, "--udp-port", text, (struct option_range){ 1, UINT16_MAX },
            &port) != CMD_DONE)
        return CMD_MISUSED;
    switch (chosen->port_count++) {
    case 0:
        format->udp_port = (uint16_t)port;
        format->udp_port_also = 0;
        return CMD_DONE;
    case 1:
        format->udp_port_also = (uint16_t)port;
        return CMD_DONE;
    default:
        return cmd_complain(CMD_MISUSED, chosen->command, "--udp-port may be given at most twice");
    }
}

enum cmd_status format_options_ev_width(void *options, char *text)
{
    uint64_t bits = 0;
    enum cmd_status status = options_number(((struct format_options *)options)->command,
        "--uplink-bits", text, (struct option_range){ 1, 31 }, &bits);

    if (status == CMD_DONE)
        plan_ev_set_width(&((struct format_options *)options)->format, (uint32_t)bits);
    return status;
}

static enum cmd_status complain_class(const char *command, const char *typed)
{
    const char *names[DSCP_OTHER];
    const char *meant;

    for (int class = 0; class < DSCP_OTHER; class ++)
        names[class] = decode_words_class((enum dscp_class) class);
    meant = nearest_word(typed, names, DSCP_OTHER);
    if (meant)
        return cmd_complain(
            CMD_MISUSED, command, "--dscp has no name '%s'; did you mean '%s'?", typed, meant);
    return cmd_complain(CMD_MISUSED, command,
        "--dscp has no name '%s'; names: no_trim, trimmable, trimmable_retx, trimmed, "
        "trimmed_lasthop, control",
        typed);
}

static enum cmd_status read_code_point(struct format_options *options, char *assignment)
{
    char *equals = strchr(assignment, '=');
    uint64_t value = 0;
    int class = 0;

    if (!equals)
        return cmd_complain(
            CMD_MISUSED, options->command, "--dscp takes NAME=NUMBER, not '%s'", assignment);
    *equals = '\0';
    while (
        class < DSCP_OTHER && strcmp(decode_words_class((enum dscp_class) class), assignment) != 0)
        class ++;
    if (class == DSCP_OTHER)
        return complain_class(options->command, assignment);
    if (options_number(options->command, "--dscp", equals + 1, (struct option_range){ 0, 63 },
            &value) != CMD_DONE)
        return CMD_MISUSED;
    options->format.dscp[class] = (uint8_t)value;
    return CMD_DONE;
}

enum cmd_status format_options_dscp(void *options, char *text)
{
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
        if (read_code_point(options, word) != CMD_DONE)
            return CMD_MISUSED;
    return CMD_DONE;
}

enum cmd_status format_options_check(const struct format_options *options)
{
    const struct wire_format *format = &options->format;

    for (int class = 0; class < DSCP_OTHER; class ++)
        for (int trimmed = DSCP_TRIMMED; trimmed <= DSCP_TRIMMED_LASTHOP; trimmed++)
            if (!dscp_is_trimmed((enum dscp_class) class) &&
                format->dscp[class] == format->dscp[trimmed])
                return cmd_complain(CMD_MISUSED, options->command,
                    "--dscp: %s and %s are both %u, so trimmed packets cannot be recognised",
                    decode_words_class((enum dscp_class) class),
                    decode_words_class((enum dscp_class)trimmed), format->dscp[class]);
    return CMD_DONE;
}

enum cmd_status format_options_ev_order(void *options, char *text)
{
    struct wire_format *format = &((struct format_options *)options)->format;

    format->source_port_high = strcmp(text, "source-port") == 0;
    if (format->source_port_high || strcmp(text, "flow-label") == 0)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, ((struct format_options *)options)->command,
        "--ev-order takes flow-label or source-port, not '%s'", text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The options that set the wire format. They are the first member of the options of a command. */
#pragma once

#include "cmd/options.h"
#include "wire/format.h"

struct format_options {
    const char *command; /* for messages */
    struct wire_format format;
    uint32_t port_count; /* the number of --udp-port options read so far */
};

/* These read an option. They return CMD_DONE, or CMD_MISUSED after an error message. */

/* The first call sets the port, the second call an additional port. */
enum cmd_status format_options_udp_port(void *options, char *text);

/* Reads "trimmed=12,control=46". Modifies `text`. */
enum cmd_status format_options_dscp(void *options, char *text);
enum cmd_status format_options_ev_order(void *options, char *text);
enum cmd_status format_options_ev_width(void *options, char *text);

/* Refuses equal code points: only its code point identifies a trimmed packet. */
enum cmd_status format_options_check(const struct format_options *);

/* clang-format off */
#define FORMAT_OPTION_ROWS \
    { OPTION_HEADING, .help = "\nSettings that the operator chooses or the specification leaves open (defaults in brackets):" }, \
    { OPTION_CALL, 0, "udp-port", "N", "the UDP port; may be given twice, then both are accepted [4791 4971]", \
        .read = format_options_udp_port, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 0, "dscp", "NAME=N,...", "code points [no_trim=0,trimmable=4,trimmable_retx=8,trimmed=12,\n" \
        "trimmed_lasthop=16,control=46]", .read = format_options_dscp, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 0, "ev-order", "WHICH", "the field with the high half of an EV: flow-label or source-port\n" \
        "[flow-label]", .read = format_options_ev_order, .values = OPTION_VALUES_NONE }, \
    { OPTION_CALL, 0, "uplink-bits", "N", "width of the uplink in an EV; the plane is in the bits above it [8]", \
        .read = format_options_ev_width, .values = OPTION_VALUES_NONE }, \
    { OPTION_FLAG, 0, "m-before-se", NULL, "the second byte of BTH begins with M followed by SE", \
        OPTION_AT(struct format_options, format.m_before_se) }, \
    { OPTION_NUMBER, 0, "nak-write-imm", "N", "syndrome of the NAK for too many WriteImm in flight [0x65]", \
        OPTION_AT(struct format_options, format.nak_write_imm_limit), .least = 0x60, .most = 0x7f }
/* clang-format on */

/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc decode that set knobs of the wire. They take a struct decode_options, and
 * return CMD_DONE, or CMD_MISUSED after a complaint. */
#pragma once

#include "cmd/cmd.h"
#include "wire/format.h"

/* The first call sets the port, the second the port that is accepted, too. */
enum cmd_status decode_knobs_udp_port(void *options, char *text);

/* "trimmed=12,control=46"; `text` is cut into pieces. */
enum cmd_status decode_knobs_dscp(void *options, char *text);
enum cmd_status decode_knobs_ev_order(void *options, char *text);
enum cmd_status decode_knobs_ev_width(void *options, char *text);

/* Refuses knobs that contradict each other: a trimmed packet is known by its code point alone. */
enum cmd_status decode_knobs_check(const struct wire_format *);

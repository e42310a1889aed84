/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc decode that set the wire format. `options` is a struct decode_options. The
 * functions return CMD_DONE, or CMD_MISUSED after an error message. */
#pragma once

#include "cmd/cmd.h"
#include "wire/format.h"

/* The first call sets the port, the second call an additional port. */
enum cmd_status decode_knobs_udp_port(void *options, char *text);

/* Reads "trimmed=12,control=46". Modifies `text`. */
enum cmd_status decode_knobs_dscp(void *options, char *text);
enum cmd_status decode_knobs_ev_order(void *options, char *text);
enum cmd_status decode_knobs_ev_width(void *options, char *text);

/* Refuses equal code points: only its code point identifies a trimmed packet. */
enum cmd_status decode_knobs_check(const struct wire_format *);

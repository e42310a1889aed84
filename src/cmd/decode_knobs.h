/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc decode that set knobs of the wire. All yield CMD_DONE, or CMD_MISUSED after
 * saying what is wrong. */
#pragma once

#include <stdint.h>

#include "cmd/cmd.h"
#include "wire/format.h"

struct decode_range {
    uint64_t least;
    uint64_t most; /* UINT64_MAX: no limit */
};

/* Decimal, or hexadecimal after 0x. */
enum cmd_status decode_knobs_number(
    const char *option, const char *text, struct decode_range, uint64_t *number);

/* The first call sets the port, the second the port accepted too; `port_count` begins as 0. */
enum cmd_status decode_knobs_udp_port(struct wire_format *, const char *text, int *port_count);

/* "trimmed=12,control=46"; `text` is cut into pieces. */
enum cmd_status decode_knobs_dscp(struct wire_format *, char *text);
enum cmd_status decode_knobs_ev_order(struct wire_format *, const char *text);

/* Refuses knobs that contradict each other: a trimmed packet is known by its code point alone. */
enum cmd_status decode_knobs_check(const struct wire_format *);

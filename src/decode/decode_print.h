/* SPDX-License-Identifier: Apache-2.0 */
/* Prints packets as text, in three forms. */
#pragma once

#include <stdio.h>

#include "decode/decode_packet.h"

struct decode_item {
    const struct decode_packet *packet;
    const char *file;
    uint64_t number;  /* from 1 */
    const char *name; /* of a hex line; NULL: none */
    bool has_time;
    uint64_t time_ns;
    uint64_t first_time_ns; /* of the first packet */
};

/* Widths of the columns, which grow with their contents. Initially zero. */
struct decode_columns {
    int label;
    int addresses;
    int path;
    int opcode;
};

void decode_print_line(FILE *to, const struct decode_item *, struct decode_columns *);
void decode_print_tree(FILE *to, const struct decode_item *);

/* Prints one object on a line. */
void decode_print_json(FILE *to, const struct decode_item *);

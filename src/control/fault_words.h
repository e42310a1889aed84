/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the words of a fault on a command line to a request to a fabric:
 *
 *     WHAT WHERE HOW [PARAMETER...] [direction up|down] [for TIME]
 *     link p0.t0.3-t1.2 flap 10ms 50% for 2s */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "control/request_line.h"

#define FAULT_WORDS_REASON_BYTES 256

struct fault_words {
    char **next;
    int left;
    uint64_t rate_bps_min; /* lowest rate of a link that is made slow */
};

/* The first words of a fault: link, port, ..., and also clear and run, which the caller handles.
 * Ends with NULL. */
extern const char *const fault_words_first[];

/* Writes the request. Returns false if the words are wrong; the reason says which. */
bool fault_words_read(
    struct fault_words *, struct request_line *request, char reason[FAULT_WORDS_REASON_BYTES]);

/* Prints a line for each kind of fault, with its parameters and an example. */
void fault_words_print_kinds(FILE *);

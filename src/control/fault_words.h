/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a fault on a command line, as a request to a fabric:
 *
 *     WHAT WHERE HOW [PARAMETER...] [direction up|down] [for TIME]
 *     link p0.t0.3-t1.2 flap 10ms 50% for 2s */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define FAULT_WORDS_REASON_BYTES 256

struct fault_words {
    char **next;
    int left;
    uint64_t rate_bps_min; /* of a link that is made slow */
};

/* With which words a fault begins: link, port, ..., and clear and run, which stand alone and which
 * the caller reads. Ends with NULL. */
extern const char *const fault_words_first[];

/* Fills in an empty request. False: the words are wrong, and the reason says which. */
bool fault_words_read(struct fault_words *, json_t *request, char reason[FAULT_WORDS_REASON_BYTES]);

/* A line for each kind of fault with its parameters and an example. */
void fault_words_print_kinds(FILE *);

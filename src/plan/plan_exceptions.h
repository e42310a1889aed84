/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a fabric without a graph, some of whose links are missing or slower, as a text that
 * the NICs of a running fabric read. A line of sizes comes first, then a line for each such link:
 *
 *     fabric COUNT... BLOCK HOST-BPS HOST-DELAY-PS UPLINK-BPS UPLINK-DELAY-PS EXCEPTIONS
 *     exception NAME MISSING RATE-BPS
 *
 * The counts are those of topology_counts; a rate of 0 is the usual one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

struct plan;

#define PLAN_EXCEPTIONS_LINE_BYTES 256

/* Returns the number of links that are missing or slower; 0 for graphs. */
uint32_t plan_exceptions_count(const struct plan *);
/* Writes line `number` with its newline. Returns false if there are no more lines. */
bool plan_exceptions_line(
    const struct plan *, uint32_t number, char out[static PLAN_EXCEPTIONS_LINE_BYTES]);

/* Returns the number of exceptions of a text. False: the text does not have this form. */
bool plan_exceptions_size(const char *text, uint32_t *count);
/* Reads a text of this size and makes its plan, like plan_init(). `exceptions` has room for twice
 * the number of exceptions and must outlive the plan. Returns false if the text is wrong. */
bool plan_exceptions_read(const char *text, struct topology_exception *exceptions, struct plan *);

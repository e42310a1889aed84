/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a graph as a text of numbers, which the NICs of a running fabric read. A line of
 * sizes comes first, then one line for each switch and each link, in the order of the graph:
 *
 *     graph NICS SWITCHES LINKS BLOCK DETOUR NIC-LATENCY-PS SWITCH-LATENCY-PS
 *     switch TIER PLANE INDEX
 *     link NODE PORT NODE PORT RATE-BPS DELAY-PS */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

struct plan;

#define PLAN_TEXT_LINE_BYTES 176

/* Writes line `number` with its newline. Returns false if there are no more lines. */
bool plan_text_line(const struct plan *, uint32_t number, char out[static PLAN_TEXT_LINE_BYTES]);

/* Returns false if the text does not have this form. */
bool plan_text_size(const char *text, struct graph_size *);
/* Reads a text of this size into a graph from graph_init() and makes its plan, like
 * plan_init_graph(). Returns false if the text is wrong. */
bool plan_text_read(const char *text, struct graph *, uint32_t *scratch, struct plan *);

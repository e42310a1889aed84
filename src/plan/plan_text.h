/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a graph as a text of numbers, which the NICs of a running fabric read. A line of
 * sizes comes first, then a line for each switch and each link, as the graph has them:
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

/* Writes line `number` and its end. False: there are no more. */
bool plan_text_line(const struct plan *, uint32_t number, char out[static PLAN_TEXT_LINE_BYTES]);

/* False: this is no such text. */
bool plan_text_size(const char *text, struct graph_size *);
/* Reads a text of this size into a graph from graph_init(), and plans it; as plan_init_graph().
 * False: something in it is wrong. */
bool plan_text_read(const char *text, struct graph *, uint32_t *scratch, struct plan *);

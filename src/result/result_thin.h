/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds the size of a run, so that thousands of runs can be kept. */
#pragma once

#include <stdint.h>

#include <jansson.h>

/* The most events, faults, and names in one list of components. */
#define RESULT_THIN_EVENTS 100
#define RESULT_THIN_FAULTS 100
#define RESULT_THIN_NAMES  8

/* Changes a "runs" entry: consecutive samples are combined until each series has at most `points`
 * values, and the first events and faults are kept. Summary and hash stay those of the whole
 * run. */
void result_thin(json_t *run, uint32_t points);

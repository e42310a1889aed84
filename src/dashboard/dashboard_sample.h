/* SPDX-License-Identifier: Apache-2.0 */
/* The load and health of links and planes between two answers to the request `links` of a
 * fabric. */
#pragma once

#include <jansson.h>

/* Sets "planes", "links" and "interval_ms" of a sample. `before` is NULL for the first sample,
 * which has no rates. Answers with a wrong shape make a sample without links. */
void dashboard_sample_links(
    json_t *sample, const json_t *layout, const json_t *before, const json_t *now);

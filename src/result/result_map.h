/* SPDX-License-Identifier: Apache-2.0 */
/* Localisation as JSON and as lines: mrc-map(1). */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "map/map.h"

/* Returns the figures of a map. `period_us` gives its periods a time. */
json_t *result_map(const struct map *, double period_us);
/* Prints such figures, each verdict in one line. */
void result_map_print(FILE *, const json_t *map);

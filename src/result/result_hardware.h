/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware in the result: as JSON, and as a line of the table. */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "hardware/hardware.h"

/* Returns the presets and every setting that is not ideal. */
json_t *result_hardware(const struct hardware *);

/* Prints the presets and names the values that are assumed. Prints nothing for the default. */
void result_hardware_print(FILE *, const json_t *);

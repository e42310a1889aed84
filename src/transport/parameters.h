/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of parameters.def as a struct, and by name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct parameters {
#define PARAMETER(name, unit, default_value, minimum, maximum, help) uint64_t name;
#define CHOICE(name, default_value, choices, help)                   uint64_t name;
#include "transport/parameters.def"
#undef PARAMETER
#undef CHOICE
};

struct parameter_description {
    const char *name;
    const char *unit;    /* NULL for a choice */
    const char *choices; /* "first|second|...", NULL for a number */
    const char *help;
    uint64_t default_value;
    uint64_t minimum;
    uint64_t maximum;
};

extern const struct parameter_description parameter_descriptions[];
extern const uint32_t parameter_count;

void parameters_init(struct parameters *);

/* The index of a name of `name_length` characters; parameter_count when there is none. */
uint32_t parameters_find(const char *name, uint32_t name_length);

enum parameters_error {
    PARAMETERS_OK,
    PARAMETERS_UNKNOWN,
    PARAMETERS_NOT_A_NUMBER, /* or not one of its choices */
    PARAMETERS_OUT_OF_RANGE,
};

/* From text: a choice by its word; a number in the parameter's unit, or with a unit of its own (ns
 * us ms s; KiB MiB for bytes; k M G for rates). Nothing changes unless the result is PARAMETERS_OK.
 */
enum parameters_error parameters_set(struct parameters *, const char *name, const char *value);

uint64_t parameters_get(const struct parameters *, uint32_t index);

/* The word of a choice's value, not terminated; its length in *length. */
const char *parameters_choice(uint32_t index, uint64_t value, uint32_t *length);

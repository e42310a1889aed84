/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of parameters.def as a struct, and by name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct parameters {
#define PARAMETER(name, unit, default_value, minimum, maximum, help)          uint64_t name;
#define TIMER(name, unit, hardware, software, tenths, minimum, maximum, help) uint64_t name;
#define CHOICE(name, default_value, help)                                     uint64_t name;
#define VALUE(choice, identifier, word)
#include "transport/parameters.def"
#undef PARAMETER
#undef TIMER
#undef CHOICE
#undef VALUE
};

/* The values of each choice: enum parameter_timers { TIMERS_HARDWARE, ... } and so on. */
#define PARAMETER(name, unit, default_value, minimum, maximum, help)
#define TIMER(name, unit, hardware, software, tenths, minimum, maximum, help)
#define CHOICE(name, default_value, help)                                                          \
    }                                                                                              \
    ;                                                                                              \
    enum parameter_##name                                                                          \
    {
#define VALUE(choice, identifier, word) identifier,
enum parameter_choices {
    PARAMETER_CHOICES, /* an enum must not be empty; the values of the choices follow */
#include "transport/parameters.def"
};
#undef PARAMETER
#undef TIMER
#undef CHOICE
#undef VALUE

/* The lower bound of a timer, in tenths of a base RTT: PARAMETER_TENTHS_timeout and so on. */
enum parameter_tenths {
#define PARAMETER(name, unit, default_value, minimum, maximum, help)
#define TIMER(name, unit, hardware, software, tenths, minimum, maximum, help)                      \
    PARAMETER_TENTHS_##name = (tenths),
#define CHOICE(name, default_value, help)
#define VALUE(choice, identifier, word)
#include "transport/parameters.def"
#undef PARAMETER
#undef TIMER
#undef CHOICE
#undef VALUE
};

static inline uint64_t parameters_longer_ns(
    uint64_t value_ns, enum parameter_tenths tenths, uint32_t base_rtt_ns)
{
    uint64_t least_ns = (uint64_t)base_rtt_ns * (uint64_t)tenths / 10;

    return value_ns > least_ns ? value_ns : least_ns;
}

/* Returns the time of a timer for this base RTT. */
#define PARAMETERS_TIMER_NS(parameters, name, base_rtt_ns)                                         \
    parameters_longer_ns((parameters)->name, PARAMETER_TENTHS_##name, base_rtt_ns)

struct parameter_description {
    const char *name;
    const char *unit;           /* NULL for a choice */
    const char *const *choices; /* its words, then NULL; NULL for a number */
    const char *help;
    uint64_t default_value;  /* of a timer: the value for hardware */
    uint64_t software_value; /* of a timer: the value for software; otherwise the default */
    uint64_t minimum;
    uint64_t maximum;
};

extern const struct parameter_description parameter_descriptions[];
extern const uint32_t parameter_count;

/* Sets all parameters to their defaults, with the timers of the profile `timers`. */
void parameters_init(struct parameters *, enum parameter_timers timers);

/* Returns the index of the parameter with this name of `name_length` characters; parameter_count if
 * there is none. */
uint32_t parameters_find(const char *name, uint32_t name_length);

enum parameters_error {
    PARAMETERS_OK,
    PARAMETERS_UNKNOWN,
    PARAMETERS_NOT_A_NUMBER, /* or not a value of the choice */
    PARAMETERS_OUT_OF_RANGE,
};

/* Sets a parameter from text: a choice by its word; a number in the unit of the parameter, or
 * followed by a unit (ns us ms s; KiB MiB for bytes; k M G for rates). Changes nothing unless it
 * returns PARAMETERS_OK. `timers` sets all timers and must therefore come before timers that are
 * set individually. */
enum parameters_error parameters_set(struct parameters *, const char *name, const char *value);

uint64_t parameters_get(const struct parameters *, uint32_t index);

/* Returns the word for a value of a choice; NULL: it has no such value. */
const char *parameters_choice(uint32_t index, uint64_t value);

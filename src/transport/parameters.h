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
    PARAMETER_CHOICES, /* an enum must not be empty: this one ends where the first choice begins */
#include "transport/parameters.def"
};
#undef PARAMETER
#undef TIMER
#undef CHOICE
#undef VALUE

/* The least a timer waits, in tenths of a base RTT: PARAMETER_TENTHS_timeout and so on. */
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

/* How long a timer waits where the base RTT is this. */
#define PARAMETERS_TIMER_NS(parameters, name, base_rtt_ns)                                         \
    parameters_longer_ns((parameters)->name, PARAMETER_TENTHS_##name, base_rtt_ns)

struct parameter_description {
    const char *name;
    const char *unit;           /* NULL for a choice */
    const char *const *choices; /* its words, then NULL; NULL for a number */
    const char *help;
    uint64_t default_value;  /* of a timer: for hardware */
    uint64_t software_value; /* of a timer; else the same */
    uint64_t minimum;
    uint64_t maximum;
};

extern const struct parameter_description parameter_descriptions[];
extern const uint32_t parameter_count;

/* `timers`: which of the two sets of timers. */
void parameters_init(struct parameters *, enum parameter_timers timers);

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
 * `timers` sets all timers: it must come before those that shall differ. */
enum parameters_error parameters_set(struct parameters *, const char *name, const char *value);

uint64_t parameters_get(const struct parameters *, uint32_t index);

/* The word of a choice's value; NULL: it has no such value. */
const char *parameters_choice(uint32_t index, uint64_t value);

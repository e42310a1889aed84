/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and sets parameters by name. */
#include "transport/parameters.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The words of each choice: choice_timers[] and so on. */
#define PARAMETER(name, unit, default_value, minimum, maximum, help)
#define TIMER(name, unit, hardware, software, tenths, minimum, maximum, help)
#define CHOICE(name, default_value, help)                                                          \
    NULL                                                                                           \
    }                                                                                              \
    ;                                                                                              \
    static const char *const choice_##name[] = {
#define VALUE(choice, identifier, word) word,
__attribute__((unused)) static const char *const choice_none[] = {
#include "transport/parameters.def"
    NULL
};
#undef PARAMETER
#undef TIMER
#undef CHOICE
#undef VALUE

const struct parameter_description parameter_descriptions[] = {
#define PARAMETER(name, unit, default_value, minimum, maximum, help)                               \
    { #name, #unit, NULL, help, default_value, default_value, minimum, maximum },
#define TIMER(name, unit, hardware, software, tenths, minimum, maximum, help)                      \
    { #name, #unit, NULL, help, hardware, software, minimum, maximum },
#define CHOICE(name, default_value, help)                                                          \
    { #name, NULL, choice_##name, help, default_value, default_value, 0, 0 },
#define VALUE(choice, identifier, word)
#include "transport/parameters.def"
#undef PARAMETER
#undef TIMER
#undef CHOICE
#undef VALUE
};

const uint32_t parameter_count = sizeof(parameter_descriptions) / sizeof(parameter_descriptions[0]);

_Static_assert(sizeof(struct parameters) ==
                   sizeof(parameter_descriptions) / sizeof(parameter_descriptions[0]) * 8,
    "a parameter is found at its index");

static uint64_t *value_at(struct parameters *parameters, uint32_t index)
{
    return (uint64_t *)parameters + index;
}

static uint32_t length_of(const char *text)
{
    uint32_t length = 0;

    while (text[length])
        length++;
    return length;
}

void parameters_init(struct parameters *parameters, enum parameter_timers timers)
{
    for (uint32_t i = 0; i < parameter_count; i++)
        *value_at(parameters, i) = timers == TIMERS_SOFTWARE
                                       ? parameter_descriptions[i].software_value
                                       : parameter_descriptions[i].default_value;
    parameters->timers = timers;
}

static void set_timers(struct parameters *parameters)
{
    struct parameters fresh;

    parameters_init(&fresh, (enum parameter_timers)parameters->timers);
    for (uint32_t i = 0; i < parameter_count; i++)
        if (parameter_descriptions[i].default_value != parameter_descriptions[i].software_value)
            *value_at(parameters, i) = *value_at(&fresh, i);
}

uint64_t parameters_get(const struct parameters *parameters, uint32_t index)
{
    assert(index < parameter_count);
    return ((const uint64_t *)parameters)[index];
}

uint32_t parameters_find(const char *name, uint32_t name_length)
{
    uint32_t index = 0;

    while (index < parameter_count &&
           (length_of(parameter_descriptions[index].name) != name_length ||
               memcmp(parameter_descriptions[index].name, name, name_length) != 0))
        index++;
    return index;
}

const char *parameters_choice(uint32_t index, uint64_t value)
{
    const char *const *words = parameter_descriptions[index].choices;

    for (; *words && value > 0; value--)
        words++;
    return *words;
}

static enum parameters_error parse_choice(uint32_t index, const char *text, uint64_t *value)
{
    const char *word;

    for (*value = 0; (word = parameters_choice(index, *value)) != NULL; ++*value)
        if (length_of(word) == length_of(text) && memcmp(word, text, length_of(text)) == 0)
            return PARAMETERS_OK;
    return PARAMETERS_NOT_A_NUMBER;
}

/* Returns the factor of a suffix; 0: not a suffix of this unit. */
static uint64_t factor_of(const char *unit, const char *suffix)
{
    static const struct {
        const char *unit;
        const char *suffix;
        uint64_t factor;
    } factors[] = {
        { "ns", "ns", 1 },
        { "ns", "us", 1000 },
        { "ns", "ms", 1000000 },
        { "ns", "s", 1000000000 },
        { "bytes", "KiB", 1024 },
        { "bytes", "MiB", 1048576 },
        { "bit/s", "k", 1000 },
        { "bit/s", "M", 1000000 },
        { "bit/s", "G", 1000000000 },
    };
    uint32_t length = length_of(suffix) + 1;

    if (length == 1)
        return 1;
    for (uint32_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
        if (length_of(factors[i].unit) == length_of(unit) &&
            memcmp(factors[i].unit, unit, length_of(unit)) == 0 &&
            length_of(factors[i].suffix) + 1 == length &&
            memcmp(factors[i].suffix, suffix, length) == 0)
            return factors[i].factor;
    return 0;
}

static enum parameters_error parse_number(
    const struct parameter_description *description, const char *text, uint64_t *value)
{
    uint64_t number = 0;
    uint64_t factor;
    const char *at_digit = text;

    for (; *at_digit >= '0' && *at_digit <= '9'; at_digit++) {
        if (number > (UINT64_MAX - 9) / 10)
            return PARAMETERS_OUT_OF_RANGE;
        number = number * 10 + (uint64_t)(*at_digit - '0');
    }
    factor = factor_of(description->unit, at_digit);
    if (at_digit == text || factor == 0)
        return PARAMETERS_NOT_A_NUMBER;
    if (number > UINT64_MAX / factor)
        return PARAMETERS_OUT_OF_RANGE;
    *value = number * factor;
    return *value >= description->minimum && *value <= description->maximum
               ? PARAMETERS_OK
               : PARAMETERS_OUT_OF_RANGE;
}

/* Some parameters allow only certain numbers of their range. */
static bool is_possible(uint32_t index, uint64_t number)
{
    bool is_pmtu = index == offsetof(struct parameters, pmtu) / sizeof(uint64_t);

    return !is_pmtu || (number & (number - 1)) == 0;
}

enum parameters_error parameters_set(
    struct parameters *parameters, const char *name, const char *value)
{
    uint32_t index = parameters_find(name, length_of(name));
    enum parameters_error error;
    uint64_t number = 0;

    if (index == parameter_count)
        return PARAMETERS_UNKNOWN;
    error = parameter_descriptions[index].choices
                ? parse_choice(index, value, &number)
                : parse_number(&parameter_descriptions[index], value, &number);
    if (error == PARAMETERS_OK && !is_possible(index, number))
        error = PARAMETERS_OUT_OF_RANGE;
    if (error != PARAMETERS_OK)
        return error;
    *value_at(parameters, index) = number;
    if (index == offsetof(struct parameters, timers) / sizeof(uint64_t))
        set_timers(parameters);
    return PARAMETERS_OK;
}

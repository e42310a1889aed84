/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters by name: every one of them, in every form a file or a command line may give. */
#include "spec.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "transport/parameters.h"

static uint32_t find(const char *name)
{
    return parameters_find(name, (uint32_t)strlen(name));
}

static enum parameters_error set_number(
    struct parameters *parameters, uint32_t index, uint64_t value, const char *suffix)
{
    char text[48];

    snprintf(text, sizeof(text), "%" PRIu64 "%s", value, suffix);
    return parameters_set(parameters, parameter_descriptions[index].name, text);
}

static uint32_t choice_count(uint32_t index)
{
    uint32_t count = 0;

    while (parameters_choice(index, count))
        count++;
    return count;
}

/* ---- the list ------------------------------------------------------------------------------- */

SPEC("the member of a parameter and its description have the same index")
{
    struct parameters parameters;
    uint32_t index = 0;

    memset(&parameters, 0, sizeof(parameters));
#define EXPECT_DESCRIBED(name_, hardware_, software_)                                              \
    parameters.name_ = 1000 + index;                                                               \
    EXPECT_STR_EQ(parameter_descriptions[index].name, #name_);                                     \
    EXPECT_EQ(parameter_descriptions[index].default_value, hardware_);                             \
    EXPECT_EQ(parameter_descriptions[index].software_value, software_);                            \
    EXPECT_EQ(parameters_get(&parameters, index), 1000 + index);                                   \
    index++;
#define TIMER(name_, unit_, hardware_, software_, tenths_, minimum_, maximum_, help_)              \
    EXPECT_STR_EQ(parameter_descriptions[index].unit, #unit_);                                     \
    EXPECT(!parameter_descriptions[index].choices);                                                \
    EXPECT_EQ(parameter_descriptions[index].minimum, minimum_);                                    \
    EXPECT_EQ(parameter_descriptions[index].maximum, maximum_);                                    \
    EXPECT_EQ(PARAMETER_TENTHS_##name_, tenths_);                                                  \
    EXPECT_DESCRIBED(name_, hardware_, software_)
#define PARAMETER(name_, unit_, default_, minimum_, maximum_, help_)                               \
    EXPECT_STR_EQ(parameter_descriptions[index].unit, #unit_);                                     \
    EXPECT(!parameter_descriptions[index].choices);                                                \
    EXPECT_EQ(parameter_descriptions[index].minimum, minimum_);                                    \
    EXPECT_EQ(parameter_descriptions[index].maximum, maximum_);                                    \
    EXPECT_DESCRIBED(name_, default_, default_)
#define CHOICE(name_, default_, help_)                                                             \
    EXPECT(!parameter_descriptions[index].unit);                                                   \
    EXPECT(parameter_descriptions[index].choices);                                                 \
    EXPECT_DESCRIBED(name_, default_, default_)
#define VALUE(choice_, identifier_, word_)                                                         \
    EXPECT_STR_EQ(parameters_choice(index - 1, identifier_), word_);
#include "transport/parameters.def"
#undef TIMER
#undef PARAMETER
#undef CHOICE
#undef VALUE
    EXPECT_EQ(index, parameter_count);
}

SPEC("names are unique lower case words, each with one line of help")
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const struct parameter_description *description = &parameter_descriptions[i];

        EXPECT_GT(strlen(description->name), 0);
        EXPECT_EQ(strspn(description->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
            strlen(description->name));
        EXPECT_GT(strlen(description->help), 5);
        EXPECT(!strchr(description->help, '\n'));
        EXPECT_NE(description->help[strlen(description->help) - 1], '.');
        for (uint32_t k = 0; k < i; k++)
            EXPECT(strcmp(description->name, parameter_descriptions[k].name) != 0);
    }
}

SPEC("every default lies in its range, or is one of its choices")
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const struct parameter_description *description = &parameter_descriptions[i];

        if (description->choices) {
            EXPECT_LT(description->default_value, choice_count(i));
        } else {
            EXPECT_LE(description->minimum, description->default_value);
            EXPECT_LE(description->default_value, description->maximum);
            EXPECT_LE(description->minimum, description->software_value);
            EXPECT_LE(description->software_value, description->maximum);
        }
    }
}

SPEC("where 0 stands for another value, 0 is in the range")
{
    for (uint32_t i = 0; i < parameter_count; i++)
        if (strstr(parameter_descriptions[i].help, "; 0: "))
            EXPECT_EQ(parameter_descriptions[i].minimum, 0);
}

SPEC("§23: a parameter that is not set has the default of the table")
{
    struct parameters parameters;

    memset(&parameters, 0xa5, sizeof(parameters));
    parameters_init(&parameters, TIMERS_HARDWARE);
    for (uint32_t i = 0; i < parameter_count; i++)
        EXPECT_EQ(parameters_get(&parameters, i), parameter_descriptions[i].default_value);
    EXPECT_EQ(parameters.pmtu, 4096);
    EXPECT_EQ(parameters.mpr, 0);
    EXPECT_EQ(parameters.max_wimm, 128);
    EXPECT_EQ(parameters.sack_min_charge, 1024);
    EXPECT_EQ(parameters.retry_linear, 3);
    EXPECT_EQ(parameters.sleek_factor, 1500);
    EXPECT_EQ(parameters.sleek_min_packets, 5);
    EXPECT_EQ(parameters.nack_delay_max, 1000000);
    EXPECT_EQ(parameters.ev_active, 0);
    EXPECT_EQ(parameters.ev_backup, 64);
    EXPECT_EQ(parameters.port_up_probes, 3);
    EXPECT_EQ(parameters.port_update_retries, 5);
    EXPECT_EQ(parameters.oor_nack_every, 8);
    EXPECT_EQ(parameters.reo_wnd_factor_max, 4);
    EXPECT_EQ(parameters.congestion_control, CONGESTION_CONTROL_FAIR);
    EXPECT_EQ(parameters.loss_to_bad, LOSS_TO_BAD_COMPARED);
    EXPECT_EQ(parameters.ev_skip, EV_SKIP_DELAY);
    EXPECT_EQ(parameters.plane_share, PLANE_SHARE_DELIVERED);
    EXPECT_EQ(parameters.sack_gap, SACK_GAP_FILLED);
}

/* ---- timers --------------------------------------------------------------------------------- */

SPEC("timers of hardware are in microseconds, those of software in milliseconds")
{
    struct parameters hardware;
    struct parameters software;

    parameters_init(&hardware, TIMERS_HARDWARE);
    parameters_init(&software, TIMERS_SOFTWARE);
    EXPECT_EQ(hardware.timers, TIMERS_HARDWARE);
    EXPECT_EQ(software.timers, TIMERS_SOFTWARE);
    EXPECT_EQ(hardware.timeout, 8);
    EXPECT_EQ(software.timeout, 17);
    EXPECT_EQ(hardware.probe_timeout, 0);
    EXPECT_EQ(software.probe_timeout, 20000000);
    EXPECT_EQ(hardware.port_up_holddown, 100000);
    EXPECT_EQ(software.port_up_holddown, 100000000);
    EXPECT_EQ(software.pmtu, hardware.pmtu);
}

SPEC("setting timers sets every timer, and no other parameter")
{
    struct parameters expected;
    struct parameters parameters;

    parameters_init(&expected, TIMERS_SOFTWARE);
    parameters_init(&parameters, TIMERS_HARDWARE);
    expected.mpr = parameters.mpr = 5;
    expected.max_wimm = parameters.max_wimm = 7;
    parameters.timeout = 3;
    EXPECT_EQ(parameters_set(&parameters, "timers", "software"), PARAMETERS_OK);
    EXPECT_MEM_EQ(&parameters, &expected, sizeof(parameters));
    parameters_init(&expected, TIMERS_HARDWARE);
    expected.mpr = 5;
    expected.max_wimm = 7;
    EXPECT_EQ(parameters_set(&parameters, "timers", "hardware"), PARAMETERS_OK);
    EXPECT_MEM_EQ(&parameters, &expected, sizeof(parameters));
}

SPEC("a timer waits for its value, and at least for its share of the base RTT")
{
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    parameters.ev_probe_first = 20000; /* or 2 base RTTs */
    EXPECT_EQ(PARAMETERS_TIMER_NS(&parameters, ev_probe_first, 5000), 20000);
    EXPECT_EQ(PARAMETERS_TIMER_NS(&parameters, ev_probe_first, 10001), 20002);
    EXPECT_EQ(PARAMETERS_TIMER_NS(&parameters, ev_probe_first, 4000000000), UINT64_C(8000000000));
    parameters.tail_floor = 0; /* no share */
    EXPECT_EQ(PARAMETERS_TIMER_NS(&parameters, tail_floor, 5000), 0);
}

/* ---- finding -------------------------------------------------------------------------------- */

SPEC("every name is found, and no part or extension of a name is")
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const char *name = parameter_descriptions[i].name;
        uint32_t length = (uint32_t)strlen(name);
        char longer[80];

        EXPECT_EQ(parameters_find(name, length), i);
        EXPECT_NE(parameters_find(name, length - 1), i);
        snprintf(longer, sizeof(longer), "%sx", name);
        EXPECT_EQ(parameters_find(longer, length + 1), parameter_count);
        EXPECT_EQ(parameters_find(longer, length), i);
    }
    EXPECT_EQ(parameters_find("", 0), parameter_count);
    EXPECT_EQ(find("Pmtu"), parameter_count);
}

/* ---- choices -------------------------------------------------------------------------------- */

SPEC("every word of every choice sets its number, and its number names it")
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        struct parameters parameters;
        const char *word;

        if (!parameter_descriptions[i].choices)
            continue;
        for (uint64_t value = 0; (word = parameters_choice(i, value)) != NULL; value++) {
            EXPECT_GT(strlen(word), 0);
            EXPECT(!strchr(word, '|'));
            parameters_init(&parameters, TIMERS_HARDWARE);
            EXPECT_EQ(
                parameters_set(&parameters, parameter_descriptions[i].name, word), PARAMETERS_OK);
            EXPECT_EQ(parameters_get(&parameters, i), value);
        }
        EXPECT_GT(choice_count(i), 1);
        EXPECT(!parameters_choice(i, choice_count(i)));
        EXPECT(!parameters_choice(i, UINT64_MAX));
    }
}

SPEC("the words of congestion_control are fair, nscc and none, in this order")
{
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    EXPECT_EQ(parameters.congestion_control, 0);
    EXPECT_EQ(parameters_set(&parameters, "congestion_control", "none"), PARAMETERS_OK);
    EXPECT_EQ(parameters.congestion_control, 2);
    EXPECT_EQ(parameters_set(&parameters, "congestion_control", "nscc"), PARAMETERS_OK);
    EXPECT_EQ(parameters.congestion_control, 1);
    EXPECT_EQ(parameters_set(&parameters, "congestion_control", "fair"), PARAMETERS_OK);
    EXPECT_EQ(parameters.congestion_control, 0);
}

SPEC("a choice takes no number, no part of a word, no other case and no list of words")
{
    static const char *const wrong[] = { "", "1", "o", "of", "offf", "On", "off|on", "|", "on|",
        "on ", "yes" };

    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct parameters parameters;

        parameters_init(&parameters, TIMERS_HARDWARE);
        EXPECT_EQ(parameters_set(&parameters, "stamp", wrong[i]), PARAMETERS_NOT_A_NUMBER);
        EXPECT_EQ(parameters.stamp, 1);
    }
}

/* ---- numbers -------------------------------------------------------------------------------- */

SPEC("every number takes its least and its largest value, and nothing beyond them")
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const struct parameter_description *description = &parameter_descriptions[i];
        struct parameters parameters;

        if (description->choices)
            continue;
        parameters_init(&parameters, TIMERS_HARDWARE);
        EXPECT_EQ(set_number(&parameters, i, description->minimum, ""), PARAMETERS_OK);
        EXPECT_EQ(parameters_get(&parameters, i), description->minimum);
        EXPECT_EQ(set_number(&parameters, i, description->maximum, ""), PARAMETERS_OK);
        EXPECT_EQ(parameters_get(&parameters, i), description->maximum);
        EXPECT_EQ(
            set_number(&parameters, i, description->maximum + 1, ""), PARAMETERS_OUT_OF_RANGE);
        if (description->minimum > 0)
            EXPECT_EQ(
                set_number(&parameters, i, description->minimum - 1, ""), PARAMETERS_OUT_OF_RANGE);
        EXPECT_EQ(parameters_get(&parameters, i), description->maximum);
    }
}

static const struct {
    const char *unit;
    const char *suffix;
    uint64_t factor;
} suffixes[] = {
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

SPEC("every number takes every suffix of its unit, and no suffix of another")
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const struct parameter_description *description = &parameter_descriptions[i];

        for (uint32_t k = 0; !description->choices && k < sizeof(suffixes) / sizeof(suffixes[0]);
             k++) {
            uint64_t count = description->maximum / suffixes[k].factor;
            bool belongs = strcmp(description->unit, suffixes[k].unit) == 0;
            struct parameters parameters;
            enum parameters_error error;

            parameters_init(&parameters, TIMERS_HARDWARE);
            error = set_number(&parameters, i, count, suffixes[k].suffix);
            if (!belongs) {
                EXPECT_EQ(error, PARAMETERS_NOT_A_NUMBER);
            } else if (count * suffixes[k].factor < description->minimum) {
                EXPECT_EQ(error, PARAMETERS_OUT_OF_RANGE);
            } else {
                EXPECT_EQ(error, PARAMETERS_OK);
                EXPECT_EQ(parameters_get(&parameters, i), count * suffixes[k].factor);
            }
        }
    }
}

SPEC("times, sizes and rates may have units")
{
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    EXPECT_EQ(parameters_set(&parameters, "base_rtt", "12us"), PARAMETERS_OK);
    EXPECT_EQ(parameters.base_rtt, 12000);
    EXPECT_EQ(parameters_set(&parameters, "base_rtt", "250ns"), PARAMETERS_OK);
    EXPECT_EQ(parameters.base_rtt, 250);
    EXPECT_EQ(parameters_set(&parameters, "ev_probe_longest", "2s"), PARAMETERS_OK);
    EXPECT_EQ(parameters.ev_probe_longest, 2000000000);
    EXPECT_EQ(parameters_set(&parameters, "nack_delay_max", "3ms"), PARAMETERS_OK);
    EXPECT_EQ(parameters.nack_delay_max, 3000000);
    EXPECT_EQ(parameters_set(&parameters, "sack_gen_threshold", "16KiB"), PARAMETERS_OK);
    EXPECT_EQ(parameters.sack_gen_threshold, 16384);
    EXPECT_EQ(parameters_set(&parameters, "max_cwnd", "2MiB"), PARAMETERS_OK);
    EXPECT_EQ(parameters.max_cwnd, 2097152);
    EXPECT_EQ(parameters_set(&parameters, "link_bps", "800G"), PARAMETERS_OK);
    EXPECT_EQ(parameters.link_bps, UINT64_C(800000000000));
    EXPECT_EQ(parameters_set(&parameters, "link_bps", "2500M"), PARAMETERS_OK);
    EXPECT_EQ(parameters.link_bps, UINT64_C(2500000000));
    EXPECT_EQ(parameters_set(&parameters, "link_bps", "5000k"), PARAMETERS_OK);
    EXPECT_EQ(parameters.link_bps, 5000000);
}

SPEC("leading zeros are not octal")
{
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    EXPECT_EQ(parameters_set(&parameters, "mpr", "0010"), PARAMETERS_OK);
    EXPECT_EQ(parameters.mpr, 10);
}

SPEC("a text that is not a number with a known suffix is refused, and nothing changes")
{
    static const char *const wrong[] = { "", " 5us", "5 us", "5us ", "-5", "+5", "0x10", "5e3",
        "5.0", "us", "5u", "5usx", "5US", "5n", "5m", "5K", "5KiB", "5k", "5%", "5ns5" };

    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct parameters parameters;
        struct parameters before;

        parameters_init(&parameters, TIMERS_HARDWARE);
        before = parameters;
        EXPECT_EQ(parameters_set(&parameters, "base_rtt", wrong[i]), PARAMETERS_NOT_A_NUMBER);
        EXPECT_MEM_EQ(&parameters, &before, sizeof(before));
    }
}

SPEC("numbers too large for 64 bits are out of range, by their digits or by their suffix")
{
    static const char *const large[] = { "18446744073709551615", "18446744073709551616",
        "18446744073709551625", "99999999999999999999999999", "18446744073709552s",
        "18446744073709551615s" };

    for (uint32_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        struct parameters parameters;
        struct parameters before;

        parameters_init(&parameters, TIMERS_HARDWARE);
        before = parameters;
        EXPECT_EQ(parameters_set(&parameters, "base_rtt", large[i]), PARAMETERS_OUT_OF_RANGE);
        EXPECT_MEM_EQ(&parameters, &before, sizeof(before));
    }
}

SPEC("a number or product that overflows into the range is out of range")
{
    struct parameters parameters;

    parameters_init(&parameters, TIMERS_HARDWARE);
    /* 2^64 / 10^9 is not whole, but this times 10^9 is 2^64 + 290,448,384, a fine base_rtt. */
    EXPECT_EQ(parameters_set(&parameters, "base_rtt", "18446744074s"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters.base_rtt, 10000);
    /* 2^64 + 3 */
    EXPECT_EQ(
        parameters_set(&parameters, "reo_wnd", "18446744073709551619"), PARAMETERS_OUT_OF_RANGE);
    EXPECT_EQ(parameters.reo_wnd, 0);
}

SPEC("an unknown name is reported as unknown, for any value")
{
    struct parameters parameters;
    struct parameters before;

    parameters_init(&parameters, TIMERS_HARDWARE);
    before = parameters;
    EXPECT_EQ(parameters_set(&parameters, "base_rt", "5"), PARAMETERS_UNKNOWN);
    EXPECT_EQ(parameters_set(&parameters, "base_rttt", "5"), PARAMETERS_UNKNOWN);
    EXPECT_EQ(parameters_set(&parameters, "", ""), PARAMETERS_UNKNOWN);
    EXPECT_MEM_EQ(&parameters, &before, sizeof(before));
}

PROPERTY("setting one parameter changes that one and no other", 500)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t index = prng_below(&prng, parameter_count);
    const struct parameter_description *description = &parameter_descriptions[index];
    uint64_t value = description->choices
                         ? 0
                         : description->minimum +
                               prng_next(&prng) % (description->maximum - description->minimum + 1);
    struct parameters parameters;

    if (strcmp(description->name, "timers") == 0) /* it sets many */
        return;
    if (strcmp(description->name, "pmtu") == 0) /* five values only */
        value = UINT64_C(256) << prng_below(&prng, 5);
    parameters_init(&parameters, TIMERS_HARDWARE);
    if (description->choices) {
        value = prng_below(&prng, choice_count(index));
        EXPECT_EQ(parameters_set(&parameters, description->name, parameters_choice(index, value)),
            PARAMETERS_OK);
    } else {
        EXPECT_EQ(set_number(&parameters, index, value, ""), PARAMETERS_OK);
    }
    for (uint32_t i = 0; i < parameter_count; i++)
        EXPECT_EQ(parameters_get(&parameters, i),
            i == index ? value : parameter_descriptions[i].default_value);
}

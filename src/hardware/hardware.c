/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of settings and presets. */
#include "hardware/hardware.h"

#include <stddef.h>

#include "base/byte_time.h"

#define PS_PER_S UINT64_C(1000000000000)

const char *const hardware_origin_words[HARDWARE_ORIGIN_COUNT + 1] = { "ideal", "published",
    "calculated", "assumed", "given", NULL };

const struct hardware_description hardware_descriptions[HARDWARE_SETTING_COUNT] = {
#define SETTING(who, id, word, kind, low, high, words)                                             \
    [HARDWARE_##id] = { .key = #word,                                                              \
        .meaning = (words),                                                                        \
        .least = (low),                                                                            \
        .most = (high),                                                                            \
        .owner = HARDWARE_##who,                                                                   \
        .unit = HARDWARE_##kind },
#include "hardware/settings.def"
};

enum preset {
#define PRESET(owner, id, word, name) PRESET_##id,
#include "hardware/presets.def"
    PRESET_COUNT,
};

struct preset_description {
    const char *word;
    const char *name;
};

static const struct preset_description presets[PRESET_COUNT] = {
#define PRESET(who, id, text, title) [PRESET_##id] = { text, title },
#include "hardware/presets.def"
};

struct preset_value {
    enum preset preset;
    enum hardware_setting setting;
    struct hardware_value value;
};

static const struct preset_value preset_values[] = {
#define VALUE(of, setting, amount, from, text)                                                     \
    { PRESET_##of, HARDWARE_##setting, { amount, HARDWARE_##from, text } },
#include "hardware/presets.def"
};

static const char *const nic_words[] = {
    "default",
    "ideal",
#define PRESET(owner, id, word, name) PRESET_WORD_##owner(word)
#define PRESET_WORD_NIC(word)         word,
#define PRESET_WORD_SWITCH(word)
#define PRESET_WORD_WIRE(word)
#include "hardware/presets.def"
#undef PRESET_WORD_NIC
#undef PRESET_WORD_SWITCH
#undef PRESET_WORD_WIRE
    NULL,
};

static const char *const switch_words[] = {
    "default",
    "ideal",
#define PRESET(owner, id, word, name) PRESET_WORD_##owner(word)
#define PRESET_WORD_NIC(word)
#define PRESET_WORD_SWITCH(word) word,
#define PRESET_WORD_WIRE(word)
#include "hardware/presets.def"
#undef PRESET_WORD_NIC
#undef PRESET_WORD_SWITCH
#undef PRESET_WORD_WIRE
    NULL,
};

const char *const *hardware_presets(enum hardware_owner owner)
{
    return owner == HARDWARE_NIC ? nic_words : switch_words;
}

/* Compares without strcmp(), which pure layers do not use. */
static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *hardware_name(const char *word)
{
    for (uint32_t i = 0; i < PRESET_COUNT; i++)
        if (is_same(presets[i].word, word))
            return presets[i].name;
    return NULL;
}

static void take_values(struct hardware *hardware, const char *word)
{
    for (uint32_t i = 0; i < sizeof(preset_values) / sizeof(preset_values[0]); i++)
        if (is_same(presets[preset_values[i].preset].word, word))
            hardware->values[preset_values[i].setting] = preset_values[i].value;
}

void hardware_init(struct hardware *hardware)
{
    *hardware = (struct hardware){ .nic = nic_words[HARDWARE_WORD_DEFAULT],
        .switches = switch_words[HARDWARE_WORD_DEFAULT] };
    take_values(hardware, presets[PRESET_ETHERNET].word);
}

static bool is_ideal(const struct hardware *hardware)
{
    return is_same(hardware->nic, nic_words[HARDWARE_WORD_IDEAL]) &&
           is_same(hardware->switches, switch_words[HARDWARE_WORD_IDEAL]);
}

bool hardware_take(struct hardware *hardware, enum hardware_owner owner, const char *word)
{
    const char *const *known = hardware_presets(owner);

    while (*known && !is_same(*known, word))
        known++;
    if (!*known)
        return false;
    *(owner == HARDWARE_NIC ? &hardware->nic : &hardware->switches) = *known;
    take_values(hardware, *known);
    if (is_ideal(hardware))
        hardware->values[HARDWARE_FRAMING] = (struct hardware_value){ 0 };
    return true;
}

void hardware_give(struct hardware *hardware, enum hardware_setting which, uint64_t number)
{
    hardware->values[which] = (struct hardware_value){ .number = number, .origin = HARDWARE_GIVEN };
}

static uint64_t byte_time(uint64_t rate_bps)
{
    return rate_bps ? byte_time_at(rate_bps) : 0;
}

/* The state of a QP that is not on the chip is read, and that of another is written back. */
static uint64_t miss_ps(const struct hardware *hardware)
{
    uint64_t move_ps = byte_time_ps(byte_time(hardware_number(hardware, HARDWARE_PCIE_RATE)),
        2 * hardware_number(hardware, HARDWARE_QP_CONTEXT));

    return hardware_number(hardware, HARDWARE_QP_MISS) + move_ps;
}

struct nic_cost hardware_nic_cost(const struct hardware *hardware)
{
    uint64_t packet_rate = hardware_number(hardware, HARDWARE_PACKET_RATE);
    struct nic_cost cost = {
        .packet_ps = packet_rate ? PS_PER_S / packet_rate : 0,
        .message_ps = hardware_number(hardware, HARDWARE_MESSAGE_TIME),
        .miss_ps = miss_ps(hardware),
        .fetch_byte_time = byte_time(hardware_number(hardware, HARDWARE_PCIE_RATE)),
        .drain_byte_time = byte_time(hardware_number(hardware, HARDWARE_DRAIN_RATE)),
        .jitter_ps = hardware_number(hardware, HARDWARE_CLOCK_JITTER),
        .buffer_bytes = (uint32_t)hardware_number(hardware, HARDWARE_RECEIVE_BUFFER),
    };

    cost.is_ideal = cost.packet_ps == 0 && cost.message_ps == 0 && cost.fetch_byte_time == 0 &&
                    cost.drain_byte_time == 0 && cost.jitter_ps == 0 &&
                    hardware_qps_on_chip(hardware) == UINT32_MAX;
    return cost;
}

uint32_t hardware_qps_on_chip(const struct hardware *hardware)
{
    uint64_t memory_bytes = hardware_number(hardware, HARDWARE_QP_MEMORY);
    uint64_t context_bytes = hardware_number(hardware, HARDWARE_QP_CONTEXT);
    uint64_t count;

    if (memory_bytes == 0 || context_bytes == 0)
        return UINT32_MAX;
    count = memory_bytes / context_bytes;
    if (count == 0)
        count = 1;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the presets of NICs and switches, and the settings of an experiment. */
#include "result/result_presets.h"

#include <stdio.h>

#include "files/files.h"
#include "hardware/hardware.h"

static const enum quantity_kind kinds[] = {
    [HARDWARE_COUNT] = QUANTITY_COUNT,
    [HARDWARE_RATE] = QUANTITY_RATE,
    [HARDWARE_TIME] = QUANTITY_TIME,
    [HARDWARE_SIZE] = QUANTITY_SIZE,
};

static void print_values(const struct hardware *hardware)
{
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++) {
        const struct hardware_value *value = &hardware->values[i];
        char number[QUANTITY_BYTES];

        if (value->origin == HARDWARE_IDEAL)
            continue;
        quantity_format(kinds[hardware_descriptions[i].unit], value->number, number);
        printf("  %-16s %12s  %-10s  %s\n", hardware_descriptions[i].key, number,
            hardware_origin_words[value->origin], value->source);
    }
}

static void print_presets(enum hardware_owner owner)
{
    for (const char *const *word = hardware_presets(owner) + HARDWARE_WORD_PRODUCT; *word; word++) {
        struct hardware hardware;

        hardware_init(&hardware);
        hardware_take(&hardware, owner, *word);
        printf(
            "%s: %s (%s)\n", owner == HARDWARE_NIC ? "nic" : "switch", *word, hardware_name(*word));
        print_values(&hardware);
    }
}

/* Words for NICs and switches alike. */
static void print_common(const char *word, const char *name)
{
    struct hardware hardware;

    hardware_init(&hardware);
    hardware_take(&hardware, HARDWARE_NIC, word);
    hardware_take(&hardware, HARDWARE_SWITCH, word);
    printf("nic, switch: %s (%s)\n", word, name);
    print_values(&hardware);
}

void result_presets_print(void)
{
    print_common(hardware_presets(HARDWARE_NIC)[HARDWARE_WORD_DEFAULT],
        "no limits; wires have the framing of Ethernet");
    print_common(hardware_presets(HARDWARE_NIC)[HARDWARE_WORD_IDEAL],
        "no limits; if both are, wires have no framing");
    print_presets(HARDWARE_NIC);
    print_presets(HARDWARE_SWITCH);
    printf("settings\n");
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++)
        printf("  %-16s %s\n", hardware_descriptions[i].key, hardware_descriptions[i].meaning);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads which NICs and switches an experiment has, and compares them with its fabric. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "files/experiment_part.h"
#include "files/quantity.h"
#include "files/yaml_fields.h"

#define NOT_GIVEN UINT64_MAX

struct entry {
    int nic;
    int switches;
    uint64_t numbers[HARDWARE_SETTING_COUNT];
};

static const enum yaml_type types[] = {
    [HARDWARE_COUNT] = YAML_NUMBER,
    [HARDWARE_RATE] = YAML_RATE,
    [HARDWARE_TIME] = YAML_TIME,
    [HARDWARE_SIZE] = YAML_SIZE,
};

enum { FIELDS_MAX = HARDWARE_SETTING_COUNT + 3 };

static void list_fields(struct yaml_field out[static FIELDS_MAX])
{
    uint32_t count = 0;

    out[count++] = (struct yaml_field){ .key = "nic",
        .type = YAML_WORD,
        .offset = offsetof(struct entry, nic),
        .words = hardware_presets(HARDWARE_NIC) };
    out[count++] = (struct yaml_field){ .key = "switch",
        .type = YAML_WORD,
        .offset = offsetof(struct entry, switches),
        .words = hardware_presets(HARDWARE_SWITCH) };
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++)
        if (hardware_descriptions[i].owner == HARDWARE_NIC)
            out[count++] = (struct yaml_field){ .key = hardware_descriptions[i].key,
                .type = types[hardware_descriptions[i].unit],
                .offset = offsetof(struct entry, numbers) + i * sizeof(uint64_t),
                .most = hardware_descriptions[i].most };
    out[count] = (struct yaml_field){ .key = NULL };
}

/* Reports a setting of switches or wires, which is a key of the fabric. */
static bool check_places(struct yaml *yaml, const struct yaml_node *mapping)
{
    for (const struct yaml_node *node = mapping->first; node; node = node->next)
        for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++)
            if (hardware_descriptions[i].owner != HARDWARE_NIC &&
                strcmp(hardware_descriptions[i].key, node->key) == 0)
                return yaml_complain_key(
                    yaml, node, "%s: set it there", hardware_descriptions[i].meaning);
    return true;
}

static void format_number(
    const struct hardware_description *known, uint64_t number, char out[static QUANTITY_BYTES])
{
    static const enum quantity_kind kinds[] = {
        [HARDWARE_COUNT] = QUANTITY_COUNT,
        [HARDWARE_RATE] = QUANTITY_RATE,
        [HARDWARE_TIME] = QUANTITY_TIME,
        [HARDWARE_SIZE] = QUANTITY_SIZE,
    };

    quantity_format(kinds[known->unit], number, out);
}

/* 0 is the ideal. */
static bool check_least(
    struct yaml *yaml, const struct yaml_node *mapping, uint32_t setting, uint64_t number)
{
    const struct hardware_description *known = &hardware_descriptions[setting];
    const struct yaml_node *node = yaml_member(mapping, known->key);
    char least[QUANTITY_BYTES];

    if (number == 0 || number >= known->least)
        return true;
    format_number(known, known->least, least);
    return yaml_complain(
        yaml, node, "%s is out of range; give 0 for no limit, or at least %s", node->text, least);
}

static void take_presets(struct hardware *hardware, const struct entry *entry)
{
    hardware_take(hardware, HARDWARE_NIC, hardware_presets(HARDWARE_NIC)[entry->nic]);
    hardware_take(hardware, HARDWARE_SWITCH, hardware_presets(HARDWARE_SWITCH)[entry->switches]);
}

/* One word for NICs and switches alike. */
static bool read_word(struct yaml *yaml, const struct yaml_node *node, struct hardware *hardware)
{
    const char *const *all = hardware_presets(HARDWARE_NIC);
    const char *const words[] = { all[HARDWARE_WORD_DEFAULT], all[HARDWARE_WORD_IDEAL], NULL };
    const struct yaml_field field = { .type = YAML_WORD, .words = words };
    struct entry entry = { 0 };

    if (!yaml_read_value(yaml, node, &field, &entry.nic))
        return false;
    entry.switches = entry.nic;
    take_presets(hardware, &entry);
    return true;
}

/* Returns false, after a message, if the chip cannot hold the state of a single QP. */
static bool check_qp_memory(
    struct yaml *yaml, const struct yaml_node *mapping, const struct hardware *hardware)
{
    uint64_t memory_bytes = hardware_number(hardware, HARDWARE_QP_MEMORY);
    uint64_t context_bytes = hardware_number(hardware, HARDWARE_QP_CONTEXT);
    const struct yaml_node *node = yaml_member(mapping, "qp_memory");

    if (memory_bytes == 0 || context_bytes <= memory_bytes)
        return true;
    return yaml_complain(yaml, node ? node : yaml_member(mapping, "qp_context"),
        "qp_memory %llu is less than qp_context %llu: the state of one QP must fit",
        (unsigned long long)memory_bytes, (unsigned long long)context_bytes);
}

static bool read_keys(struct yaml *yaml, const struct yaml_node *mapping, struct hardware *hardware)
{
    struct entry entry = { 0 };
    struct yaml_field fields[FIELDS_MAX];

    list_fields(fields);
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++)
        entry.numbers[i] = NOT_GIVEN;
    if (!check_places(yaml, mapping) || !yaml_read(yaml, mapping, fields, &entry))
        return false;
    take_presets(hardware, &entry);
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++) {
        if (entry.numbers[i] == NOT_GIVEN)
            continue;
        if (!check_least(yaml, mapping, i, entry.numbers[i]))
            return false;
        hardware_give(hardware, (enum hardware_setting)i, entry.numbers[i]);
    }
    return check_qp_memory(yaml, mapping, hardware);
}

bool experiment_read_hardware(
    struct yaml *yaml, const struct yaml_node *node, struct hardware *hardware)
{
    switch (node->kind) {
    case YAML_SCALAR:
        return read_word(yaml, node, hardware);
    case YAML_MAPPING:
        return read_keys(yaml, node, hardware);
    case YAML_SEQUENCE:
        break;
    }
    return yaml_complain(yaml, node, "keys with values are expected here, or default or ideal");
}

/* ---- the fabric ------------------------------------------------------------------------------ */

void experiment_apply_hardware(const struct hardware *hardware, struct topology_config *usual)
{
    uint64_t nic_ps = hardware_number(hardware, HARDWARE_NIC_LATENCY) +
                      hardware_number(hardware, HARDWARE_PCIE_LATENCY);
    uint64_t switch_ps = hardware_number(hardware, HARDWARE_SWITCH_LATENCY);

    if (nic_ps > 0)
        usual->nic_latency_ps = nic_ps;
    if (switch_ps > 0)
        usual->switch_latency_ps = switch_ps;
    usual->framing_bytes = (uint16_t)hardware_number(hardware, HARDWARE_FRAMING);
    usual->buffers.shared_bytes = (uint32_t)hardware_number(hardware, HARDWARE_SHARED_BUFFER);
    usual->buffers.cell_bytes = (uint16_t)hardware_number(hardware, HARDWARE_CELL);
}

/* Returns the sum of the rates of the ports of the fastest NIC; 0: no limit needs it. */
static uint64_t fastest_nic_bps(const struct hardware *hardware, const struct topology *topology)
{
    uint64_t most_bps = 0;

    if (hardware_number(hardware, HARDWARE_NIC_RATE) == 0)
        return 0;
    for (uint32_t nic = 0; nic < topology->nic_count; nic++) {
        uint64_t bps = 0;

        for (uint32_t port = 0; port < topology->config.plane_count; port++) {
            struct topology_end end = { .is_nic = true, .node = nic, .port = port };
            struct topology_link_kind kind;
            struct topology_element link;

            if (topology_link_at(topology, end, &link, &kind))
                bps += kind.rate_bps;
        }
        if (bps > most_bps)
            most_bps = bps;
    }
    return most_bps;
}

/* A number of the fabric that the hardware limits. */
struct demand {
    enum hardware_setting limit;
    uint64_t number;
};

bool experiment_check_hardware(struct yaml *yaml, const struct yaml_node *mapping,
    const struct hardware *hardware, const struct topology *topology)
{
    const struct topology_config *config = &topology->config;
    bool is_limited = hardware_number(hardware, HARDWARE_SWITCH_RATE) > 0;
    const struct demand demands[] = {
        { HARDWARE_NIC_PORTS, config->plane_count },
        { HARDWARE_NIC_RATE, fastest_nic_bps(hardware, topology) },
        { HARDWARE_SWITCH_PORTS, config->radix },
        { HARDWARE_SWITCH_RATE, is_limited ? topology_switch_bps(topology) : 0 },
    };

    for (uint32_t i = 0; i < sizeof(demands) / sizeof(demands[0]); i++) {
        const struct hardware_description *known = &hardware_descriptions[demands[i].limit];
        uint64_t most = hardware_number(hardware, demands[i].limit);
        const char *key = known->owner == HARDWARE_NIC ? "nic" : "switch";
        const struct yaml_node *node = yaml_member(mapping, key);
        char needed[QUANTITY_BYTES];
        char limit[QUANTITY_BYTES];

        format_number(known, demands[i].number, needed);
        format_number(known, most, limit);
        if (most > 0 && demands[i].number > most)
            return yaml_complain(yaml, node ? node : mapping,
                "the fabric needs %s, more than %s %s", needed, known->key, limit);
    }
    return true;
}

static void note_number(struct hardware *hardware, enum hardware_setting setting, uint64_t number)
{
    if (hardware_number(hardware, setting) != number)
        hardware_give(hardware, setting, number);
}

/* Latencies are 0 in a hardware that is ideal, but never in a fabric. */
void experiment_note_hardware(struct hardware *hardware, const struct topology_config *config)
{
    note_number(hardware, HARDWARE_FRAMING, config->framing_bytes);
    note_number(hardware, HARDWARE_SHARED_BUFFER, config->buffers.shared_bytes);
    note_number(hardware, HARDWARE_CELL, config->buffers.cell_bytes);
    if (hardware_number(hardware, HARDWARE_SWITCH_LATENCY) > 0)
        note_number(hardware, HARDWARE_SWITCH_LATENCY, config->switch_latency_ps);
    if (hardware_number(hardware, HARDWARE_NIC_LATENCY) +
            hardware_number(hardware, HARDWARE_PCIE_LATENCY) !=
        config->nic_latency_ps) {
        if (hardware_number(hardware, HARDWARE_PCIE_LATENCY) > 0)
            hardware_give(hardware, HARDWARE_PCIE_LATENCY, 0);
        if (hardware_number(hardware, HARDWARE_NIC_LATENCY) > 0)
            hardware_give(hardware, HARDWARE_NIC_LATENCY, config->nic_latency_ps);
    }
}

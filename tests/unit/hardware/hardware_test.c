/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and presets: every value is within bounds and has a source. */
#include "spec.h"

#include "hardware/hardware.h"
#include "topology/topology.h"

static struct hardware with(enum hardware_owner owner, const char *word)
{
    struct hardware hardware;

    hardware_init(&hardware);
    EXPECT(hardware_take(&hardware, owner, word));
    return hardware;
}

static void expect_sound(enum hardware_owner owner, const char *word)
{
    struct hardware hardware = with(owner, word);

    EXPECT(hardware_name(word) != NULL);
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++) {
        const struct hardware_description *known = &hardware_descriptions[i];
        const struct hardware_value *value = &hardware.values[i];

        if (value->origin == HARDWARE_IDEAL) {
            EXPECT_EQ(value->number, 0);
            continue;
        }
        EXPECT(known->owner == owner || known->owner == HARDWARE_WIRE);
        EXPECT_GE(value->number, known->least);
        EXPECT_LE(value->number, known->most);
        EXPECT(value->source && *value->source);
    }
}

SPEC("every preset has a name, values within the bounds of their settings, and a source for each")
{
    for (const char *const *word = hardware_presets(HARDWARE_NIC) + HARDWARE_WORD_PRODUCT; *word;
         word++)
        expect_sound(HARDWARE_NIC, *word);
    for (const char *const *word = hardware_presets(HARDWARE_SWITCH) + HARDWARE_WORD_PRODUCT; *word;
         word++)
        expect_sound(HARDWARE_SWITCH, *word);
}

SPEC("ideal hardware costs nothing and holds all QPs")
{
    struct hardware ideal = with(HARDWARE_NIC, "ideal");

    EXPECT(hardware_take(&ideal, HARDWARE_SWITCH, "ideal"));
    EXPECT(hardware_nic_cost(&ideal).is_ideal);
    EXPECT_EQ(hardware_qps_on_chip(&ideal), UINT32_MAX);
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++)
        EXPECT_EQ(ideal.values[i].origin, HARDWARE_IDEAL);
}

SPEC("by default only the framing of Ethernet costs, and a product keeps it next to an ideal NIC")
{
    struct hardware hardware;

    hardware_init(&hardware);
    for (uint32_t i = 0; i < HARDWARE_SETTING_COUNT; i++)
        EXPECT_EQ(hardware.values[i].number, i == HARDWARE_FRAMING ? TOPOLOGY_FRAMING_BYTES : 0);
    EXPECT_EQ(hardware.values[HARDWARE_FRAMING].origin, HARDWARE_PUBLISHED);
    EXPECT(hardware_take(&hardware, HARDWARE_NIC, "ideal"));
    EXPECT(hardware_take(&hardware, HARDWARE_SWITCH, "tomahawk-5"));
    EXPECT_EQ(hardware_number(&hardware, HARDWARE_FRAMING), TOPOLOGY_FRAMING_BYTES);
}

SPEC("a preset of a switch is not one of a NIC, and an unknown word is refused")
{
    struct hardware hardware = with(HARDWARE_NIC, "ideal");

    EXPECT(!hardware_take(&hardware, HARDWARE_NIC, "tomahawk-5"));
    EXPECT(!hardware_take(&hardware, HARDWARE_SWITCH, "thor-ultra"));
    EXPECT(!hardware_take(&hardware, HARDWARE_NIC, "thor"));
    EXPECT_STR_EQ(hardware.nic, "ideal");
}

SPEC("the experiment overrules a preset, and its value says so")
{
    struct hardware hardware = with(HARDWARE_NIC, "connectx-9");

    EXPECT_EQ(hardware.values[HARDWARE_PACKET_RATE].origin, HARDWARE_PUBLISHED);
    hardware_give(&hardware, HARDWARE_PACKET_RATE, 1000000);
    EXPECT_EQ(hardware.values[HARDWARE_PACKET_RATE].origin, HARDWARE_GIVEN);
    EXPECT_EQ(hardware_nic_cost(&hardware).packet_ps, 1000000);
}

SPEC("35 MB hold 2,187 QPs of 16 KB, 4,272 of 8 KiB and 68,359 of 512 B")
{
    struct hardware hardware = with(HARDWARE_NIC, "connectx-8");

    EXPECT_EQ(hardware_qps_on_chip(&hardware), 2187);
    hardware_give(&hardware, HARDWARE_QP_CONTEXT, 8192);
    EXPECT_EQ(hardware_qps_on_chip(&hardware), 4272);
    hardware_give(&hardware, HARDWARE_QP_CONTEXT, 512);
    EXPECT_EQ(hardware_qps_on_chip(&hardware), 68359);
}

SPEC("a miss costs its time and two moves of the state over the host bus")
{
    struct hardware hardware = with(HARDWARE_NIC, "ideal");

    hardware_give(&hardware, HARDWARE_QP_MEMORY, 32000);
    hardware_give(&hardware, HARDWARE_QP_CONTEXT, 16000);
    hardware_give(&hardware, HARDWARE_QP_MISS, 1000000);
    EXPECT_EQ(hardware_nic_cost(&hardware).miss_ps, 1000000);
    hardware_give(&hardware, HARDWARE_PCIE_RATE, UINT64_C(800000000000));
    EXPECT_EQ(hardware_nic_cost(&hardware).miss_ps, 1000000 + 32000 * 10);
}

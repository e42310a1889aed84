/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy values (docs/wire.md §3). */
#include "spec.h"

#include "base/prng.h"
#include "wire/ev.h"

SPEC("the high half of an EV travels in the flow label, the low half in the source port")
{
    struct ev_fields fields = ev_split(&format_default, 0x554f2400);

    EXPECT_EQ(fields.flow_label, 0x554f);
    EXPECT_EQ(fields.source_port, 0x2400);
    EXPECT_EQ(ev_join(&format_default, fields), 0x554f2400);
}

SPEC("a knob turns the halves around")
{
    struct wire_format format = format_default;
    struct ev_fields fields;

    format.source_port_high = true;
    fields = ev_split(&format, 0x554f2400);
    EXPECT_EQ(fields.flow_label, 0x2400);
    EXPECT_EQ(fields.source_port, 0x554f);
    EXPECT_EQ(ev_join(&format, fields), 0x554f2400);
}

SPEC("hops of 10, 8 and 4 bits with 0x155, 0x3c and 9 make the structured EV 0x554F2400")
{
    static const uint8_t widths[] = { 10, 8, 4 };
    static const uint32_t values[] = { 0x155, 0x3c, 9 };
    uint32_t read[3];

    EXPECT_EQ(ev_structured_pack(widths, values, 3), 0x554f2400);
    ev_structured_unpack(0x554f2400, widths, read, 3);
    EXPECT_MEM_EQ(read, values, sizeof(values));
}

SPEC("a structured EV may be one hop of 32 bits, have hops of none, or have no hop")
{
    static const uint8_t widths[] = { 0, 32, 0 };
    static const uint32_t values[] = { 0, 0xdeadbeef, 0 };
    uint32_t read[3];

    EXPECT_EQ(ev_structured_pack(widths, values, 3), 0xdeadbeef);
    ev_structured_unpack(0xdeadbeef, widths, read, 3);
    EXPECT_MEM_EQ(read, values, sizeof(values));
    EXPECT_EQ(ev_structured_pack(widths, values, 0), 0);
}

PROPERTY("the sub-fields of a structured EV are read back as they were written", 1000)
{
    struct prng prng = prng_stream(seed, 0);
    uint8_t widths[4];
    uint32_t values[4];
    uint32_t read[4];

    for (uint32_t i = 0; i < 4; i++) {
        widths[i] = (uint8_t)prng_below(&prng, 9);
        values[i] = (uint32_t)prng_next(&prng) & ((1u << widths[i]) - 1);
    }
    ev_structured_unpack(ev_structured_pack(widths, values, 4), widths, read, 4);
    EXPECT_MEM_EQ(read, values, sizeof(values));
}

SPEC("expanded EVs have 16, 32, 128 or 256 bits")
{
    EXPECT_EQ(ev_format_bits(EV_FORMAT_UDP), 16);
    EXPECT_EQ(ev_format_bits(EV_FORMAT_STRUCTURED), 32);
    EXPECT_EQ(ev_format_bits(EV_FORMAT_SRV6), 128);
    EXPECT_EQ(ev_format_bits(EV_FORMAT_SRV6_SRH), 256);
}

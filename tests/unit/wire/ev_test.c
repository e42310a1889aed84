/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy values (docs/wire.md §3). */
#include "spec.h"

#include "wire/ev.h"

SPEC("the high half of an EV is in the flow label, the low half in the source port")
{
    struct ev_fields fields = ev_split(&format_default, 0x554f2400);

    EXPECT_EQ(fields.flow_label, 0x554f);
    EXPECT_EQ(fields.source_port, 0x2400);
    EXPECT_EQ(ev_join(&format_default, fields), 0x554f2400);
}

SPEC("the format can swap the halves of an EV")
{
    struct wire_format format = format_default;
    struct ev_fields fields;

    format.source_port_high = true;
    fields = ev_split(&format, 0x554f2400);
    EXPECT_EQ(fields.flow_label, 0x2400);
    EXPECT_EQ(fields.source_port, 0x554f);
    EXPECT_EQ(ev_join(&format, fields), 0x554f2400);
}

SPEC("expanded EVs have 16, 32, 128 or 256 bits")
{
    EXPECT_EQ(ev_format_bits(EV_FORMAT_UDP), 16);
    EXPECT_EQ(ev_format_bits(EV_FORMAT_STRUCTURED), 32);
    EXPECT_EQ(ev_format_bits(EV_FORMAT_SRV6), 128);
    EXPECT_EQ(ev_format_bits(EV_FORMAT_SRV6_SRH), 256);
}

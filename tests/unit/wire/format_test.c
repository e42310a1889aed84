/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs of the wire, their defaults, and DSCP classes (docs/wire.md §2). */
#include "spec.h"

#include "wire/format.h"

SPEC("the defaults are those of the specification")
{
    EXPECT_EQ(format_default.udp_port, 4791);
    EXPECT_EQ(format_default.udp_port_also, 4971);
    EXPECT_EQ(format_default.nak_write_imm_limit, 0x65);
    EXPECT_EQ(format_default.uplink_bits, 8);
    EXPECT(!format_default.m_before_se);
    EXPECT(!format_default.source_port_high);
}

SPEC("the six code points have their default numbers")
{
    EXPECT_EQ(format_default.dscp[DSCP_NO_TRIM], 0);
    EXPECT_EQ(format_default.dscp[DSCP_TRIMMABLE], 4);
    EXPECT_EQ(format_default.dscp[DSCP_TRIMMABLE_RETX], 8);
    EXPECT_EQ(format_default.dscp[DSCP_TRIMMED], 12);
    EXPECT_EQ(format_default.dscp[DSCP_TRIMMED_LASTHOP], 16);
    EXPECT_EQ(format_default.dscp[DSCP_CONTROL], 46);
}

SPEC("a code point is translated to its class, and any other number is foreign")
{
    uint32_t foreign = 0;

    for (uint8_t class = 0; class < DSCP_OTHER; class ++)
        EXPECT_EQ(format_dscp_class(&format_default, format_default.dscp[class]), class);
    for (uint8_t dscp = 0; dscp < 64; dscp++)
        foreign += format_dscp_class(&format_default, dscp) == DSCP_OTHER;
    EXPECT_EQ(foreign, 64 - 6);
}

SPEC("code points of the operator replace the defaults")
{
    struct wire_format format = format_default;

    format.dscp[DSCP_TRIMMED] = 46;
    format.dscp[DSCP_CONTROL] = 12;
    EXPECT_EQ(format_dscp_class(&format, 46), DSCP_TRIMMED);
    EXPECT_EQ(format_dscp_class(&format, 12), DSCP_CONTROL);
}

SPEC("two of the classes are trimmed ones")
{
    for (uint32_t class = 0; class < DSCP_CLASS_COUNT; class ++)
        EXPECT_EQ(dscp_is_trimmed((enum dscp_class) class),
            class == DSCP_TRIMMED || class == DSCP_TRIMMED_LASTHOP);
}

SPEC("ECN values are those of the IP header")
{
    EXPECT_EQ(ECN_NOT_ECT, 0);
    EXPECT_EQ(ECN_ECT1, 1);
    EXPECT_EQ(ECN_ECT0, 2);
    EXPECT_EQ(ECN_CE, 3);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Packet sequence numbers (docs/wire.md §15). */
#include "spec.h"

#include "wire/psn.h"

SPEC("a distance across the wrap is short, and has a sign")
{
    EXPECT_EQ(psn_distance(psn(0xfffffe), psn(1)), 3);
    EXPECT_EQ(psn_distance(psn(1), psn(0xfffffe)), -3);
}

SPEC("a PSN is made of the low 24 bits")
{
    EXPECT_EQ(psn(0x1000000).value, 0);
    EXPECT_EQ(psn(0xff000104).value, 0x104);
}

SPEC("the PSN after the last is 0")
{
    EXPECT_EQ(psn_add(psn(0xffffff), 1).value, 0);
    EXPECT_EQ(psn_add(psn(0), -1).value, 0xffffff);
    EXPECT_EQ(psn_add(psn(0x104), -3).value, 0x101);
}

SPEC("before and equal are correct on both sides of the wrap")
{
    EXPECT(psn_before(psn(0xffffff), psn(0)));
    EXPECT(!psn_before(psn(0), psn(0xffffff)));
    EXPECT(!psn_before(psn(5), psn(5)));
    EXPECT(psn_equal(psn(5), psn(0x1000005)));
    EXPECT(!psn_equal(psn(5), psn(6)));
}

SPEC("the bitmap of the wrapping SACK names 0x000000 and 0x000001 (docs/wire.md §15, vector S3)")
{
    struct psn cack = psn(0xfffffe);
    int32_t sack_offset = 1;

    EXPECT_EQ(psn_add(cack, sack_offset + 0).value, 0xffffff);
    EXPECT_EQ(psn_add(cack, sack_offset + 1).value, 0x000000);
    EXPECT_EQ(psn_add(cack, sack_offset + 2).value, 0x000001);
}

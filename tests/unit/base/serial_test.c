/* SPDX-License-Identifier: Apache-2.0 */
/* Serial numbers that wrap. */
#include "spec.h"

#include "base/serial.h"

SPEC("the successor of the last 24-bit number is 0, and its predecessor is the last")
{
    EXPECT_EQ(serial24_add(0xffffff, 1), 0);
    EXPECT_EQ(serial24_add(0, -1), 0xffffff);
    EXPECT_EQ(serial24_add(5, INT32_C(-0x1000006)), 0xffffff);
    EXPECT_EQ(serial24_add(0xfffffe, 0x1000), 0xffe);
}

SPEC("the 24-bit distance is positive ahead and negative behind, across the wrap too")
{
    EXPECT_EQ(serial24_distance(0x104, 0x10b), 7);
    EXPECT_EQ(serial24_distance(0x10b, 0x104), -7);
    EXPECT_EQ(serial24_distance(0xfffffe, 1), 3);
    EXPECT_EQ(serial24_distance(1, 0xfffffe), -3);
    EXPECT_EQ(serial24_distance(9, 9), 0);
}

SPEC("a number at half the modulus counts as behind")
{
    EXPECT_EQ(serial24_distance(0, 0x7fffff), 0x7fffff);
    EXPECT_EQ(serial24_distance(0, 0x800000), -0x800000);
    EXPECT_EQ(serial16_distance(0, 0x7fff), 0x7fff);
    EXPECT_EQ(serial16_distance(0, 0x8000), -0x8000);
}

SPEC("bits above the 24th are ignored")
{
    EXPECT_EQ(serial24_distance(0xab000001, 0xcd000003), 2);
    EXPECT_EQ(serial24_add(0xff000001, 1), 2);
}

SPEC("16-bit message numbers compare across their wrap")
{
    EXPECT_EQ(serial16_distance(0xffff, 2), 3);
    EXPECT_EQ(serial16_distance(2, 0xffff), -3);
}

PROPERTY("adding a distance gives the number at that distance", 10000)
{
    uint32_t from = (uint32_t)(seed * UINT32_C(0x9e3779b1)) % SERIAL24_MODULUS;
    uint32_t to = (uint32_t)(seed * UINT32_C(0x85ebca77)) % SERIAL24_MODULUS;
    int32_t distance = serial24_distance(from, to);

    EXPECT_EQ(serial24_add(from, distance), to);
    EXPECT_GE(distance, -(INT32_C(1) << 23));
    EXPECT_LT(distance, INT32_C(1) << 23);
}

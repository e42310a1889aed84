/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities have three digits and the unit that suits them. */
#include "result/units_text.h"

#include "spec.h"

static const char *text_of(enum units_kind kind, double value)
{
    static struct units_text text;

    text = units_text(kind, value);
    return text.at;
}

SPEC("rates, times and sizes use their largest suitable unit")
{
    EXPECT_STR_EQ(text_of(UNITS_RATE, 671181.3e9), "671 Tb/s");
    EXPECT_STR_EQ(text_of(UNITS_RATE, 22.3505e12), "22.4 Tb/s");
    EXPECT_STR_EQ(text_of(UNITS_RATE, 3.456e9), "3.46 Gb/s");
    EXPECT_STR_EQ(text_of(UNITS_TIME, 1.5e6), "1.50 us");
    EXPECT_STR_EQ(text_of(UNITS_SIZE, 65536), "64.0 KiB");
}

SPEC("a value that rounds to the next unit is written in it")
{
    EXPECT_STR_EQ(text_of(UNITS_RATE, 999.6e9), "1.00 Tb/s");
    EXPECT_STR_EQ(text_of(UNITS_RATE, 999.4e9), "999 Gb/s");
}

SPEC("small values use the smallest unit")
{
    EXPECT_STR_EQ(text_of(UNITS_RATE, 0), "0.0 b/s");
    EXPECT_STR_EQ(text_of(UNITS_TIME, 1), "0.00 ns");
}

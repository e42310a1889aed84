/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with units. */
#include "files/quantity.h"

#include <string.h>

#include "base/prng.h"
#include "spec.h"

static uint64_t parsed(enum quantity_kind kind, const char *text)
{
    uint64_t value = 0xdead;

    EXPECT_EQ(quantity_parse(kind, text, &value), QUANTITY_OK);
    return value;
}

static enum quantity_error refused(enum quantity_kind kind, const char *text)
{
    uint64_t value = 4711;
    enum quantity_error error = quantity_parse(kind, text, &value);

    EXPECT_EQ(value, 4711);
    return error;
}

SPEC("rates are bits per second, with any of the units")
{
    EXPECT_EQ(parsed(QUANTITY_RATE, "400Gb/s"), 400000000000);
    EXPECT_EQ(parsed(QUANTITY_RATE, "100G"), 100000000000);
    EXPECT_EQ(parsed(QUANTITY_RATE, "1.5Tb/s"), 1500000000000);
    EXPECT_EQ(parsed(QUANTITY_RATE, "25 Gbps"), 25000000000);
    EXPECT_EQ(parsed(QUANTITY_RATE, "0.001kb/s"), 1);
}

SPEC("times are picoseconds, exactly")
{
    EXPECT_EQ(parsed(QUANTITY_TIME, "500ns"), 500000);
    EXPECT_EQ(parsed(QUANTITY_TIME, "1.5us"), 1500000);
    EXPECT_EQ(parsed(QUANTITY_TIME, "2ms"), 2000000000);
    EXPECT_EQ(parsed(QUANTITY_TIME, "3s"), 3000000000000);
    EXPECT_EQ(parsed(QUANTITY_TIME, "0.000000000001s"), 1);
    EXPECT_EQ(parsed(QUANTITY_TIME, "0.3us"), 300000);
    EXPECT_EQ(parsed(QUANTITY_TIME, "0"), 0);
}

SPEC("sizes need no unit, and have decimal and binary prefixes")
{
    EXPECT_EQ(parsed(QUANTITY_SIZE, "4096"), 4096);
    EXPECT_EQ(parsed(QUANTITY_SIZE, "64KiB"), 65536);
    EXPECT_EQ(parsed(QUANTITY_SIZE, "2MB"), 2000000);
    EXPECT_EQ(parsed(QUANTITY_SIZE, "1.5 MiB"), 1572864);
}

SPEC("a fraction is a share of 2^32, rounded to the nearest")
{
    EXPECT_EQ(parsed(QUANTITY_FRACTION, "0"), 0);
    EXPECT_EQ(parsed(QUANTITY_FRACTION, "50%"), UINT32_C(1) << 31);
    EXPECT_EQ(parsed(QUANTITY_FRACTION, "0.001"), 4294967);
    EXPECT_EQ(parsed(QUANTITY_FRACTION, "0.1%"), 4294967);
    EXPECT_EQ(parsed(QUANTITY_FRACTION, "1e-6"), 4295);
    EXPECT_EQ(parsed(QUANTITY_FRACTION, "1e-99"), 0);
    EXPECT_EQ(parsed(QUANTITY_FRACTION, "1"), UINT32_MAX);
    EXPECT_EQ(refused(QUANTITY_FRACTION, "1.01"), QUANTITY_TOO_LARGE);
    EXPECT_EQ(refused(QUANTITY_FRACTION, "101%"), QUANTITY_TOO_LARGE);
}

SPEC("a value in thousandths that is not whole is refused")
{
    EXPECT_EQ(parsed(QUANTITY_PERMILLE, "25%"), 250);
    EXPECT_EQ(parsed(QUANTITY_PERMILLE, "0.25"), 250);
    EXPECT_EQ(parsed(QUANTITY_PERMILLE, "1"), 1000);
    EXPECT_EQ(refused(QUANTITY_PERMILLE, "0.01%"), QUANTITY_NOT_WHOLE);
    EXPECT_EQ(refused(QUANTITY_PERMILLE, "2"), QUANTITY_TOO_LARGE);
}

SPEC("a rate or a time other than 0 without a unit is refused")
{
    EXPECT_EQ(refused(QUANTITY_TIME, "5"), QUANTITY_NO_UNIT);
    EXPECT_EQ(refused(QUANTITY_RATE, "100"), QUANTITY_NO_UNIT);
    EXPECT_EQ(refused(QUANTITY_TIME, "5 parsecs"), QUANTITY_UNKNOWN_UNIT);
    EXPECT_EQ(refused(QUANTITY_RATE, "5us"), QUANTITY_UNKNOWN_UNIT);
    EXPECT_EQ(refused(QUANTITY_COUNT, "5 ranks"), QUANTITY_UNKNOWN_UNIT);
}

SPEC("a quantity that is not a number, too precise or too large is refused")
{
    static const char *const none[] = { "", " 1", "-1", "+1", ".5", "1.", "1..2", "many", "0x10",
        "1.2.3", "12345678901234567890" };

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        EXPECT(!(refused(QUANTITY_COUNT, none[i]) == QUANTITY_OK));
    EXPECT_EQ(refused(QUANTITY_COUNT, "1.5"), QUANTITY_NOT_WHOLE);
    EXPECT_EQ(refused(QUANTITY_TIME, "0.5ps"), QUANTITY_NOT_WHOLE);
    EXPECT_EQ(refused(QUANTITY_TIME, "99999999999s"), QUANTITY_TOO_LARGE);
    EXPECT_EQ(refused(QUANTITY_COUNT, "99999999999999999999999"), QUANTITY_TOO_LARGE);
    EXPECT_EQ(refused(QUANTITY_COUNT, "-3"), QUANTITY_NOT_A_NUMBER);
}

PROPERTY("a formatted quantity is parsed to the same value", 500)
{
    static const enum quantity_kind kinds[] = { QUANTITY_COUNT, QUANTITY_RATE, QUANTITY_TIME,
        QUANTITY_SIZE };
    struct prng prng = prng_stream(seed, 0);
    enum quantity_kind kind = kinds[prng_next(&prng) % 4];
    uint64_t value = prng_next(&prng) >> (5 + prng_next(&prng) % 58);
    char text[QUANTITY_BYTES];

    quantity_format(kind, value, text);
    EXPECT_EQ(parsed(kind, text), value);
}

PROPERTY("any text is refused with a reason or read as a value in range", 2000)
{
    static const char letters[] = "0123456789.e-%GMkTbpsnuiKB/ ";
    struct prng prng = prng_stream(seed, 1);
    char text[24] = "";
    uint64_t value = 0;

    for (size_t i = 0; i + 1 < sizeof(text) && prng_next(&prng) % 20; i++)
        text[i] = letters[prng_next(&prng) % (sizeof(letters) - 1)];
    for (int kind = 0; kind < QUANTITY_KIND_COUNT; kind++)
        EXPECT_LE(quantity_parse((enum quantity_kind)kind, text, &value), QUANTITY_TOO_LARGE);
    if (quantity_parse(QUANTITY_FRACTION, text, &value) == QUANTITY_OK)
        EXPECT_LE(value, UINT32_MAX);
    if (quantity_parse(QUANTITY_PERMILLE, text, &value) == QUANTITY_OK)
        EXPECT_LE(value, 1000);
}

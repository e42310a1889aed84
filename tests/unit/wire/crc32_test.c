/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 beside an implementation that takes one bit at a time. */
#include "spec.h"

#include "base/prng.h"
#include "icrc_reference.h"
#include "wire/crc32.h"

enum {
    BYTES = 4500, /* more than a packet of 4 KiB with its headers */
};

static void fill_randomly(uint8_t *bytes, struct prng *prng)
{
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)prng_next(prng);
}

static uint32_t reference(uint32_t crc, const uint8_t *bytes, size_t length)
{
    return ~icrc_reference_register(~crc, bytes, length);
}

SPEC("the check value of 123456789 is 0xCBF43926")
{
    EXPECT_EQ(crc32_add(0, (const uint8_t *)"123456789", 9), 0xcbf43926);
}

SPEC("every length has the CRC of the reference, wherever it begins and whatever came before")
{
    struct prng prng = prng_stream(1, 0);
    uint8_t bytes[BYTES];

    fill_randomly(bytes, &prng);
    for (uint32_t length = 0; length <= 1300; length++) {
        const uint8_t *begin = bytes + prng_below(&prng, 64);
        uint32_t before = (uint32_t)prng_next(&prng);

        EXPECT_EQ(crc32_add(before, begin, length), reference(before, begin, length));
    }
}

PROPERTY("the CRC of two parts, one after the other, is that of the whole", 200)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t first = prng_below(&prng, BYTES + 1);
    uint8_t bytes[BYTES];

    fill_randomly(bytes, &prng);
    EXPECT_EQ(crc32_add(crc32_add(0, bytes, first), bytes + first, BYTES - first),
        reference(0, bytes, BYTES));
}

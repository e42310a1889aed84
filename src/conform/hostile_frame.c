/* SPDX-License-Identifier: Apache-2.0 */
/* Damages frames. */
#include "conform/hostile_frame.h"

#include <string.h>

#include "base/bytes.h"

void hostile_frame_noise(struct prng *prng, uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)prng_next(prng);
}

/* IP headers and routing headers, one inside the other, up to the end. */
static void nest_headers(uint8_t *bytes, uint32_t length)
{
    for (uint32_t at = 40; at + 40 <= length; at += 40) {
        memset(bytes + at, 0, 40);
        bytes[at] = 0x60;
        bytes[at + 6] = at % 120 == 0 ? 43 : 41;
    }
}

uint32_t hostile_frame_damage(struct prng *prng, uint8_t *bytes, uint32_t length, uint32_t room)
{
    switch (prng_below(prng, 8)) {
    case 0:
        return prng_below(prng, length + 1);
    case 1:
        nest_headers(bytes, length);
        return length;
    case 2:
        bytes_put_be16(bytes + 4, (uint16_t)prng_next(prng));
        return length;
    case 3: {
        uint32_t longer = length + prng_below(prng, room - length);

        hostile_frame_noise(prng, bytes + length, longer - length);
        return longer;
    }
    case 4:
        hostile_frame_noise(prng, bytes, 1 + prng_below(prng, length < 100 ? length : 100));
        return length;
    default:
        for (uint32_t i = prng_below(prng, 6); i > 0; i--)
            bytes[prng_below(prng, length < 140 ? length : 140)] = (uint8_t)prng_next(prng);
        return length;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The widths of EV formats, and structured EVs. */
#include "wire/ev.h"

#include <assert.h>

uint32_t ev_format_bits(enum ev_format format)
{
    static const uint32_t bits[EV_FORMAT_COUNT] = {
        [EV_FORMAT_UDP] = 16,
        [EV_FORMAT_STRUCTURED] = 32,
        [EV_FORMAT_SRV6] = 128,
        [EV_FORMAT_SRV6_SRH] = 256,
    };

    assert(format < EV_FORMAT_COUNT);
    return bits[format];
}

uint32_t ev_structured_pack(const uint8_t *widths, const uint32_t *values, uint32_t hop_count)
{
    uint64_t ev = 0;
    uint32_t bits_left = 32;

    for (uint32_t hop = 0; hop < hop_count; hop++) {
        assert(widths[hop] <= bits_left);
        assert((uint64_t)values[hop] >> widths[hop] == 0);
        bits_left -= widths[hop];
        ev |= (uint64_t)values[hop] << bits_left;
    }
    return (uint32_t)ev;
}

void ev_structured_unpack(uint32_t ev, const uint8_t *widths, uint32_t *values, uint32_t hop_count)
{
    uint32_t bits_left = 32;

    for (uint32_t hop = 0; hop < hop_count; hop++) {
        assert(widths[hop] <= bits_left);
        bits_left -= widths[hop];
        values[hop] = (uint32_t)((uint64_t)ev >> bits_left & ((UINT64_C(1) << widths[hop]) - 1));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The widths of EV formats. */
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

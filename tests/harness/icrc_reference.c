/* SPDX-License-Identifier: Apache-2.0 */
/* The masked packet is fed byte by byte through a register that shifts one bit at a time. */
#include "icrc_reference.h"

#include <stdbool.h>

#define POLYNOMIAL_REFLECTED UINT32_C(0xedb88320)

uint32_t icrc_reference_register(uint32_t state, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        state ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ POLYNOMIAL_REFLECTED : state >> 1;
    }
    return state;
}

/* The byte at `offset` from the IP header with the fields that may change on the way all ones. */
static uint8_t masked(const uint8_t *ip, size_t offset)
{
    bool is_v4 = ip[0] >> 4 == 4;
    size_t udp = is_v4 ? 20 : 40;
    size_t bth = udp + 8;

    if (offset == udp + 6 || offset == udp + 7 || offset == bth + 4)
        return 0xff; /* UDP checksum, BTH's reserved byte */
    if (is_v4 && (offset == 1 || offset == 8 || offset == 10 || offset == 11))
        return 0xff; /* TOS, TTL, checksum */
    if (!is_v4 && offset == 0)
        return ip[0] | 0x0f; /* traffic class */
    if (!is_v4 && ((offset >= 1 && offset <= 3) || offset == 7))
        return 0xff; /* traffic class, flow label, hop limit */
    return ip[offset];
}

uint32_t icrc_reference(const uint8_t *ip, size_t length)
{
    static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    uint32_t state = icrc_reference_register(UINT32_MAX, ones, sizeof(ones));

    for (size_t i = 0; i < length; i++) {
        uint8_t byte = masked(ip, i);

        state = icrc_reference_register(state, &byte, 1);
    }
    return ~state;
}

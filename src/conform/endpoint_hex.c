/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes hex digits. */
#include "conform/endpoint_hex.h"

static const char digits[] = "0123456789abcdef";

static int value_of(char digit)
{
    int value = 0;

    while (digits[value] && digits[value] != digit)
        value++;
    return digits[value] ? value : -1;
}

bool endpoint_hex_read(const char *text, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, text += 2) {
        int high = value_of(text[0]);
        int low = high >= 0 ? value_of(text[1]) : -1;

        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void endpoint_hex_write(const uint8_t *bytes, uint32_t count, char *text)
{
    for (uint32_t i = 0; i < count; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 0xf];
    }
    *text = '\0';
}

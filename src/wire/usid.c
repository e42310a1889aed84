/* SPDX-License-Identifier: Apache-2.0 */
/* uSID lists in an address (RFC 9800, NEXT-C-SID flavour). */
#include "wire/usid.h"

#include <assert.h>
#include <string.h>

static uint32_t offset_of(struct usid_format format, uint32_t index)
{
    assert(index < usid_count_max(format));
    return format.block_bytes + index * format.usid_bytes;
}

uint32_t usid_get(const struct ipv6_addr *address, struct usid_format format, uint32_t index)
{
    const uint8_t *octets = &address->octets[offset_of(format, index)];
    uint32_t usid = 0;

    for (uint32_t i = 0; i < format.usid_bytes; i++)
        usid = usid << 8 | octets[i];
    return usid;
}

void usid_set(struct ipv6_addr *address, struct usid_format format, uint32_t index, uint32_t usid)
{
    uint8_t *octets = &address->octets[offset_of(format, index)];

    for (uint32_t i = format.usid_bytes; i-- > 0; usid >>= 8)
        octets[i] = (uint8_t)usid;
}

void usid_shift(struct ipv6_addr *address, struct usid_format format)
{
    uint8_t *active = &address->octets[format.block_bytes];
    uint8_t *next = active + format.usid_bytes;
    uint8_t *end = address->octets + sizeof(address->octets);

    assert(next <= end);
    memmove(active, next, (size_t)(end - next));
    memset(end - format.usid_bytes, 0, format.usid_bytes);
}

bool usid_is_last(const struct ipv6_addr *address, struct usid_format format)
{
    for (uint32_t i = (uint32_t)format.block_bytes + format.usid_bytes; i < sizeof(address->octets);
         i++)
        if (address->octets[i])
            return false;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the iCRC: copies and masks the headers whose fields change, then runs the CRC over the
 * copy and over the rest in place. A short packet is copied completely. */
#include "wire/icrc.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "wire/crc32.h"

enum {
    LRH_BYTES = 8, /* ones replace the local routing header of InfiniBand */
    V6_BYTES = 40,
    V4_BYTES = 20,
    UDP_BYTES = 8,
    BTH_BYTES = 12,
    UDP_CHECKSUM = 6,
    BTH_VARIANT = 4,
    SHORT_BYTES = 120, /* copying this many bytes costs less than starting a second CRC */
};

static void mask_v6(uint8_t *ip)
{
    ip[0] |= 0x0f; /* traffic class, flow label */
    memset(ip + 1, 0xff, 3);
    ip[7] = 0xff; /* hop limit */
}

static void mask_v4(uint8_t *ip)
{
    ip[1] = 0xff; /* type of service */
    ip[8] = 0xff; /* time to live */
    memset(ip + 10, 0xff, 2);
}

uint32_t icrc_compute(const uint8_t *ip, size_t length)
{
    uint8_t masked[LRH_BYTES + SHORT_BYTES];
    uint8_t *header = masked + LRH_BYTES;
    bool is_v6 = ip[0] >> 4 == 6;
    size_t ip_bytes = is_v6 ? V6_BYTES : V4_BYTES;
    size_t header_bytes = ip_bytes + UDP_BYTES + BTH_BYTES;
    size_t copy_bytes = length <= SHORT_BYTES ? length : header_bytes;
    uint32_t crc;

    assert(length >= header_bytes);
    memset(masked, 0xff, LRH_BYTES);
    memcpy(header, ip, copy_bytes);
    if (is_v6)
        mask_v6(header);
    else
        mask_v4(header);
    memset(header + ip_bytes + UDP_CHECKSUM, 0xff, 2);
    header[ip_bytes + UDP_BYTES + BTH_VARIANT] = 0xff;
    crc = crc32_add(0, masked, LRH_BYTES + copy_bytes);
    return length > copy_bytes ? crc32_add(crc, ip + copy_bytes, length - copy_bytes) : crc;
}

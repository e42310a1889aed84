/* SPDX-License-Identifier: Apache-2.0 */
/* Trims frames. */
#include "wire/trim.h"

#include <assert.h>

#include "wire/ip.h"
#include "wire/ip_nest.h"
#include "wire/ip_v4.h"

enum {
    UDP_BTH_METH_TSETH_BYTES = 8 + 12 + 4 + 4,
};

size_t trim_bytes_min(const uint8_t *bytes, size_t length)
{
    struct ip_nest nest;

    return ip_nest_walk(bytes, length, &nest) ? nest.end + UDP_BTH_METH_TSETH_BYTES : 0;
}

/* Changes only the necessary bits, so that the identification and reserved bits of other senders
 * survive. */
static void rewrite_v6(uint8_t *ip, uint8_t dscp, size_t payload_bytes)
{
    ip[0] = (uint8_t)(0x60 | dscp >> 2);
    ip[1] = (uint8_t)(dscp << 6 | (ip[1] & 0x3f)); /* keep ECN and flow label */
    bytes_put_be16(ip + 4, (uint16_t)payload_bytes);
}

static void rewrite_v4(uint8_t *ip, uint8_t dscp, size_t payload_bytes)
{
    ip[1] = (uint8_t)(dscp << 2 | (ip[1] & 3));
    bytes_put_be16(ip + 2, (uint16_t)(payload_bytes + IP_V4_BYTES));
    ip_v4_seal(ip);
}

size_t trim_frame(uint8_t *bytes, size_t length, size_t keep_bytes, uint8_t dscp)
{
    struct bytes_in in = bytes_in(bytes, length);
    size_t bytes_min = trim_bytes_min(bytes, length);
    struct ip_header ip;
    size_t payload_bytes;

    assert(dscp < 64);
    assert(keep_bytes >= bytes_min);
    if (bytes_min == 0 || ip_parse(&in, &ip) != DROP_NONE)
        return 0;
    if (length > keep_bytes)
        length = keep_bytes;
    payload_bytes = length - (size_t)(in.at - bytes);
    if (payload_bytes > ip.payload_bytes) /* Ethernet padding follows */
        payload_bytes = ip.payload_bytes;
    if (ip.is_v4)
        rewrite_v4(bytes, dscp, payload_bytes);
    else
        rewrite_v6(bytes, dscp, payload_bytes);
    return length;
}

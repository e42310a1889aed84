/* SPDX-License-Identifier: Apache-2.0 */
/* Skips the link-layer headers of captures, by link type. */
#include "decode/link_layer.h"

#include "pktio/pktio.h"
#include "wire/ethernet.h"

enum {
    LOOPBACK_BYTES = 4,
    COOKED_TYPE_OFFSET = 14,
    COOKED_2_REST_BYTES = 18,
};

bool link_layer_is_known(uint16_t link_type)
{
    switch (link_type) {
    case LINK_TYPE_NULL:
    case LINK_TYPE_ETHERNET:
    case LINK_TYPE_RAW_IP:
    case LINK_TYPE_LOOP:
    case LINK_TYPE_LINUX_COOKED:
    case LINK_TYPE_IPV4:
    case LINK_TYPE_IPV6:
    case LINK_TYPE_LINUX_COOKED_2:
        return true;
    default:
        return false;
    }
}

/* Returns the type of what follows; 0 if the header has none and the IP version decides. */
static uint16_t skip_header(uint16_t link_type, struct bytes_in *in)
{
    struct ethernet_header ethernet;
    uint16_t type;

    switch (link_type) {
    case LINK_TYPE_ETHERNET:
        ethernet_parse(in, &ethernet);
        return ethernet.type;
    case LINK_TYPE_LINUX_COOKED:
        bytes_take(in, COOKED_TYPE_OFFSET);
        return ethernet_skip_tags(in, (uint16_t)bytes_read_be(in, 2));
    case LINK_TYPE_LINUX_COOKED_2:
        type = (uint16_t)bytes_read_be(in, 2);
        bytes_take(in, COOKED_2_REST_BYTES);
        return ethernet_skip_tags(in, type);
    case LINK_TYPE_NULL:
    case LINK_TYPE_LOOP:
        bytes_take(in, LOOPBACK_BYTES);
        return 0;
    default:
        return 0;
    }
}

bool link_layer_skip(uint16_t link_type, struct bytes_in *in, uint16_t *ether_type)
{
    *ether_type = skip_header(link_type, in);
    if (!in->ok || bytes_left(in) == 0)
        return false;
    if (*ether_type == 0)
        return in->at[0] >> 4 == 4 || in->at[0] >> 4 == 6;
    return *ether_type == ETHERNET_TYPE_IPV4 || *ether_type == ETHERNET_TYPE_IPV6;
}

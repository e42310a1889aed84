/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds Endpoint Request and Response. */
#include "wire/endpoint.h"

#include <string.h>

#include "wire/stamp.h"

enum {
    RESPONSE_OP_SHIFT = 2,
};

void endpoint_parse_request(struct bytes_in *in, struct packet *packet)
{
    const uint8_t *erth = bytes_take(in, ENDPOINT_REQUEST_BYTES);

    if (!erth)
        return;
    packet->endpoint.op = erth[1] & 3;
    packet->endpoint.incarnation = erth[3];
    packet->endpoint.port_status_mask = bytes_get_be32(erth + 4);
    packet->endpoint.tx_timestamp = stamp_get(erth + 12, packet);
}

void endpoint_build_request(struct bytes_out *out, const struct packet *packet)
{
    uint8_t *erth = bytes_room(out, ENDPOINT_REQUEST_BYTES);

    if (!erth)
        return;
    memset(erth, 0, ENDPOINT_REQUEST_BYTES);
    erth[1] = packet->endpoint.op & 3;
    erth[3] = packet->endpoint.incarnation;
    bytes_put_be32(erth + 4, packet->endpoint.port_status_mask);
    stamp_put(erth + 12, packet, packet->endpoint.tx_timestamp);
}

void endpoint_parse_response(struct bytes_in *in, struct packet *packet)
{
    const uint8_t *eeth = bytes_take(in, ENDPOINT_RESPONSE_BYTES);

    if (!eeth)
        return;
    packet->endpoint.op = eeth[1] >> RESPONSE_OP_SHIFT & 3;
    packet->endpoint.port_status_mask = 0;
    packet->endpoint.incarnation = 0;
    packet->endpoint.tx_timestamp = bytes_get_be16(eeth + 28);
}

void endpoint_build_response(struct bytes_out *out, const struct packet *packet)
{
    uint8_t *eeth = bytes_room(out, ENDPOINT_RESPONSE_BYTES);

    if (!eeth)
        return;
    memset(eeth, 0, ENDPOINT_RESPONSE_BYTES);
    eeth[1] = (uint8_t)((packet->endpoint.op & 3) << RESPONSE_OP_SHIFT);
    bytes_put_be16(eeth + 28, packet->endpoint.tx_timestamp);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds Reliability NACKs. */
#include "wire/nack.h"

#define CC_TYPE_NACK 0x20 /* cc_type 2, cc_fl 0 */

void nack_parse(struct bytes_in *in, struct packet *packet)
{
    const uint8_t *neth = bytes_take(in, NACK_BYTES);
    struct packet_nack *nack = &packet->nack;

    if (!neth)
        return;
    nack->reason = neth[2];
    nack->entropy = bytes_get_be32(neth + 4);
    nack->spdcid = bytes_get_be16(neth + 8);
    nack->dpdcid = bytes_get_be16(neth + 10);
    nack->nack_psn = psn(bytes_get_be32(neth + 12));
    nack->tx_timestamp = bytes_get_be16(neth + 18);
}

void nack_build(struct bytes_out *out, const struct packet *packet)
{
    uint8_t *neth = bytes_room(out, NACK_BYTES);
    const struct packet_nack *nack = &packet->nack;

    if (!neth)
        return;
    bytes_put_be32(neth, (uint32_t)nack->reason << 8);
    bytes_put_be32(neth + 4, nack->entropy);
    bytes_put_be16(neth + 8, nack->spdcid);
    bytes_put_be16(neth + 10, nack->dpdcid);
    bytes_put_be32(neth + 12, nack->nack_psn.value);
    bytes_put_be16(neth + 16, CC_TYPE_NACK << 8);
    bytes_put_be16(neth + 18, nack->tx_timestamp);
}

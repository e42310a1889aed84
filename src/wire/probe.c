/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds Reliability Probe Requests. */
#include "wire/probe.h"

#include <string.h>

#include "wire/stamp.h"

void probe_parse(struct bytes_in *in, struct packet *packet)
{
    const uint8_t *peth = bytes_take(in, PROBE_BYTES);

    if (!peth)
        return;
    packet->probe.probe_id = bytes_get_be16(peth + 4);
    packet->probe.spdcid = bytes_get_be16(peth + 8);
    packet->probe.dpdcid = bytes_get_be16(peth + 10);
    packet->probe.tx_timestamp = stamp_get(peth + 12, packet);
}

void probe_build(struct bytes_out *out, const struct packet *packet)
{
    uint8_t *peth = bytes_room(out, PROBE_BYTES);

    if (!peth)
        return;
    memset(peth, 0, PROBE_BYTES);
    bytes_put_be16(peth + 4, packet->probe.probe_id);
    bytes_put_be16(peth + 8, packet->probe.spdcid);
    bytes_put_be16(peth + 10, packet->probe.dpdcid);
    stamp_put(peth + 12, packet, packet->probe.tx_timestamp);
}

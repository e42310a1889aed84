/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and builds Transport ACK and NAK. */
#include "wire/ack.h"

enum drop_reason ack_parse(struct bytes_in *in, struct packet *packet)
{
    uint32_t word = (uint32_t)bytes_read_be(in, 4);

    packet->ack.syndrome = (uint8_t)(word >> 24);
    packet->ack.messages_done = word & 0xffffff;
    /* 001x xxxx is RNR NAK, which MRC never sends; 010 and 1xx are reserved. */
    if ((packet->ack.syndrome & 0xe0) != 0 && !ack_is_nak(packet->ack.syndrome))
        return DROP_SYNDROME;
    return DROP_NONE;
}

void ack_build(struct bytes_out *out, const struct packet *packet)
{
    bytes_write_be(
        out, 4, (uint32_t)packet->ack.syndrome << 24 | packet->ack.messages_done % (1u << 24));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Base transport header: that of RoCEv2, with rtx and ts in its reserved bits. */
#include "wire/bth.h"

enum {
    SE_BIT = 0x80,
    M_BIT = 0x40,
    BECN_BIT = 0x40, /* RoCEv2, byte 4 */
    PKEY_DEFAULT = 0xffff,
    PKEY_INDEX_MASK = 0x7fff, /* bit 15 distinguishes full and limited members */
};

/* Returns the bits of byte 8 that are defined: RoCEv2 has only AckReq, and only a WRITE has a
 * TSETH. */
static uint8_t byte8_flags(uint8_t opcode)
{
    if (opcode_is_write(opcode))
        return PACKET_ACK_REQUEST | PACKET_RETRANSMISSION | PACKET_STAMPED;
    return opcode_is_mrc(opcode) ? PACKET_ACK_REQUEST | PACKET_RETRANSMISSION : PACKET_ACK_REQUEST;
}

static uint8_t solicited_bit(const struct wire_format *format)
{
    return format->m_before_se ? M_BIT : SE_BIT;
}

enum drop_reason bth_parse(const struct wire_format *format, struct bytes_in *in,
    struct packet *packet, uint8_t *pad_bytes)
{
    const uint8_t *bth = bytes_take(in, BTH_BYTES);

    if (!bth)
        return DROP_TRUNCATED;
    if (bth[1] & 0x0f)
        return DROP_BTH_VERSION;
    if ((bytes_get_be16(bth + 2) & PKEY_INDEX_MASK) != (PKEY_DEFAULT & PKEY_INDEX_MASK))
        return DROP_PARTITION;
    packet->opcode = bth[0];
    packet->flags = bth[8] & byte8_flags(bth[0]);
    if (bth[1] & solicited_bit(format))
        packet->flags |= PACKET_SOLICITED;
    if (bth[4] & BECN_BIT && !opcode_is_mrc(bth[0]))
        packet->flags |= PACKET_BECN;
    packet->dest_qpn = bytes_get_be32(bth + 4) & 0xffffff;
    packet->psn = psn(bytes_get_be32(bth + 8));
    *pad_bytes = bth[1] >> 4 & 3;
    return opcode_is_defined(bth[0]) ? DROP_NONE : DROP_OPCODE;
}

void bth_build(const struct wire_format *format, struct bytes_out *out, const struct packet *packet)
{
    uint8_t *bth = bytes_room(out, BTH_BYTES);
    uint32_t byte1 = opcode_has_payload(packet->opcode) ? (packet->write.pad_bytes & 3u) << 4 : 0;

    if (!bth)
        return;
    if (packet->flags & PACKET_SOLICITED)
        byte1 |= solicited_bit(format);
    bth[0] = packet->opcode;
    bth[1] = (uint8_t)byte1;
    bytes_put_be16(bth + 2, PKEY_DEFAULT);
    bytes_put_be32(bth + 4, packet->dest_qpn & 0xffffff);
    if (packet->flags & PACKET_BECN)
        bth[4] = BECN_BIT;
    bytes_put_be32(
        bth + 8, (uint32_t)(packet->flags & byte8_flags(packet->opcode)) << 24 | packet->psn.value);
}

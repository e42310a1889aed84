/* SPDX-License-Identifier: Apache-2.0 */
/* Extension headers of RDMA WRITE packets. */
#include "wire/write.h"

#include "wire/stamp.h"

/* Reads METH and TSETH. Returns the address after them. */
static inline const uint8_t *get_trimmed(const uint8_t *from, struct packet *packet)
{
    packet->write.rqmsn = bytes_get_be16(from);
    packet->write.msn = bytes_get_be16(from + 2);
    from += WRITE_METH_BYTES;
    if (!(packet->flags & PACKET_STAMPED))
        return from;
    packet->write.tx_timestamp = stamp_get(from, packet);
    return from + WRITE_TSETH_BYTES;
}

static const uint8_t *get_reth(const uint8_t *from, struct packet_write *write)
{
    write->va = bytes_get_be64(from);
    write->rkey = bytes_get_be32(from + 8);
    write->message_bytes = bytes_get_be32(from + 12);
    return from + WRITE_RETH_BYTES;
}

void write_parse_trimmed(struct bytes_in *in, struct packet *packet)
{
    const uint8_t *from = bytes_take(in, write_trimmed_bytes(packet));

    if (from)
        get_trimmed(from, packet);
}

void write_parse(struct bytes_in *in, struct packet *packet)
{
    const uint8_t *from = bytes_take(in, write_header_bytes(packet));

    if (!from)
        return;
    if (opcode_is_mrc(packet->opcode))
        from = get_trimmed(from, packet);
    if (opcode_has_reth(packet->opcode))
        from = get_reth(from, &packet->write);
    if (opcode_has_immediate(packet->opcode))
        packet->write.immediate = bytes_get_be32(from);
}

static inline uint8_t *put_trimmed(uint8_t *to, const struct packet *packet)
{
    bytes_put_be16(to, packet->write.rqmsn);
    bytes_put_be16(to + 2, packet->write.msn);
    to += WRITE_METH_BYTES;
    if (!(packet->flags & PACKET_STAMPED))
        return to;
    stamp_put(to, packet, packet->write.tx_timestamp);
    return to + WRITE_TSETH_BYTES;
}

static uint8_t *put_reth(uint8_t *to, const struct packet_write *write)
{
    bytes_put_be64(to, write->va);
    bytes_put_be32(to + 8, write->rkey);
    bytes_put_be32(to + 12, write->message_bytes);
    return to + WRITE_RETH_BYTES;
}

void write_build_trimmed(struct bytes_out *out, const struct packet *packet)
{
    uint8_t *to = bytes_room(out, write_trimmed_bytes(packet));

    if (to)
        put_trimmed(to, packet);
}

void write_build(struct bytes_out *out, const struct packet *packet)
{
    uint8_t *to = bytes_room(out, write_header_bytes(packet));

    if (!to)
        return;
    if (opcode_is_mrc(packet->opcode))
        to = put_trimmed(to, packet);
    if (opcode_has_reth(packet->opcode))
        to = put_reth(to, &packet->write);
    if (opcode_has_immediate(packet->opcode))
        bytes_put_be32(to, packet->write.immediate);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons field by field: memory would compare padding and the unused part of a union. */
#include "frame_check.h"

#include "wire/opcode.h"

#define DIFFER(field)                                                                              \
    if (a->field != b->field)                                                                      \
    return #field

static const char *write_difference(const struct packet *p, const struct packet *q)
{
    const struct packet_write *a = &p->write;
    const struct packet_write *b = &q->write;

    DIFFER(payload.length);
    DIFFER(pad_bytes);
    DIFFER(rqmsn);
    DIFFER(msn);
    DIFFER(tx_timestamp);
    if (dscp_is_trimmed((enum dscp_class)p->class)) /* nothing else survives */
        return NULL;
    DIFFER(va);
    DIFFER(rkey);
    DIFFER(message_bytes);
    DIFFER(immediate);
    return NULL;
}

static const char *sack_difference(const struct packet_sack *a, const struct packet_sack *b)
{
    DIFFER(mark);
    DIFFER(answers_probe);
    DIFFER(probe_id);
    DIFFER(entropy);
    DIFFER(spdcid);
    DIFFER(dpdcid);
    DIFFER(cack_psn.value);
    DIFFER(mpr);
    DIFFER(sack_offset);
    DIFFER(bitmap);
    DIFFER(tx_timestamp);
    DIFFER(ooo_count);
    DIFFER(restore_window);
    DIFFER(window_penalty);
    DIFFER(received_units);
    return NULL;
}

static const char *nack_difference(const struct packet_nack *a, const struct packet_nack *b)
{
    DIFFER(reason);
    DIFFER(entropy);
    DIFFER(spdcid);
    DIFFER(dpdcid);
    DIFFER(nack_psn.value);
    DIFFER(tx_timestamp);
    return NULL;
}

static const char *small_difference(const struct packet *a, const struct packet *b)
{
    switch (a->opcode) {
    case OPCODE_ACK:
    case OPCODE_ROCE_ACK:
        DIFFER(ack.syndrome);
        DIFFER(ack.messages_done);
        break;
    case OPCODE_PROBE:
        DIFFER(probe.probe_id);
        DIFFER(probe.spdcid);
        DIFFER(probe.dpdcid);
        DIFFER(probe.tx_timestamp);
        break;
    case OPCODE_ENDPOINT_REQUEST:
    case OPCODE_ENDPOINT_RESPONSE:
        DIFFER(endpoint.op);
        DIFFER(endpoint.port_status_mask);
        DIFFER(endpoint.tx_timestamp);
        break;
    default:
        break;
    }
    return NULL;
}

const char *frame_check_packets(const struct packet *a, const struct packet *b)
{
    DIFFER(opcode);
    DIFFER(flags);
    DIFFER(dest_qpn);
    DIFFER(psn.value);
    if (opcode_has_payload(a->opcode))
        return write_difference(a, b);
    if (a->opcode == OPCODE_SACK)
        return sack_difference(&a->sack, &b->sack);
    if (a->opcode == OPCODE_NACK)
        return nack_difference(&a->nack, &b->nack);
    return small_difference(a, b);
}

const char *frame_check_ip_headers(const struct ip_header *a, const struct ip_header *b)
{
    DIFFER(is_v4);
    DIFFER(flow_label);
    DIFFER(payload_bytes);
    DIFFER(traffic_class);
    DIFFER(hop_limit);
    DIFFER(next_header);
    if (!ip_address_equal(&a->src, &b->src))
        return "src";
    return ip_address_equal(&a->dst, &b->dst) ? NULL : "dst";
}

static const char *srh_difference(const struct srh *a, const struct srh *b)
{
    DIFFER(tag);
    DIFFER(next_header);
    DIFFER(segments_left);
    DIFFER(flags);
    return ip_address_equal(&a->segment, &b->segment) ? NULL : "segment";
}

static const char *network_difference(const struct frame *a, const struct frame *b)
{
    const char *field = frame_check_ip_headers(&a->inner, &b->inner);

    if (!field && a->encapsulation != FRAME_PLAIN)
        field = frame_check_ip_headers(&a->outer, &b->outer);
    if (!field && a->encapsulation == FRAME_SRV6_SRH)
        field = srh_difference(&a->srh, &b->srh);
    return field;
}

const char *frame_check_difference(const struct frame *a, const struct frame *b)
{
    const char *field;

    DIFFER(encapsulation);
    field = network_difference(a, b);
    if (field)
        return field;
    DIFFER(source_port);
    DIFFER(dest_port);
    DIFFER(inner_offset);
    DIFFER(payload_offset);
    DIFFER(length);
    DIFFER(packet.ev);
    DIFFER(packet.class);
    DIFFER(packet.ecn);
    if (!ip_address_equal(&a->packet.src, &b->packet.src))
        return "packet.src";
    if (!ip_address_equal(&a->packet.dst, &b->packet.dst))
        return "packet.dst";
    return frame_check_packets(&a->packet, &b->packet);
}

#define MUST(condition)                                                                            \
    if (!(condition))                                                                              \
    return #condition

static const char *payload_fault(const struct frame *frame, const uint8_t *bytes)
{
    const struct packet_write *write = &frame->packet.write;

    if (!opcode_has_payload(frame->packet.opcode)) {
        MUST(frame->length == frame->payload_offset + 4u);
        return NULL;
    }
    MUST(write->pad_bytes <= 3);
    if (frame_is_trimmed(frame)) {
        MUST(opcode_is_write(frame->packet.opcode));
        MUST(write->payload.bytes == NULL);
        MUST(write->payload.length <= UINT16_MAX);
        return NULL;
    }
    MUST(write->payload.bytes == bytes + frame->payload_offset);
    MUST(frame->length == frame->payload_offset + write->payload.length + write->pad_bytes + 4u);
    return NULL;
}

const char *frame_check_fault(const struct frame *frame, const uint8_t *bytes, size_t length)
{
    static const uint32_t tunnel_bytes[] = {
        [FRAME_PLAIN] = 0, [FRAME_SRV6] = IP_V6_BYTES, [FRAME_SRV6_SRH] = IP_V6_BYTES + SRH_BYTES
    };
    const struct packet *packet = &frame->packet;
    uint32_t udp_offset = frame->inner_offset + (frame->inner.is_v4 ? 20u : 40u);

    MUST(frame->length <= length);
    MUST(frame->encapsulation <= FRAME_SRV6_SRH);
    MUST(frame->inner_offset == tunnel_bytes[frame->encapsulation]);
    MUST(frame->payload_offset >= udp_offset + 8 + 12);
    MUST(frame->payload_offset <= frame->length);
    MUST(frame_is_trimmed(frame) || packet_udp_bytes(packet) == frame->inner.payload_bytes);
    MUST(opcode_is_defined(packet->opcode));
    MUST(packet->dest_qpn < 1u << 24);
    MUST(packet->psn.value < 1u << 24);
    MUST(packet->class < DSCP_CLASS_COUNT);
    MUST(packet->ecn <= ECN_CE);
    return payload_fault(frame, bytes);
}

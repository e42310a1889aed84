/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode_captured.h"

#include "decode/link_layer.h"

void decode_captured(struct decode_packet *packet, const struct wire_format *format,
    const struct capture *capture, const struct capture_packet *raw, uint8_t *scratch)
{
    struct bytes_in in = bytes_in(raw->bytes, raw->captured_bytes);
    struct decode_input input = { .scratch = scratch };
    uint16_t ether_type;

    if (!capture->is_text && !link_layer_skip(capture->link_type, &in, &ether_type)) {
        decode_packet_set_foreign(packet, ether_type, raw->original_bytes);
        return;
    }
    input.bytes = in.at;
    input.captured_bytes = (uint32_t)bytes_left(&in);
    input.length = raw->original_bytes - (uint32_t)(in.at - raw->bytes);
    decode_packet_parse(packet, format, &input);
    if (capture->is_text)
        decode_packet_expect_mrc(packet);
}

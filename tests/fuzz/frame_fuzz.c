/* SPDX-License-Identifier: Apache-2.0 */
/* Whole frames: what parses lies inside its bytes and survives being built and parsed again. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "frame_check.h"
#include "must.h"
#include "wire/frame.h"

#define UDP_BYTES_BUILDABLE (UINT16_MAX - IP_V6_BYTES - SRH_BYTES)

static void rebuild(const struct wire_format *format, const struct frame *parsed)
{
    static uint8_t bytes[1 << 17];
    struct frame built = *parsed;
    struct frame again;
    uint32_t length = frame_build(format, &built, bytes, sizeof(bytes));

    if (packet_udp_bytes(&parsed->packet) > UDP_BYTES_BUILDABLE) {
        MUST(length == 0);
        return;
    }
    MUST(length > 0);
    MUST(length <= parsed->length);
    MUST(length == parsed->length || frame_is_trimmed(parsed));
    if (opcode_has_payload(parsed->packet.opcode) && !frame_is_trimmed(parsed))
        memcpy(bytes + built.payload_offset, parsed->packet.write.payload.bytes,
            parsed->packet.write.payload.length);
    frame_seal(&built, bytes);
    MUST(frame_parse(format, bytes, length, &again) == DROP_NONE);
    MUST(frame_icrc_ok(&again, bytes));
    MUST_BE_NULL(frame_check_difference(&built, &again));
    MUST_BE_NULL(frame_check_packets(&parsed->packet, &again.packet));
}

static void parse(const struct wire_format *format, const uint8_t *data, size_t length)
{
    struct frame frame;
    enum drop_reason reason = frame_parse(format, data, length, &frame);

    MUST(reason < DROP_REASON_COUNT);
    if (reason)
        return;
    MUST_BE_NULL(frame_check_fault(&frame, data, length));
    rebuild(format, &frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    struct wire_format other = format_default;

    other.m_before_se = true;
    other.source_port_high = true;
    other.udp_port = FORMAT_UDP_PORT_PRINTED;
    other.udp_port_also = FORMAT_UDP_PORT_ROCE;
    parse(&format_default, data, length_bytes);
    parse(&other, data, length_bytes);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors that are adapted to a device. */
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "conform/endpoint_vector.h"

static const struct endpoint_device device = { .format = { .udp_port = 4791 },
    .peer = { { 0x20, 0x01, 0x0d, 0xb8, 0xaa, [15] = 1 } } };
static const struct endpoint_bench bench = { .device = &device,
    .address = { { 0x20, 0x01, 0x0d, 0xb8, 0xbb, [15] = 2 } } };
static const struct endpoint_vector_terms terms = { .qpn = 0x123456,
    .psn = 0xabcdef,
    .msn = 0x1234,
    .va = 0x7f00aabbcc00,
    .rkey = 0x99887766,
    .rqmsn = 77 };

static enum drop_reason judge_bytes(const uint8_t *bytes, uint32_t length, struct frame *frame)
{
    enum drop_reason reason = frame_parse(&format_default, bytes, length, frame);

    return reason == DROP_NONE && !frame_icrc_ok(frame, bytes) ? DROP_ICRC : reason;
}

SPEC("an adapted golden vector has the addresses, numbers and keys of the device, and is valid")
{
    const char *list = endpoint_vector_golden;
    struct endpoint_vector vector;
    uint32_t count = 0;

    while (endpoint_vector_next(&list, &vector)) {
        uint8_t bytes[ENDPOINT_VECTOR_BYTES_MAX];
        uint32_t length = endpoint_vector_adapt(&bench, &vector, &terms, bytes);
        struct frame frame;

        if (length == 0)
            continue;
        EXPECT_EQ(judge_bytes(bytes, length, &frame), DROP_NONE);
        EXPECT(ip_address_equal(&frame.packet.src, &device.peer));
        EXPECT(ip_address_equal(&frame.packet.dst, &bench.address));
        EXPECT_EQ(frame.packet.psn.value, terms.psn);
        EXPECT_EQ(frame.packet.dest_qpn, vector.name[0] == 'E' ? 2 : terms.qpn);
        if (opcode_is_write(frame.packet.opcode) && vector.name[0] != 'T') {
            EXPECT_EQ(frame.packet.write.va, terms.va);
            EXPECT_EQ(frame.packet.write.rkey, terms.rkey);
            EXPECT_EQ(frame.packet.write.msn, terms.msn);
        }
        count++;
    }
    EXPECT_EQ(count, 24); /* all but the one over IPv4 */
}

SPEC("an adapted negative vector has the verdict that it had")
{
    const char *list = endpoint_vector_negative;
    struct endpoint_vector vector;
    uint32_t count = 0;

    while (endpoint_vector_next(&list, &vector)) {
        uint8_t bytes[ENDPOINT_VECTOR_BYTES_MAX];
        uint32_t length = endpoint_vector_adapt(&bench, &vector, &terms, bytes);
        struct frame frame;
        char got[64];
        char wanted[64];

        if (length == 0)
            continue;
        snprintf(
            got, sizeof(got), "%s: %s", vector.name, drop_name(judge_bytes(bytes, length, &frame)));
        snprintf(wanted, sizeof(wanted), "%s: %s", vector.name, vector.verdict);
        EXPECT_STR_EQ(got, wanted);
        count++;
    }
    EXPECT(count >= 75);
}

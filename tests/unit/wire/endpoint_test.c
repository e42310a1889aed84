/* SPDX-License-Identifier: Apache-2.0 */
/* ERTH and EETH (docs/wire.md §11). */
#include "spec.h"

#include "vectors.h"
#include "wire/endpoint.h"

#define OFFSET_IN_VECTOR 60

static struct packet parsed_request(const uint8_t *bytes)
{
    struct bytes_in in = bytes_in(bytes, ENDPOINT_REQUEST_BYTES);
    struct packet packet = { .opcode = OPCODE_ENDPOINT_REQUEST };

    endpoint_parse_request(&in, &packet);
    EXPECT(in.ok);
    EXPECT_EQ(bytes_left(&in), 0);
    return packet;
}

static struct packet parsed_response(const uint8_t *bytes)
{
    struct bytes_in in = bytes_in(bytes, ENDPOINT_RESPONSE_BYTES);
    struct packet packet = { .opcode = OPCODE_ENDPOINT_RESPONSE };

    endpoint_parse_response(&in, &packet);
    EXPECT(in.ok);
    EXPECT_EQ(bytes_left(&in), 0);
    return packet;
}

SPEC("on the wire a port status update is 0 and an EV probe 1")
{
    EXPECT_EQ(ENDPOINT_PORT_STATUS_UPDATE, 0);
    EXPECT_EQ(ENDPOINT_EV_PROBE, 1);
}

SPEC("the EV probe of E1 is built again byte for byte")
{
    const uint8_t *bytes = vectors_find("E1")->bytes + OFFSET_IN_VECTOR;
    struct packet packet = parsed_request(bytes);
    uint8_t built[ENDPOINT_REQUEST_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));

    EXPECT_EQ(packet.endpoint.op, ENDPOINT_EV_PROBE);
    EXPECT_EQ(packet.endpoint.port_status_mask, 0);
    EXPECT_EQ(packet.endpoint.tx_timestamp, 0x3000);
    endpoint_build_request(&out, &packet);
    EXPECT_MEM_EQ(built, bytes, sizeof(built));
}

SPEC("the port mask of E2 says that ports 1, 2 and 4 can be reached")
{
    struct packet packet = parsed_request(vectors_find("E2")->bytes + OFFSET_IN_VECTOR);

    EXPECT_EQ(packet.endpoint.op, ENDPOINT_PORT_STATUS_UPDATE);
    EXPECT_EQ(packet.endpoint.port_status_mask, 1u << 1 | 1u << 2 | 1u << 4);
}

SPEC("the response of E3 has op in bits 3:2 and the stamp at byte 28")
{
    const uint8_t *bytes = vectors_find("E3")->bytes + OFFSET_IN_VECTOR;
    struct packet packet = parsed_response(bytes);
    uint8_t built[ENDPOINT_RESPONSE_BYTES];
    struct bytes_out out = bytes_out(built, sizeof(built));

    EXPECT_EQ(bytes[1], 0x04);
    EXPECT_EQ(packet.endpoint.op, ENDPOINT_EV_PROBE);
    EXPECT_EQ(packet.endpoint.tx_timestamp, 0x3000);
    endpoint_build_response(&out, &packet);
    EXPECT_MEM_EQ(built, bytes, sizeof(built));
}

SPEC("the bits around op are ignored in both")
{
    static const uint8_t ones[ENDPOINT_RESPONSE_BYTES] = { 0xff, 0xfb };

    EXPECT_EQ(parsed_request(ones).endpoint.op, 3);
    EXPECT_EQ(parsed_response(ones).endpoint.op, 2);
}

SPEC("truncated headers clear ok")
{
    for (size_t length = 0; length < ENDPOINT_RESPONSE_BYTES; length++) {
        struct bytes_in in = bytes_in(vectors_find("E3")->bytes + OFFSET_IN_VECTOR, length);
        struct bytes_in request = in;
        struct packet packet = { .opcode = OPCODE_ENDPOINT_RESPONSE };

        endpoint_parse_response(&in, &packet);
        EXPECT(!in.ok);
        endpoint_parse_request(&request, &packet);
        EXPECT_EQ(request.ok, length >= ENDPOINT_REQUEST_BYTES);
    }
}

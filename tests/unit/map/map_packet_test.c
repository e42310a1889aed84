/* SPDX-License-Identifier: Apache-2.0 */
/* Probes as packets. */
#include "spec.h"

#include "map/map.h"
#include "wire/bth.h"

SPEC("a probe is an Endpoint Request of the control class that tells port, slot and period")
{
    struct map_slot slot = { .port = 5, .period = UINT64_C(0x1fffffffe), .number = 33 };
    struct map_slot read = { 0 };
    struct packet packet;

    map_packet_write(&slot, &packet);
    EXPECT_EQ(packet.opcode, OPCODE_ENDPOINT_REQUEST);
    EXPECT_EQ(packet.dest_qpn, BTH_ENDPOINT_QPN);
    EXPECT_EQ(packet.class, DSCP_CONTROL);
    EXPECT(map_packet_read(&packet, UINT64_C(0x200000003), &read));
    EXPECT_EQ(read.port, 5);
    EXPECT_EQ(read.number, 33);
    EXPECT_EQ(read.period, slot.period);
}

SPEC("other Endpoint Requests and other packets are no probes")
{
    struct map_slot slot = { 0 };
    struct packet packet;

    map_packet_write(&slot, &packet);
    packet.endpoint.op = ENDPOINT_EV_PROBE;
    EXPECT(!map_packet_read(&packet, 0, &slot));
    map_packet_write(&slot, &packet);
    packet.opcode = OPCODE_ENDPOINT_RESPONSE;
    EXPECT(!map_packet_read(&packet, 0, &slot));
}

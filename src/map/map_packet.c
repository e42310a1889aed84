/* SPDX-License-Identifier: Apache-2.0 */
/* Probes as packets. */
#include "map/map_packet.h"

#include <assert.h>

#include "wire/bth.h"

_Static_assert(MAP_SLOTS_MAX == 1 << MAP_PACKET_SLOT_BITS, "slots fit a request ID");
_Static_assert(TOPOLOGY_PLANES_MAX == 1 << MAP_PACKET_PORT_BITS, "ports fit a request ID");

void map_packet_write(const struct map_slot *slot, struct packet *packet)
{
    assert(slot->number < MAP_SLOTS_MAX);
    assert(slot->port < TOPOLOGY_PLANES_MAX);
    packet->ev = 0;
    packet->dest_qpn = BTH_ENDPOINT_QPN;
    packet->psn = psn(slot->port << MAP_PACKET_SLOT_BITS | slot->number);
    packet->opcode = OPCODE_ENDPOINT_REQUEST;
    packet->flags = 0;
    packet->class = DSCP_CONTROL;
    packet->ecn = ECN_NOT_ECT;
    packet->port = (uint8_t)slot->port;
    packet->sender = PACKET_NO_SENDER;
    packet->endpoint = (struct packet_endpoint){ .op = ENDPOINT_MAP_PROBE,
        .port_status_mask = (uint32_t)slot->period };
}

bool map_packet_read(const struct packet *packet, uint64_t now, struct map_slot *slot)
{
    int32_t ahead;

    if (packet->opcode != OPCODE_ENDPOINT_REQUEST || packet->endpoint.op != ENDPOINT_MAP_PROBE)
        return false;
    ahead = (int32_t)(packet->endpoint.port_status_mask - (uint32_t)now);
    slot->period = now + (uint64_t)(int64_t)ahead;
    slot->port = packet->psn.value >> MAP_PACKET_SLOT_BITS & (TOPOLOGY_PLANES_MAX - 1);
    slot->number = packet->psn.value & (MAP_SLOTS_MAX - 1);
    return true;
}

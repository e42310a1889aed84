/* SPDX-License-Identifier: Apache-2.0 */
/* Driving a transport: packets in, timers, completions, packets out, always in this order. */
#include "sim/node_nic.h"

#include <assert.h>

#include "sim/egress.h"
#include "sim/wire_check.h"
#include "sim/work.h"

static uint64_t ps_of(uint64_t time_ns)
{
    return time_ns >= UINT64_MAX / ENGINE_PS_PER_NS ? SIM_NEVER_PS : time_ns * ENGINE_PS_PER_NS;
}

static uint64_t earlier(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* A sum, so that it does not matter in which order NICs are run. */
static void note(struct sim *sim, uint32_t nic, const struct packet *packet, uint64_t now_ps)
{
    uint64_t what = (uint64_t)packet->psn.value << 32 | (uint64_t)packet->opcode << 24 |
                    (uint64_t)packet->class << 16 | (uint64_t)packet->ecn << 8 | packet->port;
    uint64_t where = (uint64_t)nic << 32 | packet->dest_qpn;

    sim->hash += engine_mix(engine_mix(engine_mix(now_ps, what), where), packet->ev);
}

static void receive(
    struct sim *sim, uint32_t index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];
    struct packets_record *record = &sim->packets.all[entry->packet.handle];
    uint32_t port = mailbox_port(entry);

    if (nic->was_cut && egress_was_cut(sim, nic->first_port + port, entry->packet, now_ps)) {
        engine_lose(sim, entry->packet.handle, SIM_LOST_LINK_DOWN);
        return;
    }
    if (record->is_corrupt) {
        engine_lose(sim, entry->packet.handle, SIM_LOST_CORRUPT);
        return;
    }
    record->packet.class = entry->packet.class;
    record->packet.ecn = entry->packet.ecn;
    record->packet.port = (uint8_t)port;
    note(sim, index, &record->packet, now_ps);
    sim->arriving_nic = index;
    sim->arriving_plane = port;
    sim->packets_delivered++;
    transport_receive(nic->transport, &record->packet, engine_ns(now_ps));
    packets_give_back(&sim->packets, entry->packet.handle);
}

/* ---- out ------------------------------------------------------------------------------------- */

static uint32_t waiting_at(const struct port *port)
{
    return port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count;
}

/* Puts the path into the outer header. False: the packet goes nowhere in this fabric. */
static bool address(
    struct sim *sim, uint32_t nic, struct packets_record *record, struct ipv6_addr *outer)
{
    uint32_t to;

    if (!fabric_nic_of(sim->fabric, &record->packet.dst, &to))
        return false;
    *outer = fabric_outer(sim->fabric, nic, to, record->packet.ev);
    record->is_corrupt = false;
    if (opcode_is_write(record->packet.opcode))
        record->packet.write.payload.bytes = NULL;
    return true;
}

static void leave(struct sim *sim, uint32_t nic, uint32_t packet, uint64_t now_ps)
{
    struct packets_record *record = &sim->packets.all[packet];
    uint32_t port = sim->nics[nic].first_port + record->packet.port;

    assert(record->packet.port < sim->plane_count);
    sim->packets_sent++;
    if (!address(sim, nic, record, &sim->packets.outer[packet])) {
        engine_lose(sim, packet, SIM_LOST_NO_ROUTE);
        return;
    }
    egress_advance(sim, port, now_ps);
    egress_enter(sim, port,
        (struct port_entry){ .handle = packet,
            .length_bytes = (uint16_t)(packet_nominal_bytes(&record->packet) + ENGINE_OUTER_BYTES),
            .class = record->packet.class,
            .ecn = record->packet.ecn },
        now_ps);
}

/* Works the ports off up to now and yields those with room for a packet. */
static uint32_t ready_ports(struct sim *sim, const struct engine_nic *nic, uint64_t now_ps)
{
    uint32_t ready = 0;

    for (uint32_t p = 0; p < sim->plane_count; p++) {
        egress_advance(sim, nic->first_port + p, now_ps);
        if (waiting_at(&sim->ports[nic->first_port + p]) < ENGINE_NIC_ROOM)
            ready |= UINT32_C(1) << p;
    }
    return ready & nic->ports_up;
}

/* When the first port goes on; they have been advanced. */
static uint64_t ports_ps(const struct sim *sim, const struct engine_nic *nic)
{
    uint64_t next_ps = SIM_NEVER_PS;

    for (uint32_t p = 0; p < sim->plane_count; p++)
        next_ps = earlier(next_ps, port_next_ps(&sim->ports[nic->first_port + p]));
    return next_ps;
}

static void send(struct sim *sim, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];
    uint32_t ready = ready_ports(sim, nic, now_ps);

    nic->room_ps = 0;
    while (ready != 0) {
        uint32_t packet = packets_take(&sim->packets);
        uint32_t port;

        if (packet == PACKETS_NONE) {
            sim->status = SIM_OUT_OF_MEMORY;
            return;
        }
        if (transport_send(nic->transport, ready, &sim->packets.all[packet].packet, 1,
                engine_ns(now_ps)) == 0) {
            packets_give_back(&sim->packets, packet);
            return;
        }
        port = sim->packets.all[packet].packet.port;
        leave(sim, index, packet, now_ps);
        if (waiting_at(&sim->ports[nic->first_port + port]) >= ENGINE_NIC_ROOM)
            ready &= ~(UINT32_C(1) << port);
    }
    nic->room_ps = ports_ps(sim, nic);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* A deadline that has passed is served a nanosecond later: a transport that keeps one must not stop
 * time. */
static void turn(struct sim *sim, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];

    if (nic->timer_ps <= now_ps)
        transport_expire(nic->transport, engine_ns(now_ps));
    work_turn(sim, index, now_ps);
    if (nic->room_ps <= now_ps && transport_wants_to_send(nic->transport))
        send(sim, index, now_ps);
    nic->timer_ps = ps_of(transport_deadline_ns(nic->transport));
    if (nic->timer_ps <= now_ps)
        nic->timer_ps = now_ps + ENGINE_PS_PER_NS;
    nic->turn_ps = earlier(nic->timer_ps, nic->work_ps);
    if (transport_wants_to_send(nic->transport))
        nic->turn_ps =
            earlier(nic->turn_ps, nic->room_ps > now_ps ? nic->room_ps : ports_ps(sim, nic));
}

void node_nic_run(struct sim *sim, uint32_t index, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    struct engine_nic *nic = &sim->nics[index];
    uint64_t wake_ps;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t now_ps = open_ps + mailbox_offset_ps(&entries[i]);

        while (nic->turn_ps < now_ps)
            turn(sim, index, nic->turn_ps);
        receive(sim, index, &entries[i], now_ps);
        nic->turn_ps = now_ps;
    }
    while (nic->turn_ps < end_ps)
        turn(sim, index, nic->turn_ps);
    for (uint32_t p = 0; p < sim->plane_count; p++)
        egress_advance(sim, nic->first_port + p, end_ps - 1);
    wake_ps = earlier(nic->turn_ps, ports_ps(sim, nic));
    if (wake_ps != SIM_NEVER_PS)
        engine_wake(sim, index, wake_ps);
}

void node_nic_arrive(
    struct sim *sim, uint32_t index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    receive(sim, index, entry, now_ps);
    sim->nics[index].turn_ps = now_ps;
    engine_wake(sim, index, now_ps);
}

void node_nic_ports_changed(struct sim *sim, uint32_t index, uint32_t ports_up, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];

    nic->ports_up = ports_up;
    transport_ports_changed(nic->transport, ports_up, engine_ns(now_ps));
    nic->turn_ps = earlier(nic->turn_ps, now_ps);
}

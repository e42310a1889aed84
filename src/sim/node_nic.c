/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a transport: packets in, timers, completions, packets out, always in this order. */
#include "sim/node_nic.h"

#include <assert.h>

#include "sim/egress.h"
#include "sim/plane_check.h"
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

/* A sum, so that it does not depend on the order in which NICs are run. */
static void note(struct sim *sim, uint32_t nic, const struct packet *packet, uint64_t now_ps)
{
    uint64_t what = (uint64_t)packet->psn.value << 32 | (uint64_t)packet->opcode << 24 |
                    (uint64_t)packet->class << 16 | (uint64_t)packet->ecn << 8 | packet->port;
    uint64_t where = (uint64_t)nic << 32 | packet->dest_qpn;

    sim->hash += sim_engine_mix(sim_engine_mix(sim_engine_mix(now_ps, what), where), packet->ev);
}

static void receive(
    struct sim *sim, uint32_t index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];
    const struct packets_record *record = &sim->packets.all[entry->packet.handle];
    uint32_t port = mailbox_port(entry);
    struct packet packet;

    if (nic->was_cut && egress_was_cut(sim, nic->first_port + port, entry->packet, now_ps)) {
        sim_engine_lose(sim, entry->packet.handle, LOST_LINK_DOWN);
        return;
    }
    if (record->is_corrupt) {
        sim_engine_lose(sim, entry->packet.handle, LOST_CORRUPT);
        return;
    }
    packets_load(record, sim->fabric, &packet);
    packet.dst = record->to == index ? nic->address : plan_nic_address(sim->fabric, record->to);
    packet.class = entry->packet.class;
    packet.ecn = entry->packet.ecn;
    packet.port = (uint8_t)port;
    if (sim->config.wire)
        wire_check_arrival(sim, entry->packet, &packet);
    packets_give_back(&sim->packets, entry->packet.handle);
    note(sim, index, &packet, now_ps);
    sim->arriving_plane = port;
    sim->packets_delivered++;
    transport_receive(nic->transport, &packet, sim_engine_ns(now_ps));
}

/* ---- out ------------------------------------------------------------------------------------- */

static uint32_t waiting_at(const struct port *port)
{
    return port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count;
}

/* Returns false if there is no such path. */
static bool address(
    const struct sim *sim, uint32_t from, uint32_t to, uint32_t ev, struct ipv6_addr *outer)
{
    if (__builtin_expect(sim->topology->graph != NULL, false))
        return lists_outer(&sim->lists, from, to, ev, outer);
    *outer = plan_outer(sim->fabric, from, to, ev);
    return true;
}

/* Writes the path into the outer header and puts the packet into the queue of its port. */
static void leave(struct sim *sim, uint32_t nic, const struct packet *packet, uint64_t now_ps)
{
    uint32_t port = sim->nics[nic].first_port + packet->port;
    uint32_t handle = packets_take(&sim->packets);
    uint32_t to;

    assert(packet->port < sim->plane_count);
    assert(handle != PACKETS_NONE);
    sim->packets_sent++;
    if (!plan_nic_of(sim->fabric, &packet->dst, &to) ||
        !address(sim, nic, to, packet->ev, &sim->packets.outer[handle])) {
        sim_engine_lose(sim, handle, LOST_NO_ROUTE);
        return;
    }
    packets_store(&sim->packets.all[handle], packet, nic, to);
    egress_advance(sim, port, now_ps);
    egress_enter(sim, port,
        (struct port_entry){ .handle = handle,
            .length_bytes = (uint16_t)(packet_nominal_bytes(packet) + ENGINE_OUTER_BYTES),
            .class = packet->class,
            .ecn = packet->ecn },
        now_ps);
}

/* Advances the ports to now and returns those with room for a packet. */
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

/* Returns when the first port continues. The ports have been advanced. */
static uint64_t ports_ps(const struct sim *sim, const struct engine_nic *nic)
{
    uint64_t next_ps = SIM_NEVER_PS;

    for (uint32_t p = 0; p < sim->plane_count; p++)
        next_ps = earlier(next_ps, port_next_ps(&sim->ports[nic->first_port + p]));
    return next_ps;
}

/* Returns when a port needs more packets before it runs empty: when half of its queue has been
 * sent. Turns that happen before then fill it as well. */
static uint64_t hungry_ps(const struct sim *sim, const struct engine_nic *nic)
{
    uint64_t first_ps = SIM_NEVER_PS;

    for (uint32_t p = 0; p < sim->plane_count; p++) {
        const struct port *port = &sim->ports[nic->first_port + p];
        uint32_t bytes = port->queues[PORT_DATA].bytes + port->queues[PORT_CONTROL].bytes;

        if (bytes > 0)
            first_ps =
                earlier(first_ps, port->free_ps + port_transmission_ps(port->profile, bytes) / 2);
    }
    return first_ps;
}

static void send(struct sim *sim, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];
    uint32_t ready = ready_ports(sim, nic, now_ps);
    struct packet packet;

    nic->room_ps = 0;
    while (ready != 0) {
        if (packets_are_all_used(&sim->packets)) {
            sim->status = SIM_OUT_OF_MEMORY;
            return;
        }
        if (transport_send(nic->transport, ready, &packet, 1, sim_engine_ns(now_ps)) == 0)
            return;
        if (sim->config.checks)
            plane_check_send(sim, index, ready, &packet, now_ps);
        leave(sim, index, &packet, now_ps);
        if (waiting_at(&sim->ports[nic->first_port + packet.port]) >= ENGINE_NIC_ROOM)
            ready &= ~(UINT32_C(1) << packet.port);
    }
    nic->room_ps = ports_ps(sim, nic);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void expire(struct sim *sim, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];
    const uint64_t *timeouts = &transport_counters(nic->transport)[COUNTER_TIMEOUT_FIRED];
    uint64_t before = *timeouts;

    transport_expire(nic->transport, sim_engine_ns(now_ps));
    if (*timeouts != before)
        sim_engine_event(sim, &(struct sim_event){ .time_ps = now_ps,
                                  .kind = SIM_EVENT_TIMEOUT,
                                  .subject = index,
                                  .values = { *timeouts - before } });
}

/* A deadline in the past is served one nanosecond later, so that a transport that keeps a deadline
 * cannot stop time. */
static void turn(struct sim *sim, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[index];
    uint64_t room_ps = SIM_NEVER_PS;
    struct transport_wants wants;

    if (nic->timer_ps <= now_ps)
        expire(sim, index, now_ps);
    wants = transport_wants(nic->transport);
    if (wants.to_tell || nic->work_ps <= now_ps) {
        work_turn(sim, index, now_ps);
        wants = transport_wants(nic->transport);
    }
    if (wants.to_send) {
        if (nic->room_ps <= now_ps)
            send(sim, index, now_ps);
        room_ps = hungry_ps(sim, nic);
    }
    nic->timer_ps = ps_of(transport_deadline_ns(nic->transport));
    if (nic->timer_ps <= now_ps)
        nic->timer_ps = now_ps + ENGINE_PS_PER_NS;
    nic->turn_ps = earlier(earlier(nic->timer_ps, nic->work_ps), room_ps);
}

void node_nic_run(struct sim *sim, uint32_t nic_index, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    struct engine_nic *nic = &sim->nics[nic_index];
    uint64_t wake_ps;

    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&sim->packets.all[entries[i].packet.handle], 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t now_ps = open_ps + mailbox_offset_ps(&entries[i]);

        while (nic->turn_ps < now_ps)
            turn(sim, nic_index, nic->turn_ps);
        receive(sim, nic_index, &entries[i], now_ps);
        nic->turn_ps = now_ps;
    }
    while (nic->turn_ps < end_ps)
        turn(sim, nic_index, nic->turn_ps);
    for (uint32_t p = 0; p < sim->plane_count; p++)
        egress_advance(sim, nic->first_port + p, end_ps - 1);
    wake_ps = earlier(nic->turn_ps, ports_ps(sim, nic));
    if (wake_ps != SIM_NEVER_PS)
        sim_engine_wake(sim, nic_index, wake_ps);
}

void node_nic_arrive(
    struct sim *sim, uint32_t nic_index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    receive(sim, nic_index, entry, now_ps);
    sim->nics[nic_index].turn_ps = now_ps;
    sim_engine_wake(sim, nic_index, now_ps);
}

void node_nic_ports_changed(struct sim *sim, uint32_t nic_index, uint32_t ports_up, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[nic_index];

    nic->ports_up = ports_up;
    transport_ports_changed(nic->transport, ports_up, sim_engine_ns(now_ps));
    nic->room_ps = 0;
    nic->turn_ps = earlier(nic->turn_ps, now_ps);
}

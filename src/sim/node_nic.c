/* SPDX-License-Identifier: Apache-2.0 */
/* Drives an endpoint: packets in, timers, completions, packets out, always in this order. */
#include "sim/node_nic.h"

#include <assert.h>

#include "sim/agents.h"
#include "sim/egress.h"
#include "sim/endpoint_mrc.h"
#include "sim/loans.h"
#include "sim/nic_model.h"
#include "sim/node_policy.h"
#include "sim/pause.h"
#include "sim/srv6.h"
#include "sim/work.h"

static uint64_t earlier(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}

/* ---- in -------------------------------------------------------------------------------------- */

static void deliver_packet(
    struct shard *shard, uint32_t index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    shard->arriving_plane = mailbox_port(entry);
    shard->packets_delivered++;
    if (__builtin_expect(shard->sim->agents != NULL, false) &&
        agents_take(shard, index, mailbox_port(entry), entry->packet.handle))
        return;
    shard->endpoint->receive(shard, index, mailbox_port(entry), entry->packet, now_ps);
}

/* Not inlined, so that receive_entry() need not save registers. */
static __attribute__((noinline)) void deliver_or_lose(
    struct shard *shard, uint32_t index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    struct engine_nic *nic = &shard->nics[index];
    uint32_t port = nic->first_port + mailbox_port(entry);

    if (node_policy_is_pause(entry)) {
        egress_advance(shard, port, now_ps);
        node_policy_on_pause(shard, port, entry->packet, now_ps);
        nic->room_ps = 0;
    } else if (nic->was_cut && egress_was_cut(shard, port, entry->packet, now_ps)) {
        shard_lose(shard, entry->packet.handle, LOST_LINK_DOWN);
    } else if (shard->packets.all[entry->packet.handle].is_corrupt) {
        shard_lose(shard, entry->packet.handle, LOST_CORRUPT);
    } else if (shard->nic_models) {
        nic_model_arrive(shard, index, entry, now_ps);
    } else {
        deliver_packet(shard, index, entry, now_ps);
    }
}

static void receive_entry(
    struct shard *shard, uint32_t index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    if (shard->has_slow_arrivals || shard->nics[index].was_cut ||
        shard->packets.all[entry->packet.handle].is_corrupt)
        deliver_or_lose(shard, index, entry, now_ps);
    else
        deliver_packet(shard, index, entry, now_ps);
}

static void deliver_waiting(struct shard *shard, uint32_t index, uint64_t now_ps)
{
    struct mailbox_entry entry;

    while (nic_model_receive(shard, index, &entry, now_ps))
        deliver_packet(shard, index, &entry, now_ps);
}

/* ---- out ------------------------------------------------------------------------------------- */

static uint32_t waiting_at(const struct port *port)
{
    return port->queues[PORT_DATA].count + port->queues[PORT_CONTROL].count;
}

static bool has_room(const struct shard *shard, uint32_t port, uint64_t now_ps)
{
    const struct port *queue = &shard->ports[port];

    return waiting_at(queue) < ENGINE_NIC_ROOM ||
           (shard->endpoint->passes_pauses && pause_holds(shard, port, now_ps) &&
               queue->queues[PORT_CONTROL].count < ENGINE_NIC_ROOM);
}

uint32_t node_nic_data_ports(const struct shard *shard, uint32_t nic_index, uint32_t ready_ports)
{
    uint32_t first_port = shard->nics[nic_index].first_port;

    for (uint32_t p = 0; p < shard->plane_count; p++)
        if (waiting_at(&shard->ports[first_port + p]) >= ENGINE_NIC_ROOM)
            ready_ports &= ~(UINT32_C(1) << p);
    return ready_ports;
}

/* Returns false if there is no such path. */
static bool address(
    const struct shard *shard, uint32_t from, uint32_t to, uint32_t ev, struct ipv6_addr *outer)
{
    if (__builtin_expect(ev == ENDPOINT_NO_EV, false))
        return true;
    if (__builtin_expect(shard->topology->graph != NULL, false))
        return lists_outer(&shard->sim->lists, from, to, ev, outer);
    *outer = plan_outer(shard->fabric, from, to, ev);
    return true;
}

/* Writes the path into the outer header and puts the packet into the queue of its port. */
static void enqueue_packet(
    struct shard *shard, uint32_t nic, const struct endpoint_departure *leaving, uint64_t now_ps)
{
    uint32_t port = shard->nics[nic].first_port + leaving->port;
    struct port_entry packet = leaving->packet;
    uint32_t handle = packet.handle;

    assert(leaving->port < shard->plane_count);
    shard->packets_sent++;
    if (leaving->to == ENDPOINT_NOWHERE ||
        !address(shard, nic, leaving->to, leaving->ev, &shard->packets.outer[handle])) {
        shard_lose(shard, handle, LOST_NO_ROUTE);
        return;
    }
    if (__builtin_expect(shard->sim->lists.segments != NULL, false))
        srv6_enter(shard, &packet);
    egress_advance(shard, port, now_ps);
    egress_enter(shard, port, &packet, now_ps);
    if (__builtin_expect(shard->policy != NULL, false))
        pause_on_entered(shard, port, now_ps);
}

/* Advances the ports to now and returns those with room for a packet. */
static uint32_t ready_ports(struct shard *shard, const struct engine_nic *nic, uint64_t now_ps)
{
    uint32_t ready = 0;

    for (uint32_t p = 0; p < shard->plane_count; p++) {
        egress_advance(shard, nic->first_port + p, now_ps);
        if (has_room(shard, nic->first_port + p, now_ps))
            ready |= UINT32_C(1) << p;
    }
    return ready & nic->ports_up;
}

/* Returns when the first port continues. The ports have been advanced. */
static uint64_t ports_ps(const struct shard *shard, const struct engine_nic *nic)
{
    uint64_t next_ps = SIM_NEVER_PS;

    for (uint32_t p = 0; p < shard->plane_count; p++)
        next_ps = earlier(next_ps, port_next_ps(&shard->ports[nic->first_port + p]));
    return next_ps;
}

/* Returns when a port needs more packets before it runs empty: when half of its queue has been
 * sent. Turns that happen before then fill it as well. */
static inline __attribute__((always_inline)) uint64_t hungry_ps(
    const struct shard *shard, const struct engine_nic *nic)
{
    uint64_t first_ps = SIM_NEVER_PS;

    for (uint32_t p = 0; p < shard->plane_count; p++) {
        const struct port *port = &shard->ports[nic->first_port + p];
        uint32_t bytes = port->queues[PORT_DATA].bytes + port->queues[PORT_CONTROL].bytes;

        if (bytes > 0)
            first_ps =
                earlier(first_ps, port->free_ps + port_transmission_ps(port->profile, bytes) / 2);
    }
    return first_ps;
}

/* The sender of the NIC works on a packet before it leaves; packets that wait before it hide this
 * time. Returns false if the sender is not done yet. */
static bool hold_packet(
    struct shard *shard, uint32_t nic, const struct endpoint_departure *leaving, uint64_t now_ps)
{
    struct port *port = &shard->ports[shard->nics[nic].first_port + leaving->port];
    uint64_t ready_ps = nic_model_send(shard, nic, leaving, now_ps);

    if (waiting_at(port) == 1)
        port_hold(port, ready_ps);
    return ready_ps <= now_ps;
}

static void send_packets(struct shard *shard, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &shard->nics[index];
    uint32_t ready = ready_ports(shard, nic, now_ps);
    struct endpoint_departure leaving;

    nic->room_ps = 0;
    while (ready != 0) {
        if (packets_are_all_used(&shard->packets)) {
            shard->status = SIM_OUT_OF_MEMORY;
            return;
        }
        if (!shard->endpoint->send(shard, index, ready, &leaving, now_ps))
            return;
        enqueue_packet(shard, index, &leaving, now_ps);
        if (__builtin_expect(shard->nic_models != NULL, false) &&
            !hold_packet(shard, index, &leaving, now_ps))
            break;
        if (!has_room(shard, nic->first_port + leaving.port, now_ps))
            ready &= ~(UINT32_C(1) << leaving.port);
    }
    nic->room_ps = ports_ps(shard, nic);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* Those of MRC are called by name, so that they can be inlined. */
static inline struct endpoint_wants wants_of(const struct shard *shard, const void *endpoint)
{
    return shard->endpoint == &endpoint_mrc ? endpoint_mrc_wants(endpoint)
                                            : shard->endpoint->wants(endpoint);
}

static inline uint64_t deadline_of(const struct shard *shard, const void *endpoint)
{
    return sim_engine_ps(shard->endpoint == &endpoint_mrc ? endpoint_mrc_deadline_ns(endpoint)
                                                          : shard->endpoint->deadline_ns(endpoint));
}

static void expire_timers(struct shard *shard, uint32_t index, uint64_t now_ps)
{
    uint64_t timeouts;

    if (now_ps >= shard->nics[index].closing_ps)
        loans_close(shard, index, now_ps);
    timeouts = shard->endpoint->expire(shard->nics[index].endpoint, sim_engine_ns(now_ps));
    if (timeouts > 0)
        shard_report_event(shard, &(struct sim_event){ .time_ps = now_ps,
                                      .kind = SIM_EVENT_TIMEOUT,
                                      .subject = index,
                                      .values = { timeouts } });
}

/* A deadline in the past is served one nanosecond later, so that an endpoint that keeps a deadline
 * cannot stop time. */
static void run_turn(struct shard *shard, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &shard->nics[index];
    uint64_t room_ps = SIM_NEVER_PS;
    struct endpoint_wants wants;

    if (nic->timer_ps <= now_ps)
        expire_timers(shard, index, now_ps);
    wants = wants_of(shard, nic->endpoint);
    if (wants.to_tell || nic->work_ps <= now_ps) {
        work_turn(shard, index, now_ps);
        wants = wants_of(shard, nic->endpoint);
    }
    if (wants.to_send) {
        if (nic->room_ps <= now_ps)
            send_packets(shard, index, now_ps);
        room_ps = hungry_ps(shard, nic);
    }
    nic->timer_ps = deadline_of(shard, nic->endpoint);
    if (nic->timer_ps <= now_ps)
        nic->timer_ps = now_ps + ENGINE_PS_PER_NS;
    nic->turn_ps = earlier(earlier(nic->timer_ps, nic->work_ps), room_ps);
}

/* The engines of the NIC act before and after the endpoint: the receiver hands over what it is done
 * with, while the sender works on a packet the endpoint sends no other, and timers are late. */
static __attribute__((noinline)) void run_model_turn(
    struct shard *shard, uint32_t index, uint64_t now_ps)
{
    const struct nic_model *model = &shard->nic_models[index];
    struct engine_nic *nic = &shard->nics[index];
    uint64_t next_ps = SIM_NEVER_PS;

    for (uint32_t p = 0; p < shard->plane_count; p++)
        egress_advance(shard, nic->first_port + p, now_ps);
    deliver_waiting(shard, index, now_ps);
    run_turn(shard, index, now_ps);
    if (wants_of(shard, nic->endpoint).to_send)
        next_ps = hungry_ps(shard, nic);
    if (model->send_ps > now_ps) {
        nic->room_ps = model->send_ps;
        next_ps = earlier(next_ps, model->send_ps);
    }
    nic->timer_ps = nic_model_timer_ps(shard, index, deadline_of(shard, nic->endpoint));
    if (nic->timer_ps <= now_ps)
        nic->timer_ps = now_ps + ENGINE_PS_PER_NS;
    nic->turn_ps =
        earlier(earlier(nic->timer_ps, nic->work_ps), earlier(next_ps, nic_model_next_ps(model)));
}

/* The agent of the NIC acts first. */
static __attribute__((noinline)) void run_agent_turn(
    struct shard *shard, uint32_t index, uint64_t now_ps)
{
    struct engine_nic *nic = &shard->nics[index];

    agents_turn(shard, index, now_ps);
    if (shard->nic_models)
        run_model_turn(shard, index, now_ps);
    else
        run_turn(shard, index, now_ps);
    nic->turn_ps = earlier(nic->turn_ps, shard->sim->agents->next_ps[index]);
}

static inline void run_either_turn(struct shard *shard, uint32_t index, uint64_t now_ps)
{
    if (__builtin_expect(shard->sim->agents != NULL, false))
        run_agent_turn(shard, index, now_ps);
    else if (__builtin_expect(shard->nic_models != NULL, false))
        run_model_turn(shard, index, now_ps);
    else
        run_turn(shard, index, now_ps);
}

void node_nic_run(struct shard *shard, uint32_t nic_index, const struct mailbox_entry *entries,
    uint32_t count, uint64_t open_ps, uint64_t end_ps)
{
    struct engine_nic *nic = &shard->nics[nic_index];
    uint64_t wake_ps;

    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&shard->packets.all[entries[i].packet.handle], 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t now_ps = open_ps + mailbox_offset_ps(&entries[i]);

        while (nic->turn_ps < now_ps)
            run_either_turn(shard, nic_index, nic->turn_ps);
        receive_entry(shard, nic_index, &entries[i], now_ps);
        nic->turn_ps = now_ps;
    }
    while (nic->turn_ps < end_ps)
        run_either_turn(shard, nic_index, nic->turn_ps);
    for (uint32_t p = 0; p < shard->plane_count; p++)
        egress_advance(shard, nic->first_port + p, end_ps - 1);
    wake_ps = earlier(nic->turn_ps, ports_ps(shard, nic));
    if (wake_ps != SIM_NEVER_PS)
        shard_wake(shard, nic_index, wake_ps);
}

void node_nic_arrive(
    struct shard *shard, uint32_t nic_index, const struct mailbox_entry *entry, uint64_t now_ps)
{
    receive_entry(shard, nic_index, entry, now_ps);
    shard->nics[nic_index].turn_ps = now_ps;
    shard_wake(shard, nic_index, now_ps);
}

void node_nic_ports_changed(
    struct shard *shard, uint32_t nic_index, uint32_t ports_up, uint64_t now_ps)
{
    struct engine_nic *nic = &shard->nics[nic_index];

    nic->ports_up = ports_up;
    shard->endpoint->ports_changed(nic->endpoint, ports_up, sim_engine_ns(now_ps));
    nic->room_ps = 0;
    nic->turn_ps = earlier(nic->turn_ps, now_ps);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Translates between the simulator and the transport: numbers of NICs and addresses, records and
 * packets, picoseconds and nanoseconds, messages and work requests. */
#include "sim/endpoint_mrc.h"

#include <assert.h>

#include "sim/loans.h"
#include "sim/plane_check.h"
#include "sim/protocol.h"
#include "sim/setup.h"
#include "sim/wire_check.h"
#include "sim/work.h"

#define REQUEST_BYTES_MAX (UINT64_C(1) << 31)

static struct transport *transport_of(const struct shard *shard, uint32_t nic)
{
    return shard->nics[nic].endpoint;
}

/* ---- packets --------------------------------------------------------------------------------- */

/* A sum, so that it does not depend on the order in which NICs are run. */
static void note_packet(
    struct shard *shard, uint32_t nic, const struct packet *packet, uint64_t now_ps)
{
    uint64_t what = (uint64_t)packet->psn.value << 32 | (uint64_t)packet->opcode << 24 |
                    (uint64_t)packet->class << 16 | (uint64_t)packet->ecn << 8 | packet->port;
    uint64_t where = (uint64_t)nic << 32 | packet->dest_qpn;

    shard->hash += sim_engine_mix(sim_engine_mix(sim_engine_mix(now_ps, what), where), packet->ev);
}

static void receive_packet(
    void *network, uint32_t index, uint32_t port, struct port_entry entry, uint64_t now_ps)
{
    struct shard *shard = network;
    const struct engine_nic *nic = &shard->nics[index];
    const struct packets_record *record = &shard->packets.all[entry.handle];
    struct packet packet;

    packets_load(record, shard->fabric, &packet);
    packet.dst = record->to == index ? nic->address : plan_nic_address(shard->fabric, record->to);
    packet.class = entry.class;
    packet.ecn = entry.ecn;
    packet.port = (uint8_t)port;
    if (shard->sim->config.wire)
        wire_check_arrival(shard, entry, &packet);
    packets_give_back(&shard->packets, entry.handle);
    note_packet(shard, index, &packet, now_ps);
    if (__builtin_expect(now_ps >= nic->closing_ps, false))
        loans_close(shard, index, now_ps);
    transport_receive(nic->endpoint, &packet, sim_engine_ns(now_ps));
}

static bool send_packet(void *network, uint32_t nic, uint32_t ready_ports,
    struct endpoint_departure *leaving, uint64_t now_ps)
{
    struct shard *shard = network;
    struct packet packet;
    uint32_t handle;

    if (transport_send(transport_of(shard, nic), ready_ports, &packet, 1, sim_engine_ns(now_ps)) ==
        0)
        return false;
    if (shard->sim->config.checks)
        plane_check_send(shard, nic, ready_ports, &packet, now_ps);
    handle = packets_take(&shard->packets);
    assert(handle != PACKETS_NONE);
    leaving->packet = (struct port_entry){ .handle = handle,
        .length_bytes = (uint16_t)(packet_nominal_bytes(&packet) + ENGINE_OUTER_BYTES),
        .class = packet.class,
        .ecn = packet.ecn };
    leaving->port = packet.port;
    leaving->ev = packet.ev;
    leaving->sender = packet.sender;
    if (!plan_nic_of(shard->fabric, &packet.dst, &leaving->to))
        leaving->to = ENDPOINT_NOWHERE;
    packets_store(&shard->packets.all[handle], &packet, nic, leaving->to);
    return true;
}

static void ports_changed(void *endpoint, uint32_t up_mask, uint64_t now_ns)
{
    transport_ports_changed(endpoint, up_mask, now_ns);
}

static void penalize(void *endpoint, uint8_t penalty)
{
    transport_set_penalty(endpoint, penalty);
}

struct endpoint_wants endpoint_mrc_wants(const void *endpoint)
{
    struct transport_wants wants = transport_wants(endpoint);

    return (struct endpoint_wants){ .to_send = wants.to_send, .to_tell = wants.to_tell };
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t endpoint_mrc_deadline_ns(const void *endpoint)
{
    return transport_deadline_ns(endpoint);
}

static uint64_t expire_timers(void *endpoint, uint64_t now_ns)
{
    const uint64_t *timeouts = &transport_counters(endpoint)[COUNTER_TIMEOUT_FIRED];
    uint64_t before = *timeouts;

    transport_expire(endpoint, now_ns);
    return *timeouts - before;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* Returns the key of the memory of a flow. */
static uint32_t key_of(uint32_t flow)
{
    return flow + 1;
}

/* A message is one request, or several if it is too long for one; the last one completes it. */
static void post_message(void *network, uint32_t nic, uint32_t flow,
    const struct endpoint_message *message, uint64_t now_ps)
{
    struct shard *shard = network;
    uint64_t done = 0;

    loans_open(shard, &shard->sim->flows[flow]);
    do {
        uint64_t left = message->bytes - done;
        bool is_last = left <= REQUEST_BYTES_MAX;
        uint32_t length = (uint32_t)(is_last ? left : REQUEST_BYTES_MAX);
        int err = transport_post_send(transport_of(shard, nic), shard->sim->flows[flow].qpn_out,
            &(struct work_request){ .remote_va = message->offset_bytes + done,
                .rkey = key_of(flow),
                .length_bytes = length,
                .immediate = message->tag,
                .flags = is_last ? WORK_SIGNALED | (message->tells ? WORK_WITH_IMMEDIATE : 0) : 0 },
            sim_engine_ns(now_ps));

        assert(err == 0);
        (void)err;
        done += length;
    } while (done < message->bytes);
}

enum transport_access endpoint_mrc_place(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    struct shard *shard = context;
    struct engine_flow_end *end = owner;

    (void)qpn;
    if (rkey != key_of((uint32_t)(end - shard->sim->flow_ends)))
        return TRANSPORT_ACCESS_REFUSED;
    work_place(shard, end, va, payload->length);
    return TRANSPORT_ACCESS_OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void fill_path_change(const struct shard *shard, uint32_t nic,
    const struct path_change *change, struct endpoint_event *out)
{
    const struct path_set *paths = transport_qp_paths(transport_of(shard, nic), out->qpn);

    out->kind = ENDPOINT_PATH_CHANGED;
    out->values[0] = path_ev_of(paths, change->ev_index);
    out->values[1] = change->to;
    out->values[2] = change->cause;
    out->values[3] = change->from;
}

/* A receive that has completed is posted again. */
static void repost(const struct shard *shard, uint32_t nic, uint32_t qpn)
{
    int err = transport_post_recv(transport_of(shard, nic), qpn, 0);

    assert(err == 0);
    (void)err;
}

/* Returns false for an event that the network need not know. */
static bool translate_event(const struct shard *shard, uint32_t nic,
    const struct transport_event *event, struct endpoint_event *out)
{
    bool is_success = event->status == COMPLETION_SUCCESS;

    *out = (struct endpoint_event){ .kind = ENDPOINT_FAILED,
        .tag = event->immediate,
        .qpn = event->qpn,
        .values = { event->status } };
    switch (event->kind) {
    case TRANSPORT_SEND_DONE:
        out->flow = (uint32_t)((const struct engine_flow *)event->owner - shard->sim->flows);
        if (is_success)
            out->kind = ENDPOINT_SENT;
        return true;
    case TRANSPORT_RECV_DONE:
        out->flow =
            (uint32_t)((const struct engine_flow_end *)event->owner - shard->sim->flow_ends);
        out->kind = ENDPOINT_RECEIVED;
        if (is_success)
            repost(shard, nic, event->qpn);
        return is_success;
    case TRANSPORT_QP_REQUEST_ERROR:
    case TRANSPORT_QP_ACCESS_ERROR:
    case TRANSPORT_QP_FATAL:
        return true;
    case TRANSPORT_PORT_UP:
    case TRANSPORT_PORT_DOWN:
        out->kind = ENDPOINT_PORT_CHANGED;
        out->values[0] = event->port;
        out->values[1] = event->kind == TRANSPORT_PORT_UP;
        return true;
    case TRANSPORT_EV_CHANGED:
        fill_path_change(shard, nic, &event->change, out);
        return true;
    case TRANSPORT_ENDPOINT_ANSWER:
        break;
    }
    return false;
}

static bool next_event(void *network, uint32_t nic, struct endpoint_event *out)
{
    struct transport_event event;

    while (transport_next_event(transport_of(network, nic), &event))
        if (translate_event(network, nic, &event, out))
            return true;
    return false;
}

/* ---- observation ----------------------------------------------------------------------------- */

static uint32_t header_bytes(const void *network)
{
    const struct sim *sim = network;
    struct packet empty = { .opcode = OPCODE_WRITE_MIDDLE,
        .flags = sim->parameters.stamp ? PACKET_STAMPED : 0 };

    return packet_nominal_bytes(&empty) + ENGINE_OUTER_BYTES;
}

static void add_counters(const void *endpoint, uint64_t *counters, uint64_t *drops)
{
    const uint64_t *own_counters = transport_counters(endpoint);
    const uint64_t *own_drops = transport_drops(endpoint);

    for (uint32_t i = 0; i < COUNTER_COUNT; i++)
        counters[i] += own_counters[i];
    for (uint32_t i = 0; i < DROP_REASON_COUNT; i++)
        drops[i] += own_drops[i];
}

static void check_transport(const void *endpoint)
{
    transport_check(endpoint);
}

static void prefetch_qps(const void *endpoint)
{
    transport_prefetch_qps(endpoint);
}

static void prefetch_work(const void *endpoint)
{
    transport_prefetch_work(endpoint);
}

static void setup(void *network, struct arena *arena)
{
    setup_transports(network, arena);
}

const struct endpoint_ops endpoint_mrc = {
    .setup = setup,
    .receive = receive_packet,
    .send = send_packet,
    .ports_changed = ports_changed,
    .wants = endpoint_mrc_wants,
    .penalize = penalize,
    .deadline_ns = endpoint_mrc_deadline_ns,
    .expire = expire_timers,
    .post = post_message,
    .next_event = next_event,
    .header_bytes = header_bytes,
    .count = add_counters,
    .check = check_transport,
    .prefetch = prefetch_qps,
    .prefetch_rest = prefetch_work,
};

const struct protocol protocol_mrc = { .endpoint = &endpoint_mrc };

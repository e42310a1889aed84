/* SPDX-License-Identifier: Apache-2.0 */
/* Translates between the simulator and NICs of UET: records and packets, picoseconds and
 * nanoseconds. */
#include <assert.h>
#include <string.h>

#include "sim/policy_ecmp.h"
#include "sim/protocol.h"
#include "sim/work.h"

/* ---- packets --------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct uet_body) <= sizeof(((struct packets_record *)NULL)->rival),
    "it is stored in a record");

static void store_packet(
    struct packets_record *record, const struct uet_leaving *leaving, uint32_t nic)
{
    const struct uet_packet *packet = &leaving->packet;

    *record = (struct packets_record){ .ev = packet->ev,
        .dest_qpn = packet->dest,
        .opcode = packet->opcode,
        .flags = packet->flags,
        .from = nic,
        .to = leaving->to_nic };
    memcpy(record->rival, &packet->body, sizeof(packet->body));
}

static struct uet_packet load_packet(const struct packets_record *record)
{
    struct uet_packet packet = { .dest = record->dest_qpn,
        .ev = (uint16_t)record->ev,
        .opcode = record->opcode,
        .flags = record->flags };

    memcpy(&packet.body, record->rival, sizeof(packet.body));
    return packet;
}

static enum uet_fate fate_of(const struct port_entry *entry)
{
    if (entry->class == DSCP_TRIMMED)
        return UET_TRIMMED;
    if (entry->class == DSCP_TRIMMED_LASTHOP)
        return UET_TRIMMED_LAST_HOP;
    return entry->ecn == ECN_CE ? UET_CE : UET_WHOLE;
}

/* A sum, so that it does not depend on the order in which NICs are run. */
static void note_packet(struct shard *shard, uint32_t nic, const struct uet_packet *packet,
    enum uet_fate fate, uint64_t now_ps)
{
    uint64_t what = (uint64_t)packet->body.psn << 32 | (uint64_t)packet->ev << 16 |
                    (uint64_t)packet->opcode << 12 | (uint64_t)packet->flags << 4 | fate;
    uint64_t where = (uint64_t)nic << 32 | packet->dest;

    shard->hash += sim_engine_mix(sim_engine_mix(now_ps, what), where);
}

static void receive_packet(
    void *network, uint32_t index, uint32_t port, struct port_entry entry, uint64_t now_ps)
{
    struct shard *shard = network;
    struct uet_packet packet = load_packet(&shard->packets.all[entry.handle]);
    enum uet_fate fate = fate_of(&entry);
    struct uet_placing placing;

    (void)port;
    packets_give_back(&shard->packets, entry.handle);
    note_packet(shard, index, &packet, fate, now_ps);
    placing = uet_nic_receive(shard->nics[index].endpoint, &packet, fate, now_ps);
    if (placing.length > 0)
        work_place(shard, &shard->sim->flow_ends[placing.flow], placing.va, placing.length);
}

/* Probes wait with the data, so that they meet the same queues. */
static struct port_entry entry_of(const struct uet_packet *packet, uint32_t handle)
{
    struct port_entry entry = { .handle = handle,
        .length_bytes = (uint16_t)uet_packet_bytes(packet),
        .class = DSCP_CONTROL,
        .ecn = ECN_NOT_ECT };

    if (packet->opcode == UET_PROBE)
        entry.class = DSCP_NO_TRIM;
    if (packet->opcode == UET_DATA) {
        entry.class = packet->flags & UET_REPEATED ? DSCP_TRIMMABLE_RETX : DSCP_TRIMMABLE;
        entry.ecn = ECN_ECT0;
    }
    return entry;
}

static bool send_packet(void *network, uint32_t nic, uint32_t ready_ports,
    struct endpoint_departure *departure, uint64_t now_ps)
{
    struct shard *shard = network;
    struct uet_leaving leaving;
    uint32_t handle;

    if (!uet_nic_send(shard->nics[nic].endpoint, ready_ports, &leaving, now_ps))
        return false;
    handle = packets_take(&shard->packets);
    assert(handle != PACKETS_NONE);
    store_packet(&shard->packets.all[handle], &leaving, nic);
    policy_ecmp_set_label(shard, handle, &leaving.label);
    *departure = (struct endpoint_departure){ .packet = entry_of(&leaving.packet, handle),
        .port = leaving.port,
        .to = leaving.to_nic,
        .ev = ENDPOINT_NO_EV,
        .sender = leaving.outlet };
    return true;
}

static void ports_changed(void *endpoint, uint32_t up_mask, uint64_t now_ns)
{
    struct uet_nic *nic = endpoint;

    (void)now_ns;
    nic->ports_up = up_mask;
}

static struct endpoint_wants wants(const void *endpoint)
{
    const struct uet_nic *nic = endpoint;

    return (struct endpoint_wants){ .to_send = uet_nic_wants_to_send(nic),
        .to_tell = !event_queue_is_empty(&nic->events) };
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t deadline_ns(const void *endpoint)
{
    return sim_engine_deadline_ns(uet_nic_deadline_ps(endpoint));
}

static uint64_t expire_timers(void *endpoint, uint64_t now_ns)
{
    return uet_nic_expire(endpoint, sim_engine_ps(now_ns));
}

/* ---- work ------------------------------------------------------------------------------------ */

static void post_message(void *network, uint32_t nic, uint32_t flow,
    const struct endpoint_message *message, uint64_t now_ps)
{
    struct shard *shard = network;

    (void)now_ps;
    uet_nic_post(shard->nics[nic].endpoint, shard->sim->uet->outlets[flow], message);
}

static bool next_event(void *network, uint32_t nic, struct endpoint_event *event)
{
    const struct shard *shard = network;
    struct uet_nic *endpoint = shard->nics[nic].endpoint;

    return event_queue_pop(&endpoint->events, event);
}

/* ---- observation ----------------------------------------------------------------------------- */

static uint32_t header_bytes(const void *network)
{
    (void)network;
    return UET_HEADER_BYTES;
}

/* The counters that mean the same as those of MRC. sim_uet() has all of them. */
static void add_counters(const void *endpoint, uint64_t *counters, uint64_t *drops)
{
    static const struct protocol_counter same[] = {
        { COUNTER_DATA_SENT, UET_COUNTER_DATA_SENT },
        { COUNTER_DATA_RETRANSMITTED, UET_COUNTER_DATA_RETRANSMITTED },
        { COUNTER_TIMEOUT_FIRED, UET_COUNTER_TIMEOUT_FIRED },
        { COUNTER_BYTES_ACKNOWLEDGED, UET_COUNTER_BYTES_ACKNOWLEDGED },
        { COUNTER_MESSAGES_SENT, UET_COUNTER_MESSAGES_SENT },
        { COUNTER_BYTES_PLACED, UET_COUNTER_BYTES_PLACED },
        { COUNTER_MESSAGES_RECEIVED, UET_COUNTER_MESSAGES_RECEIVED },
        { COUNTER_DATA_RECEIVED, UET_COUNTER_DATA_RECEIVED },
        { COUNTER_DATA_DUPLICATE, UET_COUNTER_DATA_DUPLICATE },
        { COUNTER_DATA_MARKED, UET_COUNTER_DATA_MARKED },
        { COUNTER_CONTROL_OVERFLOW, UET_COUNTER_CONTROL_OVERFLOW },
        { COUNTER_QP_ERRORS, UET_COUNTER_CONNECTION_ERRORS },
    };
    const struct uet_nic *nic = endpoint;

    (void)drops;
    protocol_add_counters(counters, nic->counters, same, sizeof(same) / sizeof(same[0]));
}

static void check_nic(const void *endpoint)
{
    uet_nic_check(endpoint);
}

static void setup(void *network, struct arena *arena)
{
    setup_uet(network, arena);
}

const struct endpoint_ops endpoint_uet = {
    .setup = setup,
    .receive = receive_packet,
    .send = send_packet,
    .ports_changed = ports_changed,
    .wants = wants,
    .deadline_ns = deadline_ns,
    .expire = expire_timers,
    .post = post_message,
    .next_event = next_event,
    .header_bytes = header_bytes,
    .count = add_counters,
    .check = check_nic,
};

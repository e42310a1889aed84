/* SPDX-License-Identifier: Apache-2.0 */
/* Translates between the simulator and NICs of RoCEv2 or InfiniBand: records and packets,
 * picoseconds and nanoseconds. */
#include <assert.h>

#include "sim/node_nic.h"
#include "sim/policy_ecmp.h"
#include "sim/protocol.h"
#include "sim/work.h"

/* ---- packets --------------------------------------------------------------------------------- */

static void store_packet(struct packets_record *record, const struct roce_leaving *leaving)
{
    const struct roce_packet *packet = &leaving->packet;

    *record = (struct packets_record){ .dest_qpn = packet->dest_qp,
        .psn = packet->psn,
        .opcode = packet->opcode,
        .flags = packet->flags,
        .to = leaving->to_nic,
        .write = { .va = packet->va,
            .length = packet->length,
            .rkey = packet->opcode == ROCE_WRITE ? packet->message_packets : packet->sack.value,
            .message_bytes = packet->message,
            .immediate = packet->tag } };
}

static struct roce_packet load_packet(const struct packets_record *record)
{
    return (struct roce_packet){ .opcode = record->opcode,
        .flags = record->flags,
        .dest_qp = record->dest_qpn,
        .psn = record->psn,
        .sack = psn(record->write.rkey),
        .va = record->write.va,
        .length = record->write.length,
        .message = record->write.message_bytes,
        .message_packets = record->write.rkey,
        .tag = record->write.immediate };
}

/* A sum, so that it does not depend on the order in which NICs are run. */
static void note_packet(struct shard *shard, uint32_t nic, const struct roce_packet *packet,
    bool is_marked, uint64_t now_ps)
{
    uint64_t what = (uint64_t)packet->psn.value << 32 | (uint64_t)packet->opcode << 24 |
                    (uint64_t)packet->flags << 8 | is_marked;
    uint64_t where = (uint64_t)nic << 32 | packet->dest_qp;

    shard->hash += sim_engine_mix(sim_engine_mix(now_ps, what), where);
}

static void receive_packet(
    void *network, uint32_t index, uint32_t port, struct port_entry entry, uint64_t now_ps)
{
    struct shard *shard = network;
    struct roce_packet packet = load_packet(&shard->packets.all[entry.handle]);
    struct roce_placing placing;

    (void)port;
    packets_give_back(&shard->packets, entry.handle);
    note_packet(shard, index, &packet, entry.ecn == ECN_CE, now_ps);
    placing = roce_nic_receive(shard->nics[index].endpoint, &packet, entry.ecn == ECN_CE, now_ps);
    if (placing.length > 0)
        work_place(shard, &shard->sim->flow_ends[placing.flow], placing.va, placing.length);
}

static bool send_packet(void *network, uint32_t nic, uint32_t ready_ports,
    struct endpoint_departure *departure, uint64_t now_ps)
{
    struct shard *shard = network;
    struct roce_ready ready = { .answers = ready_ports,
        .data = node_nic_data_ports(shard, nic, ready_ports) };
    struct roce_leaving leaving;
    bool is_data;
    uint32_t handle;

    if (shard->sim->ib ? !ib_world_send(shard, nic, ready_ports, &leaving, now_ps)
                       : !roce_nic_send(shard->nics[nic].endpoint, ready, &leaving, now_ps))
        return false;
    handle = packets_take(&shard->packets);
    assert(handle != PACKETS_NONE);
    is_data = leaving.packet.opcode == ROCE_WRITE || shard->sim->ib;
    store_packet(&shard->packets.all[handle], &leaving);
    shard->packets.all[handle].from = nic;
    policy_ecmp_set_label(shard, handle, &leaving.label);
    *departure = (struct endpoint_departure){ .packet = { .handle = handle,
                                                  .length_bytes =
                                                      (uint16_t)roce_packet_bytes(&leaving.packet,
                                                          shard->sim->roce->profile.header_bytes),
                                                  .class = is_data ? DSCP_NO_TRIM : DSCP_CONTROL,
                                                  .ecn = is_data ? ECN_ECT0 : ECN_NOT_ECT },
        .port = leaving.port,
        .to = leaving.to_nic,
        .ev = ENDPOINT_NO_EV,
        .sender = leaving.sender };
    return true;
}

/* A QP stays on its port, whose packets wait until it is up again. */
static void ports_changed(void *endpoint, uint32_t up_mask, uint64_t now_ns)
{
    (void)endpoint;
    (void)up_mask;
    (void)now_ns;
}

static struct endpoint_wants wants(const void *endpoint)
{
    const struct roce_nic *nic = endpoint;

    return (struct endpoint_wants){ .to_send = roce_nic_wants_to_send(nic),
        .to_tell = roce_nic_wants_to_tell(nic) };
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t deadline_ns(const void *endpoint)
{
    return sim_engine_deadline_ns(roce_nic_deadline_ps(endpoint));
}

static uint64_t expire_timers(void *endpoint, uint64_t now_ns)
{
    return roce_nic_expire(endpoint, sim_engine_ps(now_ns));
}

/* ---- work ------------------------------------------------------------------------------------ */

static void post_message(void *network, uint32_t nic, uint32_t flow,
    const struct endpoint_message *message, uint64_t now_ps)
{
    struct shard *shard = network;

    roce_nic_post(shard->nics[nic].endpoint, shard->sim->roce->outlets[flow], message, now_ps);
}

static bool next_event(void *network, uint32_t nic, struct endpoint_event *event)
{
    const struct shard *shard = network;
    struct roce_nic *endpoint = shard->nics[nic].endpoint;

    return event_queue_pop(&endpoint->events, event);
}

/* ---- observation ----------------------------------------------------------------------------- */

static uint32_t header_bytes(const void *network)
{
    const struct sim *sim = network;

    return sim->roce->profile.header_bytes;
}

/* The counters that mean the same as those of MRC. sim_roce() has all of them. */
static void add_counters(const void *endpoint, uint64_t *counters, uint64_t *drops)
{
    static const struct protocol_counter same[] = {
        { COUNTER_DATA_SENT, ROCE_COUNTER_DATA_SENT },
        { COUNTER_DATA_RETRANSMITTED, ROCE_COUNTER_DATA_RETRANSMITTED },
        { COUNTER_TIMEOUT_FIRED, ROCE_COUNTER_TIMEOUT_FIRED },
        { COUNTER_BYTES_ACKNOWLEDGED, ROCE_COUNTER_BYTES_ACKNOWLEDGED },
        { COUNTER_MESSAGES_SENT, ROCE_COUNTER_MESSAGES_SENT },
        { COUNTER_BYTES_PLACED, ROCE_COUNTER_BYTES_PLACED },
        { COUNTER_MESSAGES_RECEIVED, ROCE_COUNTER_MESSAGES_RECEIVED },
        { COUNTER_DATA_RECEIVED, ROCE_COUNTER_DATA_RECEIVED },
        { COUNTER_DATA_DUPLICATE, ROCE_COUNTER_DATA_DUPLICATE },
        { COUNTER_DATA_MARKED, ROCE_COUNTER_DATA_MARKED },
        { COUNTER_CONTROL_OVERFLOW, ROCE_COUNTER_CONTROL_OVERFLOW },
        { COUNTER_QP_ERRORS, ROCE_COUNTER_QP_ERRORS },
    };
    const struct roce_nic *nic = endpoint;

    (void)drops;
    protocol_add_counters(counters, nic->counters, same, sizeof(same) / sizeof(same[0]));
}

static void check_nic(const void *endpoint)
{
    roce_nic_check(endpoint);
}

static void setup(void *network, struct arena *arena)
{
    setup_roce(network, arena);
}

const struct endpoint_ops endpoint_roce = {
    .passes_pauses = true,
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

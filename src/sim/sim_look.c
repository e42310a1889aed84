/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a simulation between two calls of sim_run(). */
#include <assert.h>

#include "sim/endpoint_mrc.h"
#include "sim/setup.h"

static void add_ports(const struct sim *sim, struct sim_totals *out)
{
    for (uint32_t i = 0; i < sim->port_count; i++) {
        const uint64_t *value = sim->port_counters[i].value;

        out->trimmed += value[PORT_COUNTER_TRIMMED_ARRIVING] + value[PORT_COUNTER_TRIMMED_TAIL];
        out->marked += value[PORT_COUNTER_MARKED];
    }
}

static void add_shard(const struct shard *shard, struct sim_totals *out)
{
    out->packet_hops += shard->packet_hops;
    out->packets_sent += shard->packets_sent;
    out->packets_delivered += shard->packets_delivered;
    out->packets_in_flight +=
        shard->packets.used + shard->outboxes[shard->sim->outbox].packet_count;
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        out->packets_lost[i] += shard->packets_lost[i];
}

void sim_totals(const struct sim *sim, struct sim_totals *out)
{
    *out = (struct sim_totals){ 0 };
    for (uint32_t i = 0; i < sim->shard_count; i++)
        add_shard(&sim->shards[i], out);
    add_ports(sim, out);
    for (uint32_t nic = 0; nic < sim->nic_count; nic++)
        sim->endpoint->count(sim->nics[nic].endpoint, out->transport, out->drops);
}

uint64_t sim_packet_hops(const struct sim *sim)
{
    uint64_t hops = 0;

    for (uint32_t i = 0; i < sim->shard_count; i++)
        hops += sim->shards[i].packet_hops;
    return hops;
}

uint64_t sim_hash(const struct sim *sim)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < sim->shard_count; i++)
        hash += sim->shards[i].hash;
    return hash;
}

uint32_t sim_shard_count(const struct sim *sim)
{
    return sim->shard_count;
}

/* ---- flows ----------------------------------------------------------------------------------- */

uint32_t sim_flow_count(const struct sim *sim)
{
    return sim->flow_count;
}

/* Packets overtake each other by little, so bytes are treated as placed in order. */
static uint64_t oldest_ps(const struct engine_flow *flow, uint64_t placed_bytes)
{
    uint64_t end_bytes = flow->completed_bytes;

    for (uint32_t i = flow->completed; i != flow->posted; i++) {
        const struct engine_message *message = &flow->messages[i % flow->depth];

        end_bytes += message->bytes;
        if (end_bytes > placed_bytes)
            return message->posted_ps;
    }
    return 0;
}

void sim_flow_at(const struct sim *sim, uint32_t flow_index, struct sim_flow *out)
{
    const struct engine_flow *flow = &sim->flows[flow_index];
    const struct engine_rank *from = &sim->ranks[flow->from];
    const struct engine_rank *to = &sim->ranks[flow->to];

    assert(flow_index < sim->flow_count);
    *out = (struct sim_flow){ .workload = flow->workload,
        .from_rank = from->state.rank,
        .to_rank = to->state.rank,
        .from_nic = from->nic,
        .to_nic = to->nic,
        .qpn = flow->qpn_out,
        .posted_bytes = flow->posted_bytes,
        .placed_bytes = sim->flow_ends[flow_index].placed_bytes,
        .completed_bytes = flow->completed_bytes,
        .started_ps = flow->started_ps,
        .oldest_ps = oldest_ps(flow, sim->flow_ends[flow_index].placed_bytes),
        .ended_ps = flow->ended_ps };
}

struct path_set *sim_flow_paths(const struct sim *sim, uint32_t flow_index)
{
    const struct engine_flow *flow = &sim->flows[flow_index];

    if (sim->endpoint != &endpoint_mrc)
        return NULL;
    return transport_qp_paths(sim->nics[sim->ranks[flow->from].nic].endpoint, flow->qpn_out);
}

const struct path_profile *sim_flow_profile(const struct sim *sim, uint32_t flow_index)
{
    return setup_paths_of(sim, &sim->flows[flow_index], false);
}

void sim_plane_bytes(const struct sim *sim, uint64_t out[static TOPOLOGY_PLANES_MAX])
{
    for (uint32_t p = 0; p < TOPOLOGY_PLANES_MAX; p++) {
        out[p] = 0;
        for (uint32_t i = 0; i < sim->shard_count; i++)
            out[p] += sim->shards[i].plane_bytes[p];
    }
}

static uint32_t header_bytes(const struct sim *sim)
{
    struct packet empty = { .opcode = OPCODE_WRITE_MIDDLE,
        .flags = sim->parameters.stamp ? PACKET_STAMPED : 0 };

    return packet_nominal_bytes(&empty) + ENGINE_OUTER_BYTES;
}

uint64_t sim_ideal_bps(const struct sim *sim, uint32_t workload)
{
    uint32_t payload_bytes = (uint32_t)sim->parameters.pmtu;

    return workload_ideal_bps(
        &sim->layouts[workload], sim->topology, payload_bytes, payload_bytes + header_bytes(sim));
}

/* The last packet of a message may be short, but it has all headers. */
struct sim_share sim_payload_share(const struct sim *sim, uint32_t workload)
{
    uint64_t message_bytes = sim_message_bytes(&sim->config.workloads[workload]);
    uint64_t packets = (message_bytes + sim->parameters.pmtu - 1) / sim->parameters.pmtu;

    return (struct sim_share){ .payload_bytes = message_bytes,
        .wire_bytes = message_bytes + packets * header_bytes(sim) };
}

uint32_t sim_window_psns(const struct sim *sim)
{
    return sim->window_psns;
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* Ports are advanced to the end of every window, which is sim_now_ps(). */
bool sim_queue_at(struct sim *sim, struct topology_end end, struct sim_queue *out)
{
    uint32_t port;

    if (end.is_nic) {
        if (end.node >= sim->nic_count || end.port >= sim->plane_count)
            return false;
        port = sim->nics[end.node].first_port + end.port;
    } else {
        if (end.node >= sim->node_count - sim->nic_count ||
            end.port >= sim->switches[end.node].port_count)
            return false;
        port = sim->switches[end.node].first_port + end.port;
    }
    *out = (struct sim_queue){ .data_bytes = sim->ports[port].queues[PORT_DATA].bytes,
        .control_bytes = sim->ports[port].queues[PORT_CONTROL].bytes,
        .counters = &sim->port_counters[port],
        .lost = sim->port_details[port].lost };
    return sim->links[port].has_cable;
}

/* Each port records its longest queue; this call resets it. */
uint32_t sim_queue_peak(struct sim *sim, struct topology_end *where)
{
    uint64_t peak = 0;

    *where = (struct topology_end){ 0 };
    for (uint32_t i = 0; i < sim->node_count - sim->nic_count; i++)
        for (uint32_t p = 0; p < sim->switches[i].port_count; p++) {
            uint32_t port = sim->switches[i].first_port + p;
            uint64_t *depth = &sim->port_counters[port].value[PORT_COUNTER_DATA_DEPTH_BYTES_MAX];

            if (*depth > peak) {
                peak = *depth;
                *where = (struct topology_end){ .node = i, .port = p };
            }
            *depth = sim->ports[port].queues[PORT_DATA].bytes;
        }
    return (uint32_t)peak;
}

/* ---- faults ---------------------------------------------------------------------------------- */

uint32_t sim_fault_count(const struct sim *sim)
{
    return fault_count(&sim->faults);
}

const struct fault *sim_fault_at(const struct sim *sim, uint32_t index)
{
    return fault_at(&sim->faults, index);
}

bool sim_fault_is_in_force(const struct sim *sim, uint32_t index)
{
    return fault_is_in_force(&sim->faults, index);
}

uint64_t sim_fault_next_ps(const struct sim *sim)
{
    return fault_next_ps(&sim->faults);
}

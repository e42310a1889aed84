/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a simulation between two calls of sim_run(). */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "sim/endpoint_mrc.h"
#include "sim/group.h"
#include "sim/ib_world.h"
#include "sim/setup.h"
#include "sim/srv6.h"
#include "wire/srh.h"

static void fetch_from_group(const struct sim *sim, enum group_order_kind kind)
{
    group_fetch(sim, (struct group_order){ .kind = kind });
}

/* Returns the first node of a shard at or after `node` that was ever run; the number of nodes:
 * none. */
static uint32_t next_node(const struct shard *shard, uint32_t node)
{
    return bits_next_set(shard->used_nodes, shard->sim->node_count, node);
}

static void sum_one_shard(void *argument, uint32_t index)
{
    const struct sim *sim = *(const struct sim **)argument;
    struct shard *shard = &sim->shards[index];
    struct sim_totals *totals = &shard->totals;

    *totals = (struct sim_totals){ .packet_hops = shard->packet_hops,
        .packets_sent = shard->packets_sent,
        .packets_delivered = shard->packets_delivered,
        .packets_in_flight = shard_in_flight(shard),
        .trimmed = shard->slots.trimmed,
        .marked = shard->slots.marked };
    memcpy(totals->packets_lost, shard->packets_lost, sizeof(totals->packets_lost));
    for (uint32_t nic = next_node(shard, 0); nic < sim->nic_count; nic = next_node(shard, nic + 1))
        sim->endpoint->count(sim->nics[nic].endpoint, totals->transport, totals->drops);
}

void shard_sum(const struct sim *sim)
{
    shard_each(sim, sum_one_shard, &sim);
}

/* All members are numbers of 64 bits. */
static void add_totals(struct sim_totals *sum, const struct sim_totals *more)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)more;

    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
        to[i] += from[i];
}

_Static_assert(sizeof(struct sim_totals) % sizeof(uint64_t) == 0, "for add_totals()");

void sim_totals(const struct sim *sim, struct sim_totals *out)
{
    shard_sum(sim);
    fetch_from_group(sim, GROUP_SUMS);
    *out = sim->shards[0].totals;
    for (uint32_t i = 1; i < sim->shard_count; i++)
        add_totals(out, &sim->shards[i].totals);
}

uint64_t sim_packet_hops(const struct sim *sim)
{
    uint64_t hops = 0;

    fetch_from_group(sim, GROUP_SUMS);
    for (uint32_t i = 0; i < sim->shard_count; i++)
        hops += sim->shards[i].packet_hops;
    return hops;
}

uint64_t sim_hash(const struct sim *sim)
{
    uint64_t hash = 0;

    fetch_from_group(sim, GROUP_SUMS);
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
    fetch_from_group(sim, GROUP_FLOWS);
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

bool sim_flow_waits(const struct sim *sim, uint32_t flow_index, uint64_t delay_ps)
{
    const struct engine_flow *flow = &sim->flows[flow_index];
    uint64_t placed_bytes;

    fetch_from_group(sim, GROUP_FLOWS);
    placed_bytes = sim->flow_ends[flow_index].placed_bytes;
    return flow->posted_bytes > placed_bytes &&
           oldest_ps(flow, placed_bytes) + delay_ps <= sim->now_ps;
}

uint64_t sim_flow_placed_bytes(const struct sim *sim, uint32_t flow_index)
{
    assert(flow_index < sim->flow_count);
    fetch_from_group(sim, GROUP_FLOWS);
    return sim->flow_ends[flow_index].placed_bytes;
}

void sim_placed_bytes(const struct sim *sim, uint64_t *bytes)
{
    fetch_from_group(sim, GROUP_FLOWS);
    for (uint32_t i = 0; i < sim->flow_count; i++)
        bytes[sim->flows[i].workload] += sim->flow_ends[i].placed_bytes;
}

/* Returns true if this process runs the sender of a flow. */
static bool has_sender(const struct sim *sim, uint32_t flow_index)
{
    return group_has_node(sim, sim->ranks[sim->flows[flow_index].from].nic);
}

static struct transport *sender_of(const struct sim *sim, uint32_t flow_index)
{
    return sim->nics[sim->ranks[sim->flows[flow_index].from].nic].endpoint;
}

/* NULL: the flow has not begun or has ended (loans.h), and has no EV that is bad. */
static const struct path_set *paths_of(const struct sim *sim, uint32_t flow_index)
{
    return transport_qp_paths(sender_of(sim, flow_index), sim->flows[flow_index].qpn_out);
}

uint32_t sim_flow_evs(
    const struct sim *sim, uint32_t flow_index, struct sim_ev out[static PATH_EV_COUNT_MAX])
{
    _Alignas(uint64_t) uint8_t memory[PATH_SET_BYTES(TOPOLOGY_PLANES_MAX, PATH_EV_COUNT_MAX)];
    const struct path_set *paths;

    if (sim->endpoint != &endpoint_mrc)
        return 0;
    if (!has_sender(sim, flow_index))
        return group_fetch_evs(sim, flow_index, out);
    paths = paths_of(sim, flow_index);
    if (!paths)
        paths = transport_qp_new_paths(
            sender_of(sim, flow_index), sim->flows[flow_index].qpn_out, memory);
    for (uint32_t i = 0; i < path_ev_count(paths); i++)
        out[i] = (struct sim_ev){ .ev = path_ev_of(paths, i),
            .plane = path_plane_of(paths, i),
            .state = path_state_of(paths, i),
            .is_active = path_is_active(paths, i) };
    return path_ev_count(paths);
}

static void count_evs_of(void *argument, uint32_t index)
{
    const struct sim *sim = *(const struct sim **)argument;
    struct shard *shard = &sim->shards[index];

    shard->ev_counts = (struct sim_ev_counts){ 0 };
    for (uint32_t i = 0; i < sim->flow_count; i++)
        if (shard_owns(shard, sim->ranks[sim->flows[i].from].nic)) {
            const struct path_set *paths = paths_of(sim, i);

            shard->ev_counts.usable += paths ? path_usable_count(paths)
                                             : path_profile_usable_count(sim_flow_profile(sim, i));
            shard->ev_counts.bad += paths ? path_bad_count(paths) : 0;
        }
}

struct sim_ev_counts shard_ev_counts(const struct sim *sim)
{
    struct sim_ev_counts counts = { 0 };

    if (sim->endpoint != &endpoint_mrc)
        return counts;
    shard_each(sim, count_evs_of, &sim);
    for (uint32_t i = 0; i < sim->shard_count; i++)
        if (group_has(sim->group, i)) {
            counts.usable += sim->shards[i].ev_counts.usable;
            counts.bad += sim->shards[i].ev_counts.bad;
        }
    return counts;
}

struct sim_ev_counts sim_ev_counts(const struct sim *sim)
{
    struct sim_ev_counts counts = shard_ev_counts(sim);

    fetch_from_group(sim, GROUP_EV_COUNTS);
    if (sim->group) {
        counts.usable += sim->group->ev_counts.usable;
        counts.bad += sim->group->ev_counts.bad;
    }
    return counts;
}

const struct path_profile *sim_flow_profile(const struct sim *sim, uint32_t flow_index)
{
    return setup_paths_of(sim, &sim->flows[flow_index], false);
}

void sim_plane_bytes(const struct sim *sim, uint64_t out[static TOPOLOGY_PLANES_MAX])
{
    fetch_from_group(sim, GROUP_SUMS);
    for (uint32_t p = 0; p < TOPOLOGY_PLANES_MAX; p++) {
        out[p] = 0;
        for (uint32_t i = 0; i < sim->shard_count; i++)
            out[p] += sim->shards[i].plane_bytes[p];
    }
}

/* Returns what the wire carries besides the payload of a packet. */
void sim_order(const struct sim *sim, struct sim_order *out)
{
    *out = (struct sim_order){ 0 };
    fetch_from_group(sim, GROUP_SUMS);
    for (uint32_t i = 0; i < sim->shard_count; i++) {
        const struct sim_order *order = &sim->shards[i].order;

        out->placed += order->placed;
        out->late += order->late;
        if (order->behind_max > out->behind_max)
            out->behind_max = order->behind_max;
        for (uint32_t level = 0; level < SIM_ORDER_LEVELS; level++)
            out->by_level[level] += order->by_level[level];
    }
}

static uint32_t header_bytes(const struct sim *sim)
{
    return sim->endpoint->header_bytes(sim) + setup_framing_bytes(sim);
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
        .wire_bytes = message_bytes + packets * header_bytes(sim),
        .srh_bytes = srv6_is_used(sim) ? packets * SRH_BYTES : 0 };
}

uint32_t sim_window_psns(const struct sim *sim)
{
    return sim->window_psns;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static uint32_t data_bytes(const struct sim *sim, uint32_t port)
{
    return sim->ports[port].queues[PORT_DATA].bytes + (sim->ib ? ib_world_waiting(sim, port) : 0);
}

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
    fetch_from_group(sim, GROUP_PORTS);
    *out = (struct sim_queue){ .data_bytes = data_bytes(sim, port),
        .control_bytes = sim->ports[port].queues[PORT_CONTROL].bytes,
        .counters = &sim->port_counters[port],
        .lost = sim->port_details[port].lost,
        .lost_control = sim->port_details[port].lost_control };
    return sim->links[port].has_cable;
}

/* Each port records its longest queue; this call resets it. A port whose queue is empty is looked
 * at again after its next packet. */
static void find_peak(struct shard *shard, uint32_t switch_index)
{
    struct sim *sim = shard->sim;
    const struct engine_switch *here = &sim->switches[switch_index];
    uint64_t *used = &sim->used[here->first_word];

    for (uint32_t p = bits_next_set(used, here->port_count, 0); p < here->port_count;
         p = bits_next_set(used, here->port_count, p + 1)) {
        uint32_t port = here->first_port + p;
        uint64_t *depth = &sim->port_counters[port].often[PORT_COUNTER_DATA_DEPTH_BYTES_MAX];

        if (*depth > shard->peak_bytes) {
            shard->peak_bytes = *depth;
            shard->peak_at = (struct topology_end){ .node = switch_index, .port = p };
        }
        *depth = data_bytes(sim, port);
        if (*depth == 0 && !sim->policy)
            bits_clear(used, p);
    }
}

static void find_peaks_of(void *argument, uint32_t index)
{
    struct sim *sim = argument;
    struct shard *shard = &sim->shards[index];

    shard->peak_bytes = 0;
    shard->peak_at = (struct topology_end){ 0 };
    for (uint32_t node = next_node(shard, sim->nic_count); node < sim->node_count;
         node = next_node(shard, node + 1))
        find_peak(shard, node - sim->nic_count);
}

void shard_find_peaks(struct sim *sim)
{
    shard_each(sim, find_peaks_of, sim);
}

/* Of several, the first in the order of switches and ports. */
uint32_t sim_queue_peak(struct sim *sim, struct topology_end *where)
{
    const struct shard *first = &sim->shards[0];

    shard_find_peaks(sim);
    fetch_from_group(sim, GROUP_PEAKS);
    for (uint32_t i = 1; i < sim->shard_count; i++) {
        const struct shard *other = &sim->shards[i];

        if (other->peak_bytes > first->peak_bytes ||
            (other->peak_bytes == first->peak_bytes && other->peak_at.node < first->peak_at.node))
            first = other;
    }
    *where = first->peak_at;
    return (uint32_t)first->peak_bytes;
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

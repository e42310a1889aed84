/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up two QPs for each flow, a sender and a receiver, and connects them. */
#include <assert.h>
#include <string.h>

#include "base/power.h"
#include "sim/group.h"
#include "sim/loans.h"
#include "sim/setup.h"

enum {
    LINE = 64,
    PSNS_LEAST = 128,
};

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Returns the number of PSNs that a sender has records for: those of the window, or fewer if the
 * flow never sends as many. */
static uint32_t sender_psns(const struct sim *sim, const struct sim_workload *workload)
{
    uint64_t packets = (workload->message_bytes + sim->parameters.pmtu - 1) / sim->parameters.pmtu;
    uint64_t messages = workload_flow_messages(workload);
    uint64_t psns = PSNS_LEAST;

    if (messages == 0 || packets > sim->window_psns || messages > sim->window_psns)
        return sim->window_psns;
    if (psns < messages * packets)
        psns = messages * packets;
    return psns < sim->window_psns ? power_of_two_at_least((uint32_t)psns) : sim->window_psns;
}

static struct qp_init qp_out(
    const struct sim *sim, const struct sim_workload *workload, const struct path_profile *paths)
{
    return (struct qp_init){ .send_depth = setup_queue_depth(workload),
        .window_psns_max = sender_psns(sim, workload),
        .paths = paths,
        .cc = &sim->cc,
        .borrows = true };
}

static struct qp_init qp_in(
    const struct sim *sim, const struct sim_workload *workload, const struct path_profile *paths)
{
    return (struct qp_init){ .recv_depth = setup_queue_depth(workload),
        .window_psns_max_dest = sim->window_psns,
        .write_imm_max_dest = setup_queue_depth(workload),
        .paths = paths,
        .cc = &sim->cc };
}

size_t loans_bytes_of(const struct sim *sim, const struct sim_workload *workload)
{
    struct path_profile paths = setup_largest_paths(sim, workload);
    struct qp_init out = qp_out(sim, workload, &paths);

    return (transport_qp_records_bytes(&out) + LINE - 1) / LINE * LINE;
}

struct qp_bytes {
    size_t out;
    size_t in;
};

static struct qp_bytes qp_bytes_of(struct sim *sim, const struct sim_workload *workload)
{
    struct path_profile paths = setup_largest_paths(sim, workload);
    struct qp_init out = qp_out(sim, workload, &paths);
    struct qp_init in = qp_in(sim, workload, &paths);

    return (struct qp_bytes){ .out = (transport_qp_bytes(&out) + LINE - 1) / LINE * LINE,
        .in = (transport_qp_bytes(&in) + LINE - 1) / LINE * LINE };
}

static uint64_t both_ways_bytes(const struct sim *sim, const struct sim_workload *workload)
{
    struct path_profile paths = setup_largest_paths(sim, workload);
    struct qp_init both = qp_out(sim, workload, &paths);
    struct qp_init in = qp_in(sim, workload, &paths);

    both.borrows = false;
    both.recv_depth = in.recv_depth;
    both.window_psns_max_dest = in.window_psns_max_dest;
    both.write_imm_max_dest = in.write_imm_max_dest;
    return transport_qp_bytes(&both);
}

uint64_t sim_qp_bytes(const struct sim *sim, uint32_t workload)
{
    return sim->config.protocol == SIM_MRC ? both_ways_bytes(sim, &sim->config.workloads[workload])
                                           : 0;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void create_qp(struct transport *transport, uint32_t qpn, const struct qp_init *init,
    struct qp_attributes *attributes, void *memory)
{
    uint32_t mask = QP_ATTR_STATE | QP_ATTR_PEER | QP_ATTR_RQ_PSN | QP_ATTR_SQ_PSN | QP_ATTR_MPR |
                    QP_ATTR_MPR_DEST | QP_ATTR_MAX_WIMM | QP_ATTR_MAX_WIMM_DEST;
    int err = transport_qp_create(transport, qpn, init, memory);

    for (attributes->state = QP_INIT; attributes->state <= QP_RTS; attributes->state++)
        err |= transport_qp_modify(
            transport, qpn, attributes, attributes->state == QP_INIT ? mask : QP_ATTR_STATE, 0);
    for (uint32_t i = 0; i < init->recv_depth; i++)
        err |= transport_post_recv(transport, qpn, i);
    assert(err == 0);
    (void)err;
}

static struct qp_attributes attributes_of(
    const struct sim *sim, const struct engine_flow *flow, uint32_t peer_nic, uint32_t peer_qpn)
{
    struct prng prng = setup_stream(sim, SETUP_STREAM_PSNS, (uint32_t)(flow - sim->flows));
    uint32_t depth = setup_queue_depth(&sim->config.workloads[flow->workload]);
    struct psn first = psn((uint32_t)prng_next(&prng));
    uint32_t mpr = sim->window_psns / 128;

    return (struct qp_attributes){ .peer_address = plan_nic_address(sim->fabric, peer_nic),
        .peer_qpn = peer_qpn,
        .peer_ports = sim->nics[peer_nic].ports_up,
        .rq_psn = first,
        .sq_psn = first,
        .mpr = (uint8_t)(mpr < UINT8_MAX ? mpr : UINT8_MAX),
        .mpr_dest = (uint8_t)(mpr < UINT8_MAX ? mpr : UINT8_MAX),
        .max_wimm = (uint16_t)depth };
}

/* Tells a NIC the round trip to another, if there is a path. */
static void tell_rtt(struct sim *sim, uint32_t from, uint32_t to)
{
    struct plan_rtt rtt = sim->topology->graph ? lists_find(&sim->lists, from, to)->rtt
                                               : plan_rtt(sim->fabric, from, to);
    uint32_t mtu_bytes = sim->cc.settings.mtu_bytes + ENGINE_OUTER_BYTES;
    struct ipv6_addr address = plan_nic_address(sim->fabric, to);

    if (rtt.arrival_bps == 0)
        return;
    transport_set_rtt(sim->nics[from].endpoint, &address,
        &(struct transport_rtt){ .fixed_ns = (uint32_t)sim_engine_ns(rtt.fixed_ps),
            .per_kib_ns = (uint32_t)sim_engine_ns(rtt.per_kib_ps),
            .packet_ns = (uint32_t)(mtu_bytes * UINT64_C(8000000000) / rtt.arrival_bps) });
}

/* Returns true if the flow begins at once. */
static bool begins_at_once(const struct sim *sim, const struct engine_flow *flow)
{
    return sim->ranks[flow->from].wake_ps == 0 &&
           sim_workload_is(sim->config.workloads[flow->workload].kind, SIM_STEADY);
}

static void create_sender(struct sim *sim, const struct engine_flow *flow, void *memory)
{
    const struct sim_workload *workload = &sim->config.workloads[flow->workload];
    uint32_t from = sim->ranks[flow->from].nic;
    uint32_t to = sim->ranks[flow->to].nic;
    struct qp_init init = qp_out(sim, workload, setup_paths_of(sim, flow, false));
    struct qp_attributes attributes = attributes_of(sim, flow, to, flow->qpn_in);

    init.owner = &sim->flows[flow - sim->flows];
    create_qp(sim->nics[from].endpoint, flow->qpn_out, &init, &attributes, memory);
    tell_rtt(sim, from, to);
}

static void create_receiver(struct sim *sim, const struct engine_flow *flow, void *memory)
{
    const struct sim_workload *workload = &sim->config.workloads[flow->workload];
    uint32_t from = sim->ranks[flow->from].nic;
    uint32_t to = sim->ranks[flow->to].nic;
    struct qp_init init = qp_in(sim, workload, setup_paths_of(sim, flow, true));
    struct qp_attributes attributes = attributes_of(sim, flow, from, flow->qpn_out);

    attributes.max_wimm_dest = (uint16_t)init.write_imm_max_dest;
    init.owner = &sim->flow_ends[flow - sim->flows];
    create_qp(sim->nics[to].endpoint, flow->qpn_in, &init, &attributes, memory);
    tell_rtt(sim, to, from);
}

/* Creates those ends of a flow that are on NICs of the shard. Returns the memory after both ends;
 * an end that another member of the group makes takes none. */
static uint8_t *connect_flow(struct shard *shard, const struct engine_flow *flow, uint8_t *memory,
    const struct qp_bytes *bytes)
{
    uint32_t from = shard->sim->ranks[flow->from].nic;
    uint32_t to = shard->sim->ranks[flow->to].nic;

    if (shard_owns(shard, from))
        create_sender(shard->sim, flow, memset(memory, 0, bytes->out));
    if (group_has_node(shard->sim, from))
        memory += bytes->out;
    if (shard_owns(shard, to))
        create_receiver(shard->sim, flow, memset(memory, 0, bytes->in));
    return group_has_node(shard->sim, to) ? memory + bytes->in : memory;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The first flow of a workload and its memory. */
struct flow_room {
    struct sim *sim;
    const struct engine_flow *first;
    uint8_t *memory;
    struct qp_bytes bytes;
    uint32_t count;
};

/* Flows that begin at once get their records during the set-up, and so do those that share states
 * of EVs. */
static void open_own_flows(void *argument, uint32_t index)
{
    struct sim *sim = argument;
    struct shard *shard = &sim->shards[index];

    for (uint32_t i = 0; i < sim->flow_count; i++) {
        uint32_t from = sim->ranks[sim->flows[i].from].nic;

        if (shard_owns(shard, from) &&
            (begins_at_once(sim, &sim->flows[i]) ||
                !transport_qp_owns_paths(sim->nics[from].endpoint, sim->flows[i].qpn_out)))
            loans_open(shard, &sim->flows[i]);
    }
}

static void connect_own_flows(void *argument, uint32_t shard)
{
    const struct flow_room *room = argument;
    uint8_t *memory = room->memory;

    for (uint32_t i = 0; i < room->count; i++)
        memory = connect_flow(&room->sim->shards[shard], &room->first[i], memory, &room->bytes);
}

void setup_qps(struct sim *sim, struct arena *arena)
{
    const struct engine_flow *flow = sim->flows;

    for (uint32_t w = 0; w < sim->config.workload_count; w++) {
        struct flow_room room = { .sim = sim,
            .first = flow,
            .bytes = qp_bytes_of(sim, &sim->config.workloads[w]),
            .count = workload_flow_count(&sim->config.workloads[w]) };

        room.memory = arena_take_raw(arena, room.count, room.bytes.out + room.bytes.in, LINE);
        arena->spare_bytes +=
            setup_foreign_part(sim, room.count * (room.bytes.out + room.bytes.in));
        if (!arena->memory)
            continue;
        shard_each(sim, connect_own_flows, &room);
        flow += room.count;
    }
    if (arena->memory)
        shard_each(sim, open_own_flows, sim);
}

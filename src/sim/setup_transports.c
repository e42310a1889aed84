/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up one transport for each NIC and two QPs for each flow: a sender and a receiver. */
#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "base/bits.h"
#include "base/power.h"
#include "sim/endpoint_mrc.h"
#include "sim/group.h"
#include "sim/loans.h"
#include "sim/setup.h"

enum {
    LINE = 64,
    CONTROL_SLOTS_LEAST = 32,
    CONTROL_SLOTS_MOST = 8192,
    ENDPOINT_SLOTS = 8,
    ENDPOINT_SLOTS_MOST = 64,
    QPS_MEASURED_MOST = 1 << 20,
    PSNS_LEAST = 128,
};

/* ---- transports ------------------------------------------------------------------------------ */

static uint32_t control_slots(uint32_t qp_count)
{
    if (qp_count >= CONTROL_SLOTS_MOST / 4)
        return CONTROL_SLOTS_MOST;
    return qp_count <= CONTROL_SLOTS_LEAST / 4 ? CONTROL_SLOTS_LEAST
                                               : power_of_two_at_least(4 * qp_count);
}

static void on_trace(void *context, const struct trace_event *event)
{
    const struct engine_tracer *tracer = context;
    const struct sim_observer *observer = &tracer->sim->config.observer;

    observer->on_trace(observer->context, tracer->nic, event);
}

static void setup_tracers(struct sim *sim, struct arena *arena)
{
    if (!sim->config.observer.on_trace)
        return;
    sim->tracers =
        arena_take(arena, sim->nic_count, sizeof(*sim->tracers), alignof(struct engine_tracer));
    for (uint32_t i = 0; sim->tracers && i < sim->nic_count; i++)
        sim->tracers[i] = (struct engine_tracer){
            .sink = { .on_event = on_trace, .context = &sim->tracers[i] }, .sim = sim, .nic = i
        };
}

/* NICs with many peers send more endpoint requests. */
static uint32_t endpoint_slots(uint32_t qp_count)
{
    uint32_t slots = ENDPOINT_SLOTS;

    while (slots < qp_count && slots < ENDPOINT_SLOTS_MOST)
        slots *= 2;
    return slots;
}

static struct transport_config transport_config(struct sim *sim, uint32_t nic, uint32_t qp_count)
{
    struct prng prng = setup_stream(sim, SETUP_STREAM_NICS, nic);

    return (struct transport_config){ .address = plan_nic_address(sim->fabric, nic),
        .port_count = sim->plane_count,
        .ports_cross = sim->topology->ports_cross,
        .qp_count_max = qp_count > 0 ? qp_count : 1,
        .seed = prng_next(&prng),
        .memory = { .place = endpoint_mrc_place, .context = setup_shard_of(sim, nic) },
        .trace = sim->tracers ? &sim->tracers[nic].sink : NULL,
        .control_slots = control_slots(qp_count),
        .endpoint_slots = endpoint_slots(qp_count),
        .ev_event_slots = ENDPOINT_SLOTS,
        .peer_slots = ENDPOINT_SLOTS,
        .shared_parameters = &sim->parameters };
}

static size_t transport_bytes(struct sim *sim, uint32_t qp_count)
{
    struct transport_config config = transport_config(sim, 0, qp_count);
    struct arena measure;

    arena_init(&measure, NULL, 0);
    transport_init(&measure, &config);
    return (measure.used_bytes + LINE - 1) / LINE * LINE;
}

/* The number of QPs of each NIC is not known while measuring, only the total. A transport takes at
 * most `first_bytes` for one QP and `more_bytes` for each further one. */
static size_t transports_bytes_max(struct sim *sim)
{
    size_t first_bytes = transport_bytes(sim, 1);
    size_t more_bytes = 0;

    for (uint32_t count = 2; count <= QPS_MEASURED_MOST; count *= 2) {
        size_t each = (transport_bytes(sim, count) - first_bytes + count - 1) / count;

        if (each > more_bytes)
            more_bytes = each;
    }
    return sim->nic_count * (first_bytes + LINE) + 4 * more_bytes * (size_t)sim->flow_count;
}

/* Decides where the transport of each NIC is. Those of other members of the group are not made. */
static void place_transports(struct sim *sim, struct arena *arena)
{
    uint32_t qp_count = UINT32_MAX;
    size_t bytes = 0;

    for (uint32_t i = 0; i < sim->nic_count; i++) {
        struct engine_nic *nic = &sim->nics[i];

        if (!group_has_node(sim, i))
            continue;
        if (nic->qp_count != qp_count) {
            qp_count = nic->qp_count;
            bytes = transport_bytes(sim, qp_count);
        }
        nic->endpoint = arena_take_raw(arena, 1, bytes, LINE);
    }
}

static void init_transport(struct sim *sim, uint32_t index)
{
    uint32_t all_ports = (UINT32_C(1) << sim->plane_count) - 1;
    struct engine_nic *nic = &sim->nics[index];
    struct transport_config config = transport_config(sim, index, nic->qp_count);
    struct arena own;
    void *made;

    arena_init(&own, nic->endpoint, transport_bytes(sim, nic->qp_count));
    made = transport_init(&own, &config);
    assert(made == nic->endpoint);
    (void)made;
    nic->address = config.address;
    if (nic->qp_count > 0 || nic->ports_up != all_ports)
        bits_set(setup_shard_of(sim, index)->used_nodes, index);
    if (nic->ports_up != all_ports)
        transport_ports_changed(nic->endpoint, nic->ports_up, 0);
}

/* ---- QPs ------------------------------------------------------------------------------------- */

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

    if (rtt.port_bps == 0)
        return;
    transport_set_rtt(sim->nics[from].endpoint, &address,
        &(struct transport_rtt){ .fixed_ns = (uint32_t)sim_engine_ns(rtt.fixed_ps),
            .per_kib_ns = (uint32_t)sim_engine_ns(rtt.per_kib_ps),
            .packet_ns = (uint32_t)(mtu_bytes * UINT64_C(8000000000) / rtt.port_bps) });
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

static void init_own_transports(void *argument, uint32_t shard)
{
    struct sim *sim = argument;

    for (uint32_t i = 0; i < sim->nic_count; i++)
        if (shard_owns(&sim->shards[shard], i))
            init_transport(sim, i);
}

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

size_t setup_foreign_part(const struct sim *sim, size_t bytes)
{
    if (!sim->group)
        return 0;
    return bytes / sim->shard_count * (sim->shard_count - sim->group->shard_count);
}

static void setup_qps(struct sim *sim, struct arena *arena)
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
}

void setup_transports(struct sim *sim, struct arena *arena)
{
    size_t bytes = transports_bytes_max(sim);
    size_t start;

    setup_paths(sim, arena);
    setup_tracers(sim, arena);
    arena_take(arena, 0, 1, LINE);
    start = arena->used_bytes;
    if (arena->memory) {
        place_transports(sim, arena);
        assert(arena->used_bytes - start <= bytes);
        shard_each(sim, init_own_transports, sim);
    }
    arena->used_bytes = start + bytes;
    arena->spare_bytes += setup_foreign_part(sim, bytes);
    loans_init(sim, arena);
    setup_qps(sim, arena);
    if (arena->memory)
        shard_each(sim, open_own_flows, sim);
}

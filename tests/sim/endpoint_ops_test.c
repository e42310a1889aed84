/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator drives NICs of any protocol: here stop-and-wait, one packet of a flow at a time. */
#include "cluster.h"
#include "spec.h"

#include "sim/packets.h"
#include "sim/shard.h"
#include "sim/work.h"

enum {
    PAYLOAD_BYTES = 4096,
    HEADER_BYTES = 100,
    MESSAGES_MAX = 4,
    EVENTS_MAX = 16,
    FLOWS_MAX = 8,
    TIMEOUT_NS = 50000,
    DATA = 1,
    ACK = 2,
};

struct message {
    uint64_t end_bytes;
    uint32_t tag;
    bool tells;
};

struct flow {
    uint32_t from; /* NICs */
    uint32_t to;
    /* at the sender */
    struct message messages[MESSAGES_MAX];
    uint32_t posted;
    uint32_t completed;
    uint64_t acked_bytes;
    uint64_t sent_ns;
    uint32_t psn;
    bool is_waiting;
    /* at the receiver */
    uint32_t expected;
    bool owes_ack;
};

struct endpoint {
    struct sim *sim;
    struct flow *flows; /* of all NICs */
    uint32_t nic;
    uint32_t ports_up;
    struct endpoint_event events[EVENTS_MAX];
    uint32_t event_count;
    uint64_t timeouts;
};

static struct endpoint *endpoint_of(const struct sim *sim, uint32_t nic)
{
    return sim->nics[nic].endpoint;
}

static void setup(void *network, struct arena *arena)
{
    struct sim *sim = network;
    struct flow *flows = arena_take(arena, FLOWS_MAX, sizeof(*flows), 64);
    struct endpoint *all = arena_take(arena, sim->nic_count, sizeof(*all), 64);

    if (!arena->memory)
        return;
    EXPECT_LE(sim->flow_count, FLOWS_MAX);
    for (uint32_t i = 0; i < sim->flow_count; i++)
        flows[i] = (struct flow){ .from = sim->ranks[sim->flows[i].from].nic,
            .to = sim->ranks[sim->flows[i].to].nic };
    for (uint32_t i = 0; i < sim->nic_count; i++) {
        all[i] = (struct endpoint){ .sim = sim, .flows = flows, .nic = i };
        sim->nics[i].endpoint = &all[i];
    }
}

/* ---- sending --------------------------------------------------------------------------------- */

static const struct message *current(const struct flow *flow)
{
    return flow->completed == flow->posted ? NULL : &flow->messages[flow->completed % MESSAGES_MAX];
}

static bool wants_to_send(const struct endpoint *endpoint, const struct flow *flow)
{
    return (flow->to == endpoint->nic && flow->owes_ack) ||
           (flow->from == endpoint->nic && !flow->is_waiting && current(flow));
}

static struct packets_record record_of(struct flow *flow, uint32_t number, uint64_t now_ns)
{
    struct packets_record record = { .dest_qpn = number, .from = flow->to, .to = flow->from };
    const struct message *message = current(flow);
    uint64_t left;

    if (flow->owes_ack) {
        flow->owes_ack = false;
        record.opcode = ACK;
        record.psn.value = flow->expected;
        return record;
    }
    left = message->end_bytes - flow->acked_bytes;
    flow->is_waiting = true;
    flow->sent_ns = now_ns;
    return (struct packets_record){ .dest_qpn = number,
        .opcode = DATA,
        .from = flow->from,
        .to = flow->to,
        .psn.value = flow->psn,
        .write = { .va = flow->acked_bytes,
            .length = (uint32_t)(left < PAYLOAD_BYTES ? left : PAYLOAD_BYTES),
            .message_bytes = message->tells && left <= PAYLOAD_BYTES,
            .immediate = message->tag } };
}

static bool send(void *network, uint32_t nic, uint32_t ready_ports,
    struct endpoint_departure *leaving, uint64_t now_ps)
{
    struct shard *shard = network;
    struct endpoint *endpoint = endpoint_of(shard->sim, nic);

    for (uint32_t i = 0; i < shard->sim->flow_count; i++) {
        struct packets_record record;
        uint32_t handle;

        if (!wants_to_send(endpoint, &endpoint->flows[i]))
            continue;
        record = record_of(&endpoint->flows[i], i, sim_engine_ns(now_ps));
        handle = packets_take(&shard->packets);
        leaving->port = (uint32_t)__builtin_ctz(ready_ports);
        leaving->to = record.to;
        leaving->ev = record.ev =
            plan_ev(shard->fabric, (struct ev_path){ .plane = leaving->port, .uplink = i % 2 });
        leaving->packet = (struct port_entry){ .handle = handle,
            .length_bytes = (uint16_t)(HEADER_BYTES + record.write.length),
            .class = record.opcode == ACK ? DSCP_CONTROL : DSCP_TRIMMABLE,
            .ecn = ECN_ECT0 };
        shard->packets.all[handle] = record;
        return true;
    }
    return false;
}

static struct endpoint_wants wants(const void *context)
{
    const struct endpoint *endpoint = context;
    struct endpoint_wants wants = { .to_tell = endpoint->event_count > 0 };

    for (uint32_t i = 0; i < endpoint->sim->flow_count; i++)
        wants.to_send |= wants_to_send(endpoint, &endpoint->flows[i]);
    return wants;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void on_data(
    struct shard *shard, struct endpoint *endpoint, const struct packets_record *record)
{
    struct flow *flow = &endpoint->flows[record->dest_qpn];

    flow->owes_ack = true;
    if (record->psn.value != flow->expected)
        return;
    flow->expected++;
    work_place(
        shard, &shard->sim->flow_ends[record->dest_qpn], record->write.va, record->write.length);
    if (record->write.message_bytes)
        endpoint->events[endpoint->event_count++] = (struct endpoint_event){
            .kind = ENDPOINT_RECEIVED, .flow = record->dest_qpn, .tag = record->write.immediate
        };
}

static void on_ack(struct endpoint *endpoint, const struct packets_record *record)
{
    struct flow *flow = &endpoint->flows[record->dest_qpn];
    uint64_t left;

    if (!flow->is_waiting || record->psn.value != flow->psn + 1)
        return;
    left = current(flow)->end_bytes - flow->acked_bytes;
    flow->acked_bytes += left < PAYLOAD_BYTES ? left : PAYLOAD_BYTES;
    flow->psn++;
    flow->is_waiting = false;
    if (left > PAYLOAD_BYTES)
        return;
    flow->completed++;
    endpoint->events[endpoint->event_count++] =
        (struct endpoint_event){ .kind = ENDPOINT_SENT, .flow = record->dest_qpn };
}

static void receive(
    void *network, uint32_t nic, uint32_t port, struct port_entry entry, uint64_t now_ps)
{
    struct shard *shard = network;
    struct packets_record record = shard->packets.all[entry.handle];

    EXPECT_EQ(record.to, nic);
    EXPECT_LT(port, shard->plane_count);
    packets_give_back(&shard->packets, entry.handle);
    shard->hash += sim_engine_mix(now_ps, (uint64_t)record.dest_qpn << 32 | record.psn.value);
    if (dscp_is_trimmed((enum dscp_class)entry.class))
        return;
    if (record.opcode == DATA)
        on_data(shard, endpoint_of(shard->sim, nic), &record);
    else
        on_ack(endpoint_of(shard->sim, nic), &record);
}

/* ---- time, work, observation ----------------------------------------------------------------- */

static void ports_changed(void *context, uint32_t up_mask, uint64_t now_ns)
{
    struct endpoint *endpoint = context;

    (void)now_ns;
    endpoint->ports_up = up_mask;
}

static uint64_t deadline_ns(const void *context)
{
    const struct endpoint *endpoint = context;
    uint64_t deadline_ns = ENDPOINT_NEVER_NS;

    for (uint32_t i = 0; i < endpoint->sim->flow_count; i++) {
        const struct flow *flow = &endpoint->flows[i];

        if (flow->from == endpoint->nic && flow->is_waiting &&
            flow->sent_ns + TIMEOUT_NS < deadline_ns)
            deadline_ns = flow->sent_ns + TIMEOUT_NS;
    }
    return deadline_ns;
}

static uint64_t expire(void *context, uint64_t now_ns)
{
    struct endpoint *endpoint = context;
    uint64_t count = 0;

    for (uint32_t i = 0; i < endpoint->sim->flow_count; i++) {
        struct flow *flow = &endpoint->flows[i];

        if (flow->from != endpoint->nic || !flow->is_waiting || flow->sent_ns + TIMEOUT_NS > now_ns)
            continue;
        flow->is_waiting = false;
        count++;
    }
    endpoint->timeouts += count;
    return count;
}

static void post(void *network, uint32_t nic, uint32_t number,
    const struct endpoint_message *message, uint64_t now_ps)
{
    struct flow *flow = &endpoint_of(((const struct shard *)network)->sim, nic)->flows[number];

    (void)now_ps;
    EXPECT_EQ(flow->from, nic);
    EXPECT_LT(flow->posted - flow->completed, MESSAGES_MAX);
    flow->messages[flow->posted++ % MESSAGES_MAX] =
        (struct message){ .end_bytes = message->offset_bytes + message->bytes,
            .tag = message->tag,
            .tells = message->tells };
}

static bool next_event(void *network, uint32_t nic, struct endpoint_event *event)
{
    struct endpoint *endpoint = endpoint_of(((const struct shard *)network)->sim, nic);

    if (endpoint->event_count == 0)
        return false;
    *event = endpoint->events[--endpoint->event_count];
    return true;
}

static uint32_t header_bytes(const void *network)
{
    (void)network;
    return HEADER_BYTES;
}

static void count(const void *context, uint64_t *counters, uint64_t *drops)
{
    const struct endpoint *endpoint = context;

    (void)drops;
    counters[COUNTER_TIMEOUT_FIRED] += endpoint->timeouts;
}

static void check(const void *context)
{
    const struct endpoint *endpoint = context;

    EXPECT_LT(endpoint->event_count, EVENTS_MAX);
}

static const struct endpoint_ops stop_and_wait = {
    .setup = setup,
    .receive = receive,
    .send = send,
    .wants = wants,
    .ports_changed = ports_changed,
    .deadline_ns = deadline_ns,
    .expire = expire,
    .post = post,
    .next_event = next_event,
    .header_bytes = header_bytes,
    .count = count,
    .check = check,
};

/* ---- the simulator --------------------------------------------------------------------------- */

static void describe(struct cluster *cluster, enum sim_workload_kind kind)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.plane_count = 2;
    cluster->fabric_config.t1_count = 2;
    cluster->fabric_config.hosts_per_t0 = 2;
    cluster->workloads[0] = (struct sim_workload){ .name = "work",
        .kind = kind,
        .rank_count = 4,
        .message_bytes = 50000,
        .iterations = 5,
        .outstanding = 2,
        .qps = 1,
        .shift = 2 };
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = UINT64_C(20000000000);
    cluster->config.endpoint = &stop_and_wait;
    cluster->config.checks = true;
}

static struct cluster_outcome run(struct cluster *cluster, enum sim_engine engine)
{
    cluster->config.engine = engine;
    return cluster_run(cluster);
}

SPEC("a workload finishes over NICs of another protocol, and both engines agree")
{
    enum { PACKETS = 4 * 5 * 13 }; /* 50,000 bytes are 13 packets */
    struct cluster cluster;
    struct cluster_outcome windows;
    struct cluster_outcome heap;

    describe(&cluster, SIM_PERMUTATION);
    windows = run(&cluster, SIM_WINDOWS);
    heap = run(&cluster, SIM_HEAP);
    EXPECT_STR_EQ(windows.violation, "");
    EXPECT_EQ(windows.status, SIM_FINISHED);
    EXPECT_EQ(windows.totals.packets_sent, 2 * PACKETS);
    EXPECT_EQ(windows.hash, heap.hash);
    EXPECT_EQ(windows.now_ps, heap.now_ps);
}

SPEC("the receiver of a message is told: a ping is answered")
{
    struct cluster cluster;
    struct cluster_outcome outcome;

    describe(&cluster, SIM_PING_PONG);
    outcome = run(&cluster, SIM_WINDOWS);
    EXPECT_STR_EQ(outcome.violation, "");
    EXPECT_EQ(outcome.status, SIM_FINISHED);
}

SPEC("faults of links reach the NICs of any protocol: it repeats what was lost, at its deadline")
{
    struct cluster cluster;
    struct cluster_outcome windows;
    struct cluster_outcome heap;

    describe(&cluster, SIM_PERMUTATION);
    cluster.places[0] = (struct topology_element){ .kind = TOPOLOGY_NIC };
    cluster.faults[0] = (struct fault){ .kind = FAULT_LOSS,
        .where = &cluster.places[0],
        .where_count = 1,
        .until_ps = FAULT_NEVER_PS,
        .probability = UINT32_MAX / 20 };
    cluster.config.fault_count = 1;
    windows = run(&cluster, SIM_WINDOWS);
    heap = run(&cluster, SIM_HEAP);
    EXPECT_STR_EQ(windows.violation, "");
    EXPECT_EQ(windows.status, SIM_FINISHED);
    EXPECT_GE(windows.totals.packets_lost[LOST_FAULT], 1);
    EXPECT_GE(windows.totals.transport[COUNTER_TIMEOUT_FIRED], 1);
    EXPECT_EQ(windows.hash, heap.hash);
}

SPEC("a NIC learns which of its ports are up")
{
    struct sim_ev evs[PATH_EV_COUNT_MAX];
    struct cluster cluster;

    describe(&cluster, SIM_PERMUTATION);
    cluster.places[0] =
        (struct topology_element){ .kind = TOPOLOGY_HOST_LINK, .nic = 1, .plane = 1 };
    cluster.faults[0] = (struct fault){ .kind = FAULT_DOWN,
        .where = &cluster.places[0],
        .where_count = 1,
        .from_ps = 1000000,
        .until_ps = FAULT_NEVER_PS };
    cluster.config.fault_count = 1;
    cluster_open(&cluster);
    EXPECT_EQ(sim_run(cluster.sim, SIM_NEVER_PS), SIM_FINISHED);
    EXPECT_EQ(endpoint_of(cluster.sim, 1)->ports_up, 1);
    EXPECT_EQ(sim_flow_evs(cluster.sim, 0, evs), 0);
    EXPECT_EQ(sim_ev_counts(cluster.sim).usable, 0);
    cluster_close(&cluster);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Making and running small clusters. */
#include "cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "graph_random.h"
#include "spec.h"

#define US(count)   ((uint64_t)(count)*UINT64_C(1000000))
#define NS(count)   ((uint64_t)(count)*UINT64_C(1000))
#define GBPS(count) ((uint64_t)(count)*UINT64_C(1000000000))

static void begin(struct cluster *cluster, uint64_t seed)
{
    memset(cluster, 0, sizeof(*cluster));
    topology_config_init(&cluster->fabric_config);
    cluster->fabric_config.nic_count = 0;
    cluster->fabric_config.radix = 0;
    cluster->config = (struct sim_config){ .fabric = &cluster->fabric,
        .seed = seed,
        .workloads = cluster->workloads,
        .faults = cluster->faults,
        .duration_ps = US(100) };
    parameters_init(&cluster->config.parameters, TIMERS_HARDWARE);
}

void cluster_leaf_spine(struct cluster *cluster)
{
    struct topology_config *fabric = &cluster->fabric_config;

    begin(cluster, 1);
    fabric->plane_count = 1;
    fabric->t0_count = 2;
    fabric->t1_count = 64;
    fabric->hosts_per_t0 = 64;
    fabric->host_link = (struct topology_link_kind){ .rate_bps = GBPS(400), .delay_ps = NS(500) };
    fabric->uplink = fabric->host_link;
    cluster->config.parameters.ev_active = 64;
    cluster->config.parameters.ev_backup = 0;
}

/* ---- at random ------------------------------------------------------------------------------- */

static uint32_t between(struct prng *prng, uint32_t least, uint32_t most)
{
    return least + prng_below(prng, most - least + 1);
}

static void random_fabric(struct topology_config *fabric, struct prng *prng)
{
    static const uint64_t rates_bps[] = { GBPS(10), GBPS(100), GBPS(400) };

    fabric->plane_count = between(prng, 1, 3);
    fabric->t0_count = between(prng, 1, 3);
    fabric->t1_count = between(prng, 1, 4);
    fabric->hosts_per_t0 = between(prng, fabric->t0_count == 1 ? 2 : 1, 4);
    fabric->host_link.rate_bps = rates_bps[prng_below(prng, 3)];
    fabric->uplink.rate_bps = fabric->host_link.rate_bps / between(prng, 1, 2);
    fabric->host_link.delay_ps = NS(between(prng, 50, 800));
    fabric->uplink.delay_ps = NS(between(prng, 50, 800));
    fabric->switch_latency_ps = NS(between(prng, 50, 500));
    fabric->nic_latency_ps = NS(between(prng, 0, 500));
    fabric->buffers.trims = between(prng, 0, 3) > 0;
    fabric->buffers.marks = between(prng, 0, 3) > 0;
    if (between(prng, 0, 2) == 0) {
        fabric->buffers.data_bytes = between(prng, 10000, 60000);
        fabric->buffers.host_data_bytes = between(prng, 10000, 60000);
        fabric->buffers.control_bytes = between(prng, 1000, 60000);
        fabric->buffers.red_min_bytes = 5000;
        fabric->buffers.red_max_bytes = 10000;
    }
}

static void random_workload(struct sim_workload *workload, uint32_t nic_count, struct prng *prng)
{
    workload->kind = (enum sim_workload_kind)prng_below(prng, SIM_TRAINING + 1);
    snprintf(workload->name, sizeof(workload->name), "work");
    workload->placement = prng_below(prng, 2) ? SIM_PACKED : SIM_RANDOM;
    workload->rank_count = between(prng, 2, nic_count);
    if (sim_workload_is(workload->kind, SIM_PAIRED))
        workload->rank_count &= ~UINT32_C(1);
    workload->message_bytes = between(prng, 0, 3) ? between(prng, 1, 60000) : 1000000;
    workload->iterations = between(prng, 0, 6);
    workload->outstanding = between(prng, 1, 3);
    workload->qps = between(prng, 1, 2);
    workload->bidirectional = prng_below(prng, 2);
    workload->start_ps = NS(between(prng, 0, 5000));
    workload->jitter_ps = NS(between(prng, 0, 2000));
    workload->stagger_ps = NS(between(prng, 0, 500));
    if (workload->kind == SIM_TRAINING) {
        workload->compute_ps = NS(between(prng, 100, 20000));
        workload->overlap_permille = between(prng, 0, 1000);
        workload->collective = SIM_ALL_REDUCE;
    }
}

static struct topology_element random_place_of_graph(
    const struct topology *topology, struct prng *prng)
{
    static const enum topology_component kinds[] = { TOPOLOGY_NIC, TOPOLOGY_HOST_LINK,
        TOPOLOGY_PLANE, TOPOLOGY_SWITCH, TOPOLOGY_LINK };
    enum topology_component kind = kinds[prng_below(prng, 5)];

    return topology_component_at(
        topology, kind, prng_below(prng, topology_component_count(topology, kind)));
}

static struct topology_element random_place(const struct topology *topology, struct prng *prng)
{
    if (topology->graph)
        return random_place_of_graph(topology, prng);

    struct topology_element place = {
        .kind = (enum topology_component)prng_below(prng, TOPOLOGY_UPLINK + 1),
    };

    if (place.kind == TOPOLOGY_NIC || place.kind == TOPOLOGY_HOST_LINK)
        place.nic = prng_below(prng, topology->nic_count);
    if (place.kind != TOPOLOGY_NIC)
        place.plane = prng_below(prng, topology->config.plane_count);
    if (place.kind == TOPOLOGY_T0 || place.kind == TOPOLOGY_UPLINK)
        place.t0 = prng_below(prng, topology->config.t0_count);
    if (place.kind == TOPOLOGY_T1 || place.kind == TOPOLOGY_UPLINK)
        place.t1 = prng_below(prng, topology->config.t1_count);
    return place;
}

static void random_fault(struct cluster *cluster, uint32_t index, struct prng *prng)
{
    struct fault *fault = &cluster->faults[index];

    cluster->places[index] = random_place(&cluster->fabric.topology, prng);
    *fault = (struct fault){
        .kind = (enum fault_kind)prng_below(prng, FAULT_KIND_COUNT),
        .where = &cluster->places[index],
        .where_count = 1,
        .from_ps = prng_below(prng, 4) ? NS(between(prng, 0, 60000)) : 0,
        .until_ps = SIM_NEVER_PS,
    };
    if (prng_below(prng, 3))
        fault->until_ps = fault->from_ps + NS(between(prng, 1, 60000));
    if (fault->kind == FAULT_LOSS || fault->kind == FAULT_CORRUPT)
        fault->probability = (uint32_t)prng_next(prng) >> between(prng, 1, 6);
    if (fault->kind == FAULT_SLOW)
        fault->rate_bps = cluster->fabric_config.host_link.rate_bps / between(prng, 2, 40);
    if (fault->kind == FAULT_FLAP) {
        fault->period_ps = NS(between(prng, 500, 20000));
        fault->duty_permille = between(prng, 100, 900);
    }
    if (fault->kind == FAULT_REBOOT && fault->until_ps == SIM_NEVER_PS)
        fault->until_ps = fault->from_ps + NS(10000);
}

static void wire(struct cluster *cluster)
{
    struct topology_problem problem = { 0 };
    struct graph_bench *graph = cluster->graph;

    if (graph && plan_init_graph(&cluster->fabric, &cluster->fabric_config, &graph->graph,
                     graph->plan.detour, graph->scratch, &problem))
        return;
    if (!graph && plan_init(&cluster->fabric, &cluster->fabric_config, cluster->sorted, &problem))
        return;
    fprintf(stderr, "# fabric: %s: %s\n", problem.member, problem.reason);
    abort();
}

/* What is drawn may not make sense on this fabric: then another is drawn. */
static void draw_work(struct cluster *cluster, struct prng *prng)
{
    struct sim_config *config = &cluster->config;
    struct problem problem;

    do {
        config->workload_count = between(prng, 1, CLUSTER_WORKLOADS_MAX);
        for (uint32_t i = 0; i < config->workload_count; i++) {
            cluster->workloads[i] = (struct sim_workload){ .kind = SIM_STREAM };
            random_workload(&cluster->workloads[i], cluster->fabric.topology.nic_count, prng);
        }
        config->fault_count = prng_below(prng, CLUSTER_FAULTS_MAX + 1);
        for (uint32_t i = 0; i < config->fault_count; i++)
            random_fault(cluster, i, prng);
    } while (!sim_config_check(config, &problem));
}

static void draw_rest(struct cluster *cluster, struct prng *prng)
{
    wire(cluster);
    cluster->config.duration_ps = US(between(prng, 20, 120));
    cluster->config.parameters.ev_active = between(prng, 1, 16);
    cluster->config.parameters.timeout = between(prng, 3, 8);
    cluster->config.parameters.port_up_holddown = 1000 * between(prng, 0, 20);
    cluster->config.parameters.ev_probe_first = 1000 * between(prng, 1, 20);
    draw_work(cluster, prng);
}

void cluster_random(struct cluster *cluster, uint64_t seed)
{
    struct prng prng = prng_stream(seed, 77);

    begin(cluster, seed);
    random_fabric(&cluster->fabric_config, &prng);
    draw_rest(cluster, &prng);
}

static void give(struct cluster *cluster, enum hardware_setting setting, uint64_t number)
{
    hardware_give(&cluster->config.hardware, setting, number);
}

void cluster_random_hardware(struct cluster *cluster, uint64_t seed)
{
    struct topology_config *fabric = &cluster->fabric_config;
    struct prng prng = prng_stream(seed, 77);

    fabric->framing_bytes = prng_below(&prng, 2) ? TOPOLOGY_FRAMING_BYTES : 0;
    fabric->cut_through_bytes = prng_below(&prng, 2) ? 128 : 0;
    fabric->buffers.shared_bytes = prng_below(&prng, 2) ? between(&prng, 20000, 400000) : 0;
    fabric->buffers.cell_bytes = prng_below(&prng, 2) ? 254 : 0;
    fabric->buffers.alpha = (int)prng_below(&prng, 11);
    fabric->buffers.marks_hosts = prng_below(&prng, 2);
    if (prng_below(&prng, 2))
        give(cluster, HARDWARE_PACKET_RATE, between(&prng, 1000000, 100000000));
    if (prng_below(&prng, 2))
        give(cluster, HARDWARE_MESSAGE_TIME, NS(between(&prng, 1, 500)));
    if (prng_below(&prng, 2))
        give(cluster, HARDWARE_PCIE_RATE, GBPS(between(&prng, 5, 500)));
    if (prng_below(&prng, 2))
        give(cluster, HARDWARE_DRAIN_RATE, GBPS(between(&prng, 5, 500)));
    if (prng_below(&prng, 2))
        give(cluster, HARDWARE_RECEIVE_BUFFER, between(&prng, 20000, 200000));
    if (prng_below(&prng, 2)) {
        give(cluster, HARDWARE_QP_MEMORY, between(&prng, 16000, 64000));
        give(cluster, HARDWARE_QP_CONTEXT, 16000);
        give(cluster, HARDWARE_QP_MISS, NS(between(&prng, 1, 2000)));
    }
    give(cluster, HARDWARE_CLOCK_JITTER, NS(prng_below(&prng, 500)));
}

/* All NICs have a way to each other, and are few. */
static bool is_usable(const struct graph_bench *bench)
{
    uint32_t *distances = bench->scratch;
    uint32_t nic_count = bench->graph.size.nic_count;
    uint32_t reached =
        graph_distances(&bench->graph, 0, distances, distances + bench->graph.node_count);

    return nic_count >= 2 && nic_count <= 64 && reached == 1 + bench->graph.size.switch_count;
}

void cluster_random_graph(struct cluster *cluster, uint64_t seed)
{
    static const uint64_t rates_bps[] = { GBPS(25), GBPS(100), GBPS(400) };
    struct prng prng = prng_stream(seed, 78);
    struct graph_bench *bench = calloc(1, sizeof(*bench));

    begin(cluster, seed);
    assert(bench);
    graph_random(bench, &prng);
    while (!is_usable(bench)) {
        graph_bench_fini(bench);
        graph_random(bench, &prng);
    }
    for (uint32_t i = 0; prng_below(&prng, 2) && i < 8; i++)
        bench->graph.links[prng_below(&prng, bench->graph.link_count)].rate_bps =
            rates_bps[prng_below(&prng, 3)];
    bench->plan.detour = prng_below(&prng, PLAN_DETOUR_MAX + 1);
    cluster->graph = bench;
    draw_rest(cluster, &prng);
}

static void begin_chain(struct cluster *cluster, uint32_t count, bool is_ring)
{
    begin(cluster, 1);
    cluster->graph = calloc(1, sizeof(*cluster->graph));
    assert(cluster->graph);
    graph_bench_chain(cluster->graph, count, is_ring);
    cluster->config.workload_count = 1;
    cluster->config.duration_ps = US(2000);
}

void cluster_ring(struct cluster *cluster, uint32_t count)
{
    begin_chain(cluster, count, true);
    cluster->workloads[0] = (struct sim_workload){ .kind = SIM_PERMUTATION,
        .name = "work",
        .rank_count = count,
        .message_bytes = 4000000,
        .iterations = 3,
        .outstanding = 2,
        .qps = 1,
        .shift = 2 };
}

void cluster_chain(struct cluster *cluster, uint32_t count)
{
    static uint32_t ends[2];

    begin_chain(cluster, count, false);
    ends[1] = count - 1;
    cluster->workloads[0] = (struct sim_workload){ .kind = SIM_STREAM,
        .name = "work",
        .placement = SIM_LIST,
        .nics = ends,
        .rank_count = 2,
        .message_bytes = 400000,
        .iterations = 2,
        .outstanding = 1,
        .qps = 1,
        .bidirectional = true };
}

void cluster_free_graph(struct cluster *cluster)
{
    graph_bench_fini(cluster->graph);
    free(cluster->graph);
}

/* ---- running --------------------------------------------------------------------------------- */

void cluster_open(struct cluster *cluster)
{
    struct problem problem = { 0 };
    struct arena arena;

    wire(cluster);
    if (!sim_config_check(&cluster->config, &problem)) {
        fprintf(stderr, "# %s %u: %s: %s\n", problem.section, problem.index, problem.member,
            problem.reason);
        abort();
    }
    arena_init(&arena, NULL, 0);
    sim_init(&arena, &cluster->config);
    cluster->memory_bytes = (arena.used_bytes + 63) / 64 * 64;
    cluster->memory = aligned_alloc(64, cluster->memory_bytes);
    assert(cluster->memory);
    arena_init(&arena, cluster->memory, cluster->memory_bytes);
    cluster->sim = sim_init(&arena, &cluster->config);
}

void cluster_close(struct cluster *cluster)
{
    free(cluster->memory);
    cluster->memory = NULL;
    cluster->sim = NULL;
}

struct cluster_outcome cluster_run(struct cluster *cluster)
{
    struct cluster_outcome outcome = { 0 };

    cluster_open(cluster);
    outcome.status = sim_run(cluster->sim, SIM_NEVER_PS);
    outcome.hash = sim_hash(cluster->sim);
    outcome.now_ps = sim_now_ps(cluster->sim);
    sim_totals(cluster->sim, &outcome.totals);
    snprintf(outcome.violation, sizeof(outcome.violation), "%s", sim_violation(cluster->sim));
    cluster_close(cluster);
    return outcome;
}

void cluster_expect_same(const struct cluster_outcome *a, const struct cluster_outcome *b)
{
    EXPECT_STR_EQ(a->violation, b->violation);
    EXPECT_EQ(a->status, b->status);
    EXPECT_EQ(a->now_ps, b->now_ps);
    EXPECT_EQ(a->hash, b->hash);
    EXPECT_EQ(a->totals.packet_hops, b->totals.packet_hops);
    EXPECT_EQ(a->totals.packets_sent, b->totals.packets_sent);
    EXPECT_EQ(a->totals.packets_delivered, b->totals.packets_delivered);
    EXPECT_EQ(a->totals.packets_in_flight, b->totals.packets_in_flight);
    EXPECT_EQ(a->totals.trimmed, b->totals.trimmed);
    EXPECT_EQ(a->totals.marked, b->totals.marked);
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        EXPECT_EQ(a->totals.packets_lost[i], b->totals.packets_lost[i]);
    for (uint32_t i = 0; i < COUNTER_COUNT; i++)
        EXPECT_EQ(a->totals.transport[i], b->totals.transport[i]);
}

void cluster_expect_same_runs(struct cluster *cluster)
{
    struct cluster_outcome windows;
    struct cluster_outcome other;

    cluster->config.engine = SIM_WINDOWS;
    windows = cluster_run(cluster);
    EXPECT_STR_EQ(windows.violation, "");
    cluster->config.engine = SIM_HEAP;
    other = cluster_run(cluster);
    cluster_expect_same(&windows, &other);
    cluster->config.engine = SIM_WINDOWS;
    for (uint32_t shards = 2; shards <= 3; shards++) {
        cluster->config.shard_count = shards;
        other = cluster_run(cluster);
        cluster_expect_same(&windows, &other);
    }
}

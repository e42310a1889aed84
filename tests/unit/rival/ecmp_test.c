/* SPDX-License-Identifier: Apache-2.0 */
/* Equal-cost multipath: shortest paths on any topology, and collisions as balls thrown into bins.
 */
#include "cluster.h"
#include "spec.h"

#include <math.h>
#include <stdlib.h>

#include "base/prng.h"
#include "rival/rival.h"

enum {
    SENDERS_MAX = 256,
    QPS_MAX = 32,
    TRIALS = 300,
};

/* ---- tables ---------------------------------------------------------------------------------- */

struct tables {
    struct ecmp ecmp;
    void *memory;
};

static void open_tables(
    struct tables *tables, const struct topology *topology, const struct ecmp_config *config)
{
    struct arena arena;

    arena_init(&arena, NULL, 0);
    ecmp_init(&tables->ecmp, &arena, topology, config);
    tables->memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    arena_init(&arena, tables->memory, arena.used_bytes);
    ecmp_init(&tables->ecmp, &arena, topology, config);
}

/* M NICs on each of two T0s, and M T1s. */
static void open_leaf_spine(
    struct cluster *cluster, struct tables *tables, uint32_t senders, struct ecmp_config config)
{
    cluster_leaf_spine(cluster);
    cluster->fabric_config.hosts_per_t0 = senders;
    cluster->fabric_config.t1_count = senders;
    cluster_open(cluster);
    open_tables(tables, &cluster->fabric.topology, &config);
}

static void close_tables(struct cluster *cluster, struct tables *tables)
{
    free(tables->memory);
    cluster_close(cluster);
}

/* The label of a packet to the first port of a NIC. */
static struct ecmp_label label_to(
    const struct topology *topology, uint32_t from, uint32_t to, uint16_t source_port)
{
    struct topology_end end = { .is_nic = true, .node = to };
    struct topology_end last;

    EXPECT(topology_peer(topology, end, &last));
    return (struct ecmp_label){
        .flow = ecmp_flow(from, to, source_port), .at = last.node, .port = (uint16_t)last.port
    };
}

/* ---- collisions ------------------------------------------------------------------------------ */

struct collisions {
    double used;    /* share of the uplinks' rate that is used, if all keep sending */
    double mean;    /* mean rate of the senders, whose messages wait for their slowest QP */
    double slowest; /* rate of the slowest sender, whose message waits for its slowest QP */
};

/* Returns the rate of a sender: that of its QP with the most loaded uplink, times their number. */
static double rate_of(const uint32_t *uplinks, const uint32_t *loads, uint32_t qps)
{
    uint32_t most = qps;

    for (uint32_t q = 0; q < qps; q++)
        most = loads[uplinks[q]] > most ? loads[uplinks[q]] : most;
    return (double)qps / most;
}

/* NIC i of the first T0 writes to NIC i of the second, over `qps` QPs that share the load. */
static struct collisions collide(
    struct cluster *cluster, uint32_t senders, uint32_t qps, uint64_t seed)
{
    const struct topology *topology;
    struct collisions outcome = { .slowest = 1 };
    static uint32_t uplinks[SENDERS_MAX][QPS_MAX];
    uint32_t loads[SENDERS_MAX] = { 0 };
    struct tables tables;
    struct prng prng = prng_stream(seed, 1);

    open_leaf_spine(cluster, &tables, senders, (struct ecmp_config){ .seed = seed });
    topology = &cluster->fabric.topology;
    for (uint32_t i = 0; i < senders; i++)
        for (uint32_t q = 0; q < qps; q++) {
            struct ecmp_label label =
                label_to(topology, i, senders + i, (uint16_t)(0xc000 + prng_below(&prng, 0x4000)));

            uplinks[i][q] = ecmp_forward(&tables.ecmp, 0, &label) - senders;
            loads[uplinks[i][q]]++;
        }
    for (uint32_t i = 0; i < senders; i++) {
        double load = (double)loads[i] / qps;

        outcome.used += load < 1 ? load / senders : 1.0 / senders;
        if (load > 1 && 1 / load < outcome.slowest)
            outcome.slowest = 1 / load;
        outcome.mean += rate_of(uplinks[i], loads, qps) / senders;
    }
    close_tables(cluster, &tables);
    return outcome;
}

struct law {
    uint32_t senders;
    uint32_t qps;
    double used;
    double mean;
    double slowest;
};

/* The mean of TRIALS trials is within four standard errors, and the rounding of the law. */
static void expect_mean(double sum, double squares, double expected)
{
    double mean = sum / TRIALS;
    double error = sqrt((squares / TRIALS - mean * mean) / TRIALS);

    EXPECT(fabs(mean - expected) <= 4 * error + 0.006);
}

static void expect_law(const struct law *law)
{
    static struct cluster cluster;
    double used[2] = { 0 };
    double mean[2] = { 0 };
    double slowest[2] = { 0 };

    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct collisions trial = collide(&cluster, law->senders, law->qps, seed);

        used[0] += trial.used;
        used[1] += trial.used * trial.used;
        mean[0] += trial.mean;
        mean[1] += trial.mean * trial.mean;
        slowest[0] += trial.slowest;
        slowest[1] += trial.slowest * trial.slowest;
    }
    expect_mean(used[0], used[1], law->used);
    expect_mean(mean[0], mean[1], law->mean);
    expect_mean(slowest[0], slowest[1], law->slowest);
}

SPEC("flows of one QP collide as balls thrown into bins")
{
    static const struct law laws[] = {
        { 4, 1, 0.684, 0.69, 0.51 },
        { 8, 1, 0.656, 0.66, 0.41 },
        { 32, 1, 0.638, 0.64, 0.30 },
        { 64, 1, 0.635, 0.64, 0.26 },
    };

    for (uint32_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
        expect_law(&laws[i]);
}

SPEC("more QPs for each sender even out the load, and the slowest still loses half with eight")
{
    static const struct law laws[] = {
        { 4, 8, 0.88, 0.75, 0.75 },
        { 4, 16, 0.91, 0.80, 0.80 },
        { 8, 8, 0.87, 0.68, 0.66 },
        { 8, 16, 0.91, 0.74, 0.73 },
        { 32, 8, 0.86, 0.63, 0.56 },
        { 32, 32, 0.93, 0.73, 0.72 },
        { 64, 8, 0.86, 0.63, 0.53 },
        { 64, 16, 0.90, 0.67, 0.62 },
    };

    for (uint32_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
        expect_law(&laws[i]);
}

/* ---- paths ----------------------------------------------------------------------------------- */

SPEC("flows use all uplinks of a leaf, and one port leads down")
{
    static struct cluster cluster;
    struct tables tables;
    uint64_t used = 0;

    open_leaf_spine(&cluster, &tables, 8, (struct ecmp_config){ .seed = 1 });
    for (uint16_t i = 0; i < 200; i++) {
        struct ecmp_label label = label_to(&cluster.fabric.topology, 0, 9, i);

        used |= UINT64_C(1) << ecmp_forward(&tables.ecmp, 0, &label);
        EXPECT_EQ(ecmp_forward(&tables.ecmp, 2, &label), 1);
        EXPECT_EQ(ecmp_forward(&tables.ecmp, 1, &label), 1);
    }
    EXPECT_EQ(used, 0xff00);
    EXPECT_EQ(ecmp_distance(&tables.ecmp, 0, 1), 2);
    EXPECT_EQ(ecmp_distance(&tables.ecmp, 1, 1), 0);
    close_tables(&cluster, &tables);
}

/* Returns the number of switches on the path; 0 if it does not end at the NIC. */
static uint32_t walk(const struct ecmp *ecmp, uint32_t from, uint32_t to, uint16_t source_port)
{
    struct topology_end here = { .is_nic = true, .node = from };
    struct ecmp_label label = label_to(ecmp->topology, from, to, source_port);
    uint32_t switches = 0;

    if (!topology_peer(ecmp->topology, here, &here))
        return 0;
    while (!here.is_nic && switches++ < ecmp->topology->switch_count) {
        uint32_t port = ecmp_forward(ecmp, here.node, &label);

        if (port == ECMP_NO_PORT ||
            !topology_peer(
                ecmp->topology, (struct topology_end){ .node = here.node, .port = port }, &here))
            return 0;
    }
    return here.is_nic && here.node == to ? switches : 0;
}

PROPERTY("on any graph, packets reach the port of a NIC that a shortest path leads to", 60)
{
    static struct cluster cluster;
    struct prng prng = prng_stream(seed, 2);
    struct tables tables;
    uint32_t nic_count;

    cluster_random_graph(&cluster, seed);
    nic_count = cluster.fabric.topology.nic_count;
    open_tables(&tables, &cluster.fabric.topology, &(struct ecmp_config){ .seed = seed });
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t from = prng_below(&prng, nic_count);
        uint32_t to = prng_below(&prng, nic_count);
        uint16_t source_port = (uint16_t)prng_next(&prng);
        struct topology_end first;
        struct topology_end last;
        uint32_t switches;

        if (from == to ||
            !topology_peer(&cluster.fabric.topology,
                (struct topology_end){ .is_nic = true, .node = from }, &first) ||
            !topology_peer(&cluster.fabric.topology,
                (struct topology_end){ .is_nic = true, .node = to }, &last))
            continue;
        if (ecmp_distance(&tables.ecmp, first.node, last.node) == ECMP_UNREACHED)
            continue;
        switches = walk(&tables.ecmp, from, to, source_port);
        EXPECT_EQ(switches, ecmp_distance(&tables.ecmp, first.node, last.node) + 1);
    }
    free(tables.memory);
    cluster_free_graph(&cluster);
}

SPEC("switches hash differently, unless they are polarised")
{
    static struct cluster cluster;
    struct tables tables;
    uint32_t same = 0;

    open_leaf_spine(&cluster, &tables, 8, (struct ecmp_config){ .seed = 3, .is_polarised = true });
    EXPECT_EQ(tables.ecmp.switches[0].seed, tables.ecmp.switches[1].seed);
    close_tables(&cluster, &tables);
    open_leaf_spine(&cluster, &tables, 8, (struct ecmp_config){ .seed = 3 });
    for (uint32_t i = 1; i < cluster.fabric.topology.switch_count; i++)
        same += tables.ecmp.switches[i].seed == tables.ecmp.switches[0].seed;
    EXPECT_EQ(same, 0);
    close_tables(&cluster, &tables);
}

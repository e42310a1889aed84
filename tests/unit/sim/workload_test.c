/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads before they run: where ranks sit, which pairs there are, what could be reached, what
 * cannot be done at all. */
#include "spec.h"

#include <stdalign.h>
#include <string.h>

#include "base/problem.h"
#include "sim/job_place.h"
#include "sim/workload.h"

#define GBPS(count) ((count)*UINT64_C(1000000000))

struct bench {
    alignas(16) uint8_t memory[65536];
    struct plan fabric;
    struct workload_layout layout;
};
static struct bench bench;

/* 64 NICs of 4 x 100 Gb/s below 8 T0s. */
static const struct topology_config *plain(void)
{
    static struct topology_config config;

    topology_config_init(&config);
    return &config;
}

static void set_up(
    const struct topology_config *config, const struct sim_workload *workload, uint64_t seed)
{
    struct topology_problem problem;
    struct arena measure;
    struct arena arena;

    EXPECT(plan_init(&bench.fabric, config, NULL, &problem));
    arena_init(&measure, NULL, 0);
    workload_layout_init(&bench.layout, &measure, workload,
        &(struct workload_place){ .topology = &bench.fabric.topology, .seed = seed });
    EXPECT_LE(measure.used_bytes, sizeof(bench.memory));
    arena_init(&arena, bench.memory, measure.used_bytes);
    workload_layout_init(&bench.layout, &arena, workload,
        &(struct workload_place){ .topology = &bench.fabric.topology, .seed = seed });
    EXPECT_EQ(arena.used_bytes, measure.used_bytes);
}

static struct sim_workload work(enum sim_workload_kind kind, uint32_t rank_count)
{
    return (struct sim_workload){ .kind = kind,
        .rank_count = rank_count,
        .message_bytes = 1 << 20,
        .iterations = 1,
        .outstanding = 1,
        .qps = 1 };
}

/* ---- kinds ----------------------------------------------------------------------------------- */

SPEC("no kind of workload is both steady and a collective, and random experiments know the first")
{
    for (uint32_t i = 0; i < SIM_WORKLOAD_COUNT; i++) {
        enum sim_workload_kind kind = (enum sim_workload_kind)i;

        EXPECT_EQ(sim_workload_weights[kind] > 0, kind <= SIM_TRAINING);
        EXPECT(!sim_workload_is(kind, SIM_STEADY) || !sim_workload_is(kind, SIM_COLLECTIVE));
    }
    EXPECT(!sim_workload_words[SIM_WORKLOAD_COUNT]);
}

SPEC("all-reduces of all shapes send as much, and the time in groups is added")
{
    struct sim_workload ring = work(SIM_ALL_REDUCE, 16);
    struct sim_workload tree = work(SIM_TREE_ALL_REDUCE, 16);
    struct sim_workload groups = work(SIM_HIERARCHICAL_ALL_REDUCE, 16);
    uint64_t bps = UINT64_C(8000000000000);
    uint64_t whole_ps = 2 * 15 * (UINT64_C(1) << 20); /* a byte per ps, twice 15 buffers */

    groups.group = 4;
    EXPECT_EQ(sim_collective_ps(&ring, bps) / 100, whole_ps / 100);
    EXPECT_EQ(sim_collective_ps(&tree, bps) / 100, whole_ps / 100);
    EXPECT_EQ(sim_collective_ps(&groups, bps) / 100, whole_ps / 100);
    /* The rails carry 2 * 3 buffers; a rank sends 3/4 of its buffer twice in its group. */
    groups.local_bps = bps;
    EXPECT_EQ(sim_collective_ps(&groups, bps) / 100, 15 * (UINT64_C(1) << 20) / 2 / 100);
}

SPEC("the time of a collective of 131,072 ranks, 2 * 512 GiB each at 800 Gb/s, is 10.99 s")
{
    struct sim_workload ring = work(SIM_ALL_REDUCE, 131072);

    ring.message_bytes = UINT64_C(1) << 39;
    EXPECT_EQ(sim_collective_ps(&ring, 131072 * UINT64_C(800000000000)) / 10000000000, 1099);
}

SPEC("a step of a pipeline computes for all micro-batches, and fills and drains its stages")
{
    struct sim_workload pipeline = work(SIM_PARALLEL_TRAINING, 8);

    pipeline.pipeline = 4;
    pipeline.micro_batches = 8;
    pipeline.compute_ps = 24000; /* 8 times 1000 forward and 2000 backward */
    EXPECT_EQ(sim_compute_ps(&pipeline), (8 + 3) * 3000);
    pipeline.pipeline = 1;
    EXPECT_EQ(sim_compute_ps(&pipeline), 24000);
    EXPECT_EQ(sim_compute_ps(&(struct sim_workload){ .kind = SIM_ALL_REDUCE }), 0);
}

/* ---- placement ------------------------------------------------------------------------------- */

/* 8 T0s with 8 NICs each. */
SPEC("jobs share no NIC: listed ones come first, then free ones in order, by leaf, or at random")
{
    static const uint32_t listed[] = { 1, 9 };
    alignas(16) static uint8_t memory[4096];
    struct sim_job jobs[] = { { .placement = SIM_PACKED, .nic_count = 9 },
        { .placement = SIM_SPREAD, .nic_count = 10 }, { .placement = SIM_RANDOM, .nic_count = 43 },
        { .placement = SIM_LIST, .nic_count = 2, .nics = listed } };
    struct sim_config config = { .fabric = &bench.fabric, .jobs = jobs, .job_count = 4, .seed = 5 };
    struct sim_workload any = work(SIM_INCAST, 2);
    struct problem problem;
    const uint32_t *nics;
    uint64_t taken = 0;
    struct arena arena;

    set_up(plain(), &any, 1);
    EXPECT(job_place_check(&config, &problem));
    arena_init(&arena, memory, sizeof(memory));
    nics = job_place_all(&arena, &config);
    for (uint32_t i = 0; i < 64; i++)
        taken |= UINT64_C(1) << nics[i];
    EXPECT_EQ(taken, UINT64_MAX);
    EXPECT_EQ(nics[0], 0);
    EXPECT_EQ(nics[1], 2);
    EXPECT_EQ(nics[8], 10);
    EXPECT_EQ(nics[9], 11); /* the leaf of NICs 8 to 15 is the first with a free one */
    EXPECT_EQ(nics[10], 16);
    EXPECT_EQ(nics[16], 12); /* the second round */
    EXPECT_MEM_EQ(&nics[62], listed, sizeof(listed));
    jobs[0].nic_count = 10;
    EXPECT(!job_place_check(&config, &problem));
}

SPEC("packed ranks are on consecutive NICs, listed ranks on the listed NICs")
{
    static const uint32_t nics[] = { 9, 3, 60 };
    struct sim_workload packed = work(SIM_ALL_REDUCE, 3);
    struct sim_workload listed = work(SIM_ALL_REDUCE, 3);

    packed.first_nic = 5;
    set_up(plain(), &packed, 1);
    EXPECT_EQ(bench.layout.nic_of_rank[0], 5);
    EXPECT_EQ(bench.layout.nic_of_rank[2], 7);
    listed.placement = SIM_LIST;
    listed.nics = nics;
    set_up(plain(), &listed, 1);
    EXPECT_MEM_EQ(bench.layout.nic_of_rank, nics, sizeof(nics));
}

PROPERTY("ranks placed at random are on different NICs, and on others with another seed", 50)
{
    struct sim_workload workload = work(SIM_ALL_REDUCE, 2 + (uint32_t)seed);
    uint32_t first[64];
    uint64_t taken = 0;

    workload.placement = SIM_RANDOM;
    set_up(plain(), &workload, seed);
    for (uint32_t rank = 0; rank < workload.rank_count; rank++) {
        EXPECT_LT(bench.layout.nic_of_rank[rank], 64);
        EXPECT_EQ(taken >> bench.layout.nic_of_rank[rank] & 1, 0);
        taken |= UINT64_C(1) << bench.layout.nic_of_rank[rank];
    }
    memcpy(first, bench.layout.nic_of_rank, sizeof(first));
    set_up(plain(), &workload, seed);
    EXPECT_MEM_EQ(bench.layout.nic_of_rank, first, workload.rank_count * sizeof(first[0]));
    if (workload.rank_count > 8) {
        set_up(plain(), &workload, seed + 1000);
        EXPECT(memcmp(bench.layout.nic_of_rank, first, workload.rank_count * sizeof(first[0])));
    }
}

SPEC("two workloads placed at random are on different NICs, because their names differ")
{
    struct sim_workload workload = work(SIM_ALL_REDUCE, 16);
    uint32_t first[16];

    workload.placement = SIM_RANDOM;
    set_up(plain(), &workload, 1);
    memcpy(first, bench.layout.nic_of_rank, sizeof(first));
    workload.name[0] = 'b';
    set_up(plain(), &workload, 1);
    EXPECT(memcmp(bench.layout.nic_of_rank, first, sizeof(first)) != 0);
}

/* ---- permutations ---------------------------------------------------------------------------- */

/* How many write within their T0; each rank is written to once, none by itself. */
static uint32_t expect_derangement(uint32_t rank_count)
{
    uint64_t targets = 0;
    uint32_t local = 0;

    for (uint32_t rank = 0; rank < rank_count; rank++) {
        uint32_t to = workload_flow_at(&bench.layout, rank).to_rank;

        EXPECT_NE(to, rank);
        EXPECT_EQ(targets >> to & 1, 0);
        targets |= UINT64_C(1) << to;
        local += topology_leaf_of(&bench.fabric.topology, bench.layout.nic_of_rank[rank]) ==
                 topology_leaf_of(&bench.fabric.topology, bench.layout.nic_of_rank[to]);
    }
    return local;
}

PROPERTY("in a random permutation every rank writes to another T0", 100)
{
    struct sim_workload workload = work(SIM_PERMUTATION, 16 + 16 * (uint32_t)(seed % 4));

    set_up(plain(), &workload, seed);
    EXPECT_EQ(expect_derangement(workload.rank_count), 0);
}

PROPERTY("if most ranks share a T0, as few as possible write within it", 50)
{
    struct sim_workload workload = work(SIM_PERMUTATION, 11); /* 8 below one T0, 3 below another */

    set_up(plain(), &workload, seed);
    EXPECT_EQ(expect_derangement(11), 8 - 3);
    workload.rank_count = 8;
    set_up(plain(), &workload, seed);
    EXPECT_EQ(expect_derangement(8), 8);
}

SPEC("random permutations have many forms: pairs of T0s are not kept together")
{
    struct sim_workload workload = work(SIM_PERMUTATION, 64);
    uint32_t together = 0;

    set_up(plain(), &workload, 3);
    for (uint32_t rank = 0; rank < 64; rank += 2)
        together += workload_flow_at(&bench.layout, rank).to_rank / 8 ==
                    workload_flow_at(&bench.layout, rank + 1).to_rank / 8;
    EXPECT_LT(together, 16);
}

SPEC("a permutation with a shift writes to the rank at that distance")
{
    struct sim_workload workload = work(SIM_PERMUTATION, 10);

    workload.shift = 3;
    set_up(plain(), &workload, 1);
    for (uint32_t rank = 0; rank < 10; rank++)
        EXPECT_EQ(workload_flow_at(&bench.layout, rank).to_rank, (rank + 3) % 10);
}

/* ---- flows and times
 * ----------------------------------------------------------------------------- */

SPEC("there is a flow for each QP of each pair, and one in each direction where both write")
{
    struct sim_workload workload = work(SIM_STREAM, 6);

    workload.qps = 4;
    EXPECT_EQ(workload_flow_count(&workload), 12);
    workload.bidirectional = true;
    EXPECT_EQ(workload_flow_count(&workload), 24);
    workload.kind = SIM_INCAST;
    EXPECT_EQ(workload_flow_count(&workload), 20);
    workload.kind = SIM_ALL_TO_ALL;
    EXPECT_EQ(workload_flow_count(&workload), 120);
    workload.group = 3;
    EXPECT_EQ(workload_flow_count(&workload), 48);
    workload.kind = SIM_TRAINING;
    workload.collective = SIM_ALL_REDUCE;
    EXPECT_EQ(workload_flow_count(&workload), 24);
}

SPEC("the flows of an all-to-all in groups stay in their group")
{
    struct sim_workload workload = work(SIM_ALL_TO_ALL, 12);
    struct workload_layout layout = { .workload = &workload };

    workload.group = 4;
    EXPECT_EQ(workload_flow_count(&workload), 36);
    for (uint32_t i = 0; i < workload_flow_count(&workload); i++) {
        struct workload_flow flow = workload_flow_at(&layout, i);

        EXPECT_EQ(flow.from_rank / 4, flow.to_rank / 4);
        EXPECT_EQ((flow.from_rank + i % 3 + 1) % 4, flow.to_rank % 4);
    }
}

SPEC("ranks start one after the other, each with a delay of its own")
{
    struct sim_workload workload = work(SIM_STREAM, 64);
    uint64_t latest_ps = 0;

    workload.start_ps = 1000;
    workload.stagger_ps = 10;
    EXPECT_EQ(workload_start_ps(&workload, 5, 1), 1050);
    workload.stagger_ps = 0;
    workload.jitter_ps = 500;
    for (uint32_t rank = 0; rank < 64; rank++) {
        uint64_t start_ps = workload_start_ps(&workload, rank, 1);

        EXPECT(start_ps >= 1000 && start_ps <= 1500);
        latest_ps = start_ps > latest_ps ? start_ps : latest_ps;
    }
    EXPECT_GT(latest_ps, 1400);
}

/* ---- the ideal
 * ----------------------------------------------------------------------------------- */

static uint64_t ideal_bps(const struct topology_config *config, const struct sim_workload *workload)
{
    set_up(config, workload, 1);
    return workload_ideal_bps(&bench.layout, &bench.fabric.topology, 4, 5);
}

SPEC("the ideal goodput is the payload that the NICs can carry")
{
    struct sim_workload workload = work(SIM_STREAM, 6);

    EXPECT_EQ(ideal_bps(plain(), &workload), GBPS(3 * 320));
    workload.bidirectional = true;
    EXPECT_EQ(ideal_bps(plain(), &workload), GBPS(6 * 320));
    workload.kind = SIM_ALL_REDUCE;
    workload.qps = 2;
    EXPECT_EQ(ideal_bps(plain(), &workload), GBPS(6 * 320));
    workload.kind = SIM_INCAST;
    EXPECT_EQ(ideal_bps(plain(), &workload), GBPS(320));
    workload.kind = SIM_ALL_TO_ALL;
    EXPECT_EQ(ideal_bps(plain(), &workload), GBPS(6 * 320));
}

SPEC("the ideal goodput accounts for few uplinks, and for the slowest pair of a collective")
{
    struct sim_workload workload = work(SIM_PERMUTATION, 16);
    struct topology_config config = *plain();

    config.t1_count = 4; /* half of what the hosts could send */
    EXPECT_EQ(ideal_bps(&config, &workload), GBPS(16 * 160));
    workload.kind = SIM_ALL_TO_ALL; /* 8 of 15 pairs of a rank cross */
    EXPECT_EQ(ideal_bps(&config, &workload), GBPS(4 * 4 * 100) / 64 * 4 / 5 * 240);
    workload.kind = SIM_ALL_REDUCE; /* one pair leaves each T0 */
    EXPECT_EQ(ideal_bps(&config, &workload), GBPS(16 * 320));
}

/* ---- what cannot be done
 * -------------------------------------------------------------------------- */

static const char *problem_with(const struct sim_workload *workload)
{
    static struct problem problem;
    struct sim_workload workloads[2] = { work(SIM_STREAM, 2), *workload };
    struct topology_problem fabric_problem;
    struct sim_config config = {
        .fabric = &bench.fabric, .workloads = workloads, .workload_count = 2
    };

    EXPECT(plan_init(&bench.fabric, plain(), NULL, &fabric_problem));
    if (workload_check(&config, &problem))
        return "";
    EXPECT_STR_EQ(problem.section, "workloads");
    EXPECT_EQ(problem.index, 1);
    EXPECT_GT(strlen(problem.reason), 10);
    return problem.member;
}

SPEC("an impossible workload is refused with the wrong member")
{
    struct sim_workload good = work(SIM_ALL_REDUCE, 8);
    struct sim_workload bad = good;
    uint32_t twice[8] = { 0, 1, 2, 3, 4, 5, 1, 7 };
    uint32_t no_path = 1u << 20;

    EXPECT_STR_EQ(problem_with(&good), "");
    bad.rank_count = 65;
    EXPECT_STR_EQ(problem_with(&bad), "ranks");
    bad.rank_count = 1;
    EXPECT_STR_EQ(problem_with(&bad), "ranks");
    bad = good, bad.first_nic = 57;
    EXPECT_STR_EQ(problem_with(&bad), "first_nic");
    bad = good, bad.message_bytes = 7;
    EXPECT_STR_EQ(problem_with(&bad), "message_bytes");
    bad = good, bad.message_bytes = UINT64_C(1) << 40;
    EXPECT_STR_EQ(problem_with(&bad), "message_bytes");
    bad = good, bad.qps = 131073;
    EXPECT_STR_EQ(problem_with(&bad), "qps");
    bad = good, bad.outstanding = 0;
    EXPECT_STR_EQ(problem_with(&bad), "outstanding");
    bad = good, bad.placement = SIM_LIST, bad.nics = twice;
    EXPECT_STR_EQ(problem_with(&bad), "nics");
    bad = good, bad.kind = SIM_STREAM, bad.rank_count = 7;
    EXPECT_STR_EQ(problem_with(&bad), "ranks");
    bad = good, bad.kind = SIM_PERMUTATION, bad.shift = 8;
    EXPECT_STR_EQ(problem_with(&bad), "shift");
    bad = good, bad.kind = SIM_TRAINING, bad.collective = SIM_INCAST;
    EXPECT_STR_EQ(problem_with(&bad), "collective");
    bad.collective = SIM_ALL_REDUCE, bad.overlap_permille = 1001;
    EXPECT_STR_EQ(problem_with(&bad), "overlap");
    bad = good, bad.kind = SIM_HIERARCHICAL_ALL_REDUCE, bad.group = 3;
    EXPECT_STR_EQ(problem_with(&bad), "group");
    bad.group = 8; /* one group */
    EXPECT_STR_EQ(problem_with(&bad), "group");
    bad = good, bad.kind = SIM_ALL_TO_ALL, bad.group = 3;
    EXPECT_STR_EQ(problem_with(&bad), "group");
    bad.group = 8;
    EXPECT_STR_EQ(problem_with(&bad), "");
    bad.kind = SIM_TRAINING, bad.collective = SIM_HIERARCHICAL_ALL_REDUCE;
    EXPECT_STR_EQ(problem_with(&bad), "group");
    bad.group = 4, bad.local_bps = 1;
    EXPECT_STR_EQ(problem_with(&bad), "local_rate");
    bad = good, bad.kind = SIM_TREE_ALL_REDUCE, bad.chunks = 1 << 20;
    EXPECT_STR_EQ(problem_with(&bad), "message_bytes");
    good.kind = SIM_PARALLEL_TRAINING, good.collective = SIM_ALL_REDUCE;
    good.pipeline = 2, good.activation_bytes = 1;
    EXPECT_STR_EQ(problem_with(&good), "");
    bad = good, bad.pipeline = 3;
    EXPECT_STR_EQ(problem_with(&bad), "ranks");
    bad = good, bad.collective = SIM_ALL_TO_ALL;
    EXPECT_STR_EQ(problem_with(&bad), "collective");
    bad = good, bad.tensor = 2;
    EXPECT_STR_EQ(problem_with(&bad), "local_rate");
    bad.local_bps = 1, bad.group = 3;
    EXPECT_STR_EQ(problem_with(&bad), "group");
    bad = good, bad.activation_bytes = 0;
    EXPECT_STR_EQ(problem_with(&bad), "activation_bytes");
    bad = good, bad.expert = 4;
    EXPECT_STR_EQ(problem_with(&bad), "exchanges");
    bad.exchanges = 1, bad.dispatch_bytes = 3;
    EXPECT_STR_EQ(problem_with(&bad), "dispatch_bytes");
    bad.expert = 3;
    EXPECT_STR_EQ(problem_with(&bad), "expert");
    good.kind = SIM_ALL_REDUCE;
    bad = good, bad.evs = &no_path, bad.ev_count = 1;
    EXPECT_STR_EQ(problem_with(&bad), "evs");
}

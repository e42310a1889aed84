/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of every kind in a world that does things in any order: all of them finish, every byte goes
 * once, nothing is passed on before it has come. */
#include "spec.h"

#include "ranks.h"

static struct ranks world;

static struct sim_workload draw(enum sim_workload_kind kind, struct prng *prng)
{
    struct sim_workload workload = { .kind = kind,
        .placement = prng_below(prng, 2) ? SIM_RANDOM : SIM_PACKED,
        .rank_count = 2 + prng_below(prng, RANKS_MAX - 1),
        .first_nic = prng_below(prng, 50),
        .iterations = 1 + prng_below(prng, ITERATIONS_MAX),
        .outstanding = 1 + prng_below(prng, SLICES_MAX),
        .qps = 1 + prng_below(prng, QPS_MAX),
        .bidirectional = prng_below(prng, 2) };

    if (kind == SIM_STREAM || kind == SIM_PING_PONG)
        workload.rank_count &= ~1u;
    workload.message_bytes =
        workload.rank_count * workload.qps * workload.outstanding + prng_below(prng, 100000);
    return workload;
}

static void expect_sound(const struct sim_workload *workload)
{
    struct sim_config config = {
        .fabric = &world.fabric, .workloads = workload, .workload_count = 1
    };
    struct problem problem;

    EXPECT(workload_check(&config, &problem));
}

static void play(const struct sim_workload *workload, uint64_t seed)
{
    ranks_init(&world, workload, seed);
    expect_sound(workload);
    ranks_run(&world);
    EXPECT(ranks_are_finished(&world));
}

PROPERTY("every message of a stream, a permutation and an incast goes once", 300)
{
    static const enum sim_workload_kind kinds[] = { SIM_STREAM, SIM_PERMUTATION, SIM_INCAST };
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = draw(kinds[seed % 3], &prng);
    uint64_t messages = (uint64_t)workload.iterations * workload.rank_count;

    play(&workload, seed);
    if (workload.kind == SIM_STREAM && !workload.bidirectional)
        messages /= 2;
    if (workload.kind == SIM_INCAST)
        messages -= workload.iterations;
    EXPECT_EQ(ranks_sent_bytes(&world), messages * workload.message_bytes);
}

PROPERTY("every ping gets its pong, and the next ping waits for it", 200)
{
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = draw(SIM_PING_PONG, &prng);

    workload.iterations *= 6;

    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world),
        (uint64_t)workload.iterations * workload.rank_count * workload.message_bytes);
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].completions, rank % 2 == 0 ? workload.iterations : 0);
}

/* Chunks differ in size; over all ranks and steps each is sent equally often. */
static uint64_t collective_bytes(const struct sim_workload *workload)
{
    uint64_t once = workload->message_bytes * workload->iterations;

    switch (workload->kind == SIM_TRAINING ? workload->collective : workload->kind) {
    case SIM_ALL_REDUCE:
        return once * 2 * (workload->rank_count - 1);
    case SIM_SEND_RECV:
        return once * workload->rank_count;
    default:
        return once * (workload->rank_count - 1);
    }
}

PROPERTY("a collective is complete on every rank, in any order of events", 1000)
{
    static const enum sim_workload_kind kinds[] = { SIM_ALL_REDUCE, SIM_REDUCE_SCATTER,
        SIM_ALL_GATHER, SIM_SEND_RECV, SIM_ALL_TO_ALL };
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = draw(kinds[seed % 5], &prng);

    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world), collective_bytes(&workload));
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].completions, workload.iterations);
}

PROPERTY("both trees reduce every chunk once and bring every rank the sum", 600)
{
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = draw(SIM_TREE_ALL_REDUCE, &prng);

    workload.chunks = 1 + prng_below(&prng, CHUNKS_MAX);
    workload.message_bytes += 2 * CHUNKS_MAX;
    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world),
        workload.message_bytes * workload.iterations * 2 * (workload.rank_count - 1));
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].completions, workload.iterations);
}

PROPERTY("groups reduce, rails all-reduce, groups gather: every rank has the sum of all", 900)
{
    static const struct {
        uint32_t group;
        uint32_t groups;
    } shapes[] = { { 2, 2 }, { 2, 3 }, { 2, 4 }, { 3, 2 }, { 3, 3 }, { 4, 2 } };
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = draw(SIM_HIERARCHICAL_ALL_REDUCE, &prng);
    uint32_t shape = prng_below(&prng, 6);
    uint64_t times = 2 * (shapes[shape].groups - 1);

    workload.group = shapes[shape].group;
    workload.rank_count = shapes[shape].group * shapes[shape].groups;
    workload.message_bytes += (uint64_t)workload.rank_count * workload.qps * workload.outstanding;
    if (seed % 3 == 0)
        workload.local_bps = UINT64_C(1000000000) * (1 + prng_below(&prng, 1000));
    else if (seed % 3 == 1)
        workload.qps = workload.outstanding = 1;
    if (workload.local_bps == 0)
        times += 2 * shapes[shape].groups * (workload.group - 1);
    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world), workload.message_bytes * workload.iterations * times);
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].completions, workload.iterations);
}

PROPERTY("groups of an all-to-all exchange all parts, to any number of peers at once", 600)
{
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = draw(SIM_ALL_TO_ALL, &prng);
    uint32_t groups = 1 + prng_below(&prng, 3);

    workload.group = 2 + prng_below(&prng, 2);
    workload.rank_count = workload.group * groups;
    workload.peers_at_once = prng_below(&prng, 4);
    workload.message_bytes += (uint64_t)workload.rank_count * workload.qps;
    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world),
        workload.message_bytes * workload.iterations * groups * (workload.group - 1));
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].completions, workload.iterations);
}

PROPERTY("a training job does all its steps, each with its computing and its collective", 400)
{
    static const enum sim_workload_kind kinds[] = { SIM_ALL_REDUCE, SIM_REDUCE_SCATTER,
        SIM_ALL_GATHER, SIM_SEND_RECV, SIM_ALL_TO_ALL };
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = draw(SIM_TRAINING, &prng);

    workload.collective = kinds[seed % 5];
    workload.compute_ps = prng_below(&prng, 3) * (uint64_t)prng_below(&prng, 3000);
    workload.overlap_permille = prng_below(&prng, 3) * 500;
    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world), collective_bytes(&workload));
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].steps, workload.iterations);
}

PROPERTY("a divided model does all its steps, and sends what its axes need", 300)
{
    static const struct {
        uint32_t ranks, tensor, stages, experts;
    } shapes[] = { { 4, 1, 2, 2 }, { 8, 2, 2, 1 }, { 6, 1, 3, 2 }, { 8, 1, 1, 4 }, { 3, 1, 3, 1 },
        { 8, 1, 2, 4 } };
    static const enum sim_workload_kind kinds[] = { SIM_ALL_REDUCE, SIM_REDUCE_SCATTER,
        SIM_TREE_ALL_REDUCE };
    struct prng prng = prng_stream(seed, 0);
    uint32_t shape = (uint32_t)(seed % 6);
    struct sim_workload workload = { .kind = SIM_PARALLEL_TRAINING,
        .rank_count = shapes[shape].ranks,
        .tensor = shapes[shape].tensor,
        .pipeline = shapes[shape].stages,
        .expert = shapes[shape].experts,
        .group = 2,
        .local_bps = shapes[shape].tensor > 1 ? UINT64_C(1000000000000) : 0,
        .micro_batches = 1 + prng_below(&prng, 3),
        .exchanges = shapes[shape].experts > 1 ? 1 : 0,
        .collective = kinds[prng_below(&prng, 3)],
        .overlap_permille = prng_below(&prng, 3) * 500,
        .chunks = 2,
        .message_bytes = 1000 + prng_below(&prng, 1000),
        .activation_bytes = 100 + prng_below(&prng, 100),
        .tensor_bytes = 100,
        .dispatch_bytes = 40,
        .combine_bytes = 80,
        .outstanding = 1 + prng_below(&prng, 2),
        .qps = 1 + prng_below(&prng, 2),
        .iterations = 1 + prng_below(&prng, 3) };
    uint32_t data = workload.rank_count / (workload.tensor * workload.pipeline);
    uint64_t passes = 2 * (uint64_t)workload.micro_batches;
    uint64_t halves = workload.collective == SIM_REDUCE_SCATTER ? 1 : 2;
    uint64_t stages = passes * workload.tensor * data * (workload.pipeline - 1);
    uint64_t experts = passes * workload.exchanges * workload.rank_count / workload.expert *
                       (workload.expert - 1) * (40 + 80);
    uint64_t gradients = workload.tensor * workload.pipeline * halves * (data - 1);

    workload.compute_ps = 3 * workload.micro_batches * (uint64_t)prng_below(&prng, 1000);
    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world),
        workload.iterations *
            (stages * workload.activation_bytes + experts + gradients * workload.message_bytes));
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].steps, workload.iterations);
}

PROPERTY(
    "nodes with links of their own reduce inside first, and send tokens to one rank of a node", 200)
{
    struct prng prng = prng_stream(seed, 0);
    struct sim_workload workload = { .kind = SIM_PARALLEL_TRAINING,
        .rank_count = 8,
        .expert = 8,
        .group = 2,
        .local_bps = UINT64_C(1000000000) * (1 + prng_below(&prng, 1000)),
        .micro_batches = 1 + prng_below(&prng, 2),
        .exchanges = 1,
        .collective = SIM_HIERARCHICAL_ALL_REDUCE,
        .overlap_permille = prng_below(&prng, 3) * 500,
        .message_bytes = 1000 + prng_below(&prng, 1000),
        .dispatch_bytes = 40,
        .combine_bytes = 80,
        .outstanding = 1 + prng_below(&prng, 2),
        .qps = 1 + prng_below(&prng, 2),
        .iterations = 1 + prng_below(&prng, 3) };
    uint64_t rails = 2;
    uint64_t tokens = 2 * workload.micro_batches * rails * 3 * (40 + 80); /* to 3 other nodes */
    uint64_t gradients = 2 * 3 * workload.message_bytes;

    workload.compute_ps = 3 * workload.micro_batches * (uint64_t)prng_below(&prng, 1000);
    play(&workload, seed);
    EXPECT_EQ(ranks_sent_bytes(&world), workload.iterations * (tokens + gradients));
    for (uint32_t rank = 0; rank < workload.rank_count; rank++)
        EXPECT_EQ(world.nodes[rank].steps, workload.iterations);
}

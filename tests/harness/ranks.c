/* SPDX-License-Identifier: Apache-2.0 */
/* A world that is as unfair as it may be. */
#include "ranks.h"

#include <string.h>

#include "spec.h"

static enum sim_workload_kind pattern_of(const struct sim_workload *workload)
{
    return workload->kind == SIM_TRAINING ? workload->collective : workload->kind;
}

static bool is_ring(enum sim_workload_kind kind)
{
    return kind >= SIM_ALL_REDUCE && kind <= SIM_ALL_GATHER;
}

/* ---- what a ring's messages hold ------------------------------------------------------------- */

struct slot {
    uint32_t iteration;
    uint32_t step;
    uint32_t chunk;
    uint32_t slice; /* over all QPs */
};

static uint32_t steps_of(const struct sim_workload *workload)
{
    return (workload->rank_count - 1) * (pattern_of(workload) == SIM_ALL_REDUCE ? 2 : 1);
}

static struct slot slot_of(const struct ranks *world, const struct wire *wire, uint32_t number)
{
    const struct sim_workload *workload = &world->workload;
    uint32_t each = steps_of(workload) * workload->outstanding;
    uint32_t step = number % each / workload->outstanding;

    return (struct slot){ .iteration = number / each,
        .step = step,
        .chunk = (wire->ends.from_rank + 2 * workload->rank_count - step) % workload->rank_count,
        .slice = wire->number_out * workload->outstanding + number % workload->outstanding };
}

static uint32_t *held(struct ranks *world, uint32_t rank, struct slot slot)
{
    return &world->nodes[rank].has[slot.iteration][slot.chunk][slot.slice];
}

/* What a rank passes on in this message: that of the step before, from the rank before. */
static const struct message *came_before(const struct ranks *world, const struct wire *wire)
{
    for (uint32_t i = 0; i < world->wire_count; i++)
        if (world->wires[i].ends.to_rank == wire->ends.from_rank &&
            world->wires[i].number_in == wire->number_out)
            return &world->wires[i].messages[wire->posted - world->workload.outstanding];
    EXPECT(false);
    return NULL;
}

static void expect_ready(struct ranks *world, struct wire *wire, struct message *message)
{
    struct slot slot = slot_of(world, wire, wire->posted);
    uint32_t mine = UINT32_C(1) << wire->ends.from_rank;
    uint32_t has = *held(world, wire->ends.from_rank, slot);

    if (slot.step > 0)
        EXPECT_EQ(message->bytes, came_before(world, wire)->bytes);
    if (pattern_of(&world->workload) == SIM_ALL_GATHER)
        EXPECT(slot.step == 0 || has != 0);
    else
        EXPECT_EQ(__builtin_popcount(has | mine) - 1,
            slot.step < world->workload.rank_count ? slot.step : world->workload.rank_count - 1);
    message->contributions = has | (slot.step == 0 || has != 0 ? mine : 0);
}

static void take_in(struct ranks *world, const struct wire *wire, uint32_t number)
{
    struct slot slot = slot_of(world, wire, number);
    uint32_t came = wire->messages[number].contributions;
    uint32_t *has = held(world, wire->ends.to_rank, slot);

    if (slot.step < world->workload.rank_count - 1)
        EXPECT_EQ(*has & came, 0);
    *has |= came;
}

static void expect_whole(const struct node *node, uint32_t iteration)
{
    const struct sim_workload *workload = &node->world->workload;
    uint32_t ranks = workload->rank_count;
    uint32_t mine = UINT32_C(1) << node->rank.rank;

    for (uint32_t chunk = 0; chunk < ranks; chunk++) {
        for (uint32_t slice = 0; slice < workload->qps * workload->outstanding; slice++) {
            uint32_t has = node->has[iteration][chunk][slice];

            if (pattern_of(workload) == SIM_ALL_GATHER)
                EXPECT(chunk == node->rank.rank || has != 0);
            else if (pattern_of(workload) == SIM_ALL_REDUCE ||
                     chunk == (node->rank.rank + 1) % ranks)
                EXPECT_EQ(has | mine, (UINT32_C(1) << ranks) - 1);
        }
    }
}

/* ---- what the messages of trees and groups hold ------------------------------------------------
 */

/* The pieces of the buffer in a message, and whether it adds to a sum or replaces it. */
struct span {
    uint32_t iteration;
    uint32_t first;
    uint32_t count;
    bool adds;
};

static bool has_pieces(const struct sim_workload *workload)
{
    enum sim_workload_kind kind = pattern_of(workload);

    /* With several slices, messages of rails and groups have no pieces in common. */
    return kind == SIM_TREE_ALL_REDUCE ||
           (kind == SIM_HIERARCHICAL_ALL_REDUCE && workload->local_bps == 0 &&
               workload->qps * workload->outstanding == 1);
}

static struct span tree_span(const struct ranks *world, const struct wire *wire, uint32_t number)
{
    const struct sim_workload *workload = &world->workload;
    uint32_t index = (uint32_t)(wire - world->wires);
    uint32_t qp = index % workload->qps;
    uint32_t each = workload->chunks / workload->qps + (qp < workload->chunks % workload->qps);
    uint32_t tree = index / workload->qps / 2 / (workload->rank_count - 1);

    return (struct span){ .iteration = number / each,
        .first = tree * workload->chunks + number % each * workload->qps + qp,
        .count = 1,
        .adds = (wire->ends.from_rank > wire->ends.to_rank) == (tree == 0) };
}

static struct span group_span(const struct ranks *world, const struct wire *wire, uint32_t number)
{
    uint32_t group = world->workload.group;
    uint32_t groups = world->workload.rank_count / group;
    uint32_t place = wire->ends.from_rank % group;
    bool is_rail = place == wire->ends.to_rank % group;
    uint32_t ring = is_rail ? groups : group;
    uint32_t step = number % (2 * (ring - 1));
    uint32_t chunk = ((is_rail ? wire->ends.from_rank / group : place) + 2 * ring - step) % ring;

    return (struct span){ .iteration = number / (2 * (ring - 1)),
        .first = is_rail ? (place + 1) % group * groups + chunk : chunk * groups,
        .count = is_rail ? 1 : groups,
        .adds = step < ring - 1 };
}

static struct span span_of(const struct ranks *world, const struct wire *wire, uint32_t number)
{
    return pattern_of(&world->workload) == SIM_TREE_ALL_REDUCE ? tree_span(world, wire, number)
                                                               : group_span(world, wire, number);
}

static void put_pieces(struct ranks *world, const struct wire *wire, struct message *message)
{
    struct span span = span_of(world, wire, wire->posted);
    const struct node *from = &world->nodes[wire->ends.from_rank];

    for (uint32_t i = 0; i < span.count; i++)
        message->pieces[i] =
            from->pieces[span.iteration][span.first + i] | UINT32_C(1) << wire->ends.from_rank;
}

/* No data is added twice. */
static void take_pieces(struct ranks *world, const struct wire *wire, uint32_t number)
{
    struct span span = span_of(world, wire, number);
    struct node *to = &world->nodes[wire->ends.to_rank];

    for (uint32_t i = 0; i < span.count; i++) {
        uint32_t *has = &to->pieces[span.iteration][span.first + i];
        uint32_t came = wire->messages[number].pieces[i];

        if (span.adds)
            EXPECT_EQ((*has | UINT32_C(1) << wire->ends.to_rank) & came, 0);
        *has = span.adds ? *has | came : came;
    }
}

static void expect_all_pieces(const struct node *node, uint32_t iteration)
{
    const struct sim_workload *workload = &node->world->workload;
    bool is_tree = pattern_of(workload) == SIM_TREE_ALL_REDUCE;
    uint32_t count = is_tree ? 2 * workload->chunks : workload->rank_count;

    for (uint32_t i = 0; i < count; i++)
        EXPECT_EQ(node->pieces[iteration][i] | UINT32_C(1) << node->rank.rank,
            (UINT32_C(1) << workload->rank_count) - 1);
}

/* ---- the world ------------------------------------------------------------------------------- */

static struct wire *wire_out(struct ranks *world, uint32_t rank, uint32_t number)
{
    for (uint32_t i = 0; i < world->wire_count; i++)
        if (world->wires[i].ends.from_rank == rank && world->wires[i].number_out == number)
            return &world->wires[i];
    EXPECT(false);
    return NULL;
}

static void on_send(void *context, uint32_t flow, uint64_t bytes, uint32_t tag, uint64_t now_ps)
{
    struct node *node = context;
    struct ranks *world = node->world;
    struct wire *wire = wire_out(world, node->rank.rank, flow);
    struct message message = { .bytes = bytes, .tag = tag };

    EXPECT(node->rank.is_started && !node->is_finished);
    EXPECT_EQ(now_ps, world->now_ps);
    EXPECT_GT(bytes, 0);
    EXPECT_LT(wire->posted, MESSAGES_MAX);
    EXPECT_LT(wire->posted - wire->acknowledged, workload_outstanding_max(&world->workload));
    if (is_ring(pattern_of(&world->workload)))
        expect_ready(world, wire, &message);
    if (has_pieces(&world->workload))
        put_pieces(world, wire, &message);
    wire->messages[wire->posted++] = message;
}

static void on_wake_at(void *context, uint64_t time_ps)
{
    struct node *node = context;

    EXPECT_GT(time_ps, node->world->now_ps);
    node->wake_ps = time_ps;
}

static void on_completed(void *context, uint64_t bytes, uint64_t since_ps, uint64_t now_ps)
{
    struct node *node = context;
    const struct sim_workload *workload = &node->world->workload;

    EXPECT_EQ(bytes, workload->message_bytes);
    EXPECT_LE(since_ps, now_ps);
    if (is_ring(pattern_of(workload)))
        expect_whole(node, node->completions);
    if (has_pieces(workload))
        expect_all_pieces(node, node->completions);
    if (pattern_of(workload) == SIM_ALL_TO_ALL)
        EXPECT_EQ(node->parts[node->completions], sim_workload_peers(workload) * workload->qps);
    node->completions++;
}

static void on_stepped(void *context, uint32_t step, uint64_t since_ps, uint64_t now_ps)
{
    struct node *node = context;

    EXPECT_EQ(step, node->steps);
    EXPECT_GE(now_ps - since_ps, node->world->workload.compute_ps);
    node->steps++;
    EXPECT_EQ(node->steps, node->completions);
}

static void on_finished(void *context, uint64_t now_ps)
{
    struct node *node = context;

    EXPECT(!node->is_finished);
    EXPECT_EQ(now_ps, node->world->now_ps);
    node->is_finished = true;
}

static struct workload_world face_of(struct node *node)
{
    return (struct workload_world){ .send = on_send,
        .wake_at = on_wake_at,
        .completed = on_completed,
        .stepped = on_stepped,
        .finished = on_finished,
        .context = node };
}

static void deliver(struct ranks *world, struct wire *wire)
{
    struct node *node = &world->nodes[wire->ends.to_rank];
    struct workload_world face = face_of(node);
    uint32_t number = wire->delivered++;
    uint32_t tag = wire->messages[number].tag;

    if (is_ring(pattern_of(&world->workload)))
        take_in(world, wire, number);
    if (has_pieces(&world->workload))
        take_pieces(world, wire, number);
    if (pattern_of(&world->workload) == SIM_ALL_TO_ALL)
        node->parts[tag]++;
    if (wire->ends.tells)
        workload_on_received(&node->rank, &face, wire->number_in, tag, world->now_ps);
}

static void acknowledge(struct ranks *world, struct wire *wire)
{
    struct node *node = &world->nodes[wire->ends.from_rank];
    struct workload_world face = face_of(node);

    wire->acknowledged++;
    workload_on_sent(&node->rank, &face, wire->number_out, world->now_ps);
}

/* ---- one event after the other, any that is possible ----------------------------------------- */

static bool try_wire(struct ranks *world, struct wire *wire)
{
    bool could_deliver = wire->delivered < wire->posted;
    bool could_acknowledge = wire->acknowledged < wire->delivered;

    if (could_deliver && (!could_acknowledge || prng_below(&world->prng, 2) == 0))
        deliver(world, wire);
    else if (could_acknowledge)
        acknowledge(world, wire);
    return could_deliver || could_acknowledge;
}

static bool try_node(struct ranks *world, struct node *node)
{
    struct workload_world face = face_of(node);

    if (!node->rank.is_started) {
        workload_on_start(&node->rank, &face, world->now_ps);
        return true;
    }
    if (node->wake_ps <= world->now_ps) {
        node->wake_ps = SIM_NEVER_PS;
        workload_on_wake(&node->rank, &face, world->now_ps);
        return true;
    }
    return false;
}

static bool something_happens(struct ranks *world)
{
    uint32_t choices = world->wire_count + world->workload.rank_count;
    uint32_t first = prng_below(&world->prng, choices);

    for (uint32_t i = 0; i < choices; i++) {
        uint32_t choice = (first + i) % choices;

        if (choice < world->wire_count ? try_wire(world, &world->wires[choice])
                                       : try_node(world, &world->nodes[choice - world->wire_count]))
            return true;
    }
    return false;
}

/* Nothing can happen now: on to the next wake, if there is one. */
static bool time_passes(struct ranks *world)
{
    uint64_t next_ps = SIM_NEVER_PS;

    for (uint32_t i = 0; i < world->workload.rank_count; i++)
        if (world->nodes[i].wake_ps < next_ps)
            next_ps = world->nodes[i].wake_ps;
    if (next_ps == SIM_NEVER_PS)
        return false;
    world->now_ps = next_ps;
    return true;
}

void ranks_run(struct ranks *world)
{
    for (;;) {
        world->now_ps += prng_below(&world->prng, 3);
        if (!something_happens(world) && !time_passes(world))
            return;
    }
}

/* ---- set-up and looking ---------------------------------------------------------------------- */

static void add_wire(struct ranks *world, struct workload_flow ends)
{
    struct wire *wire = &world->wires[world->wire_count];

    wire->ends = ends;
    for (uint32_t i = 0; i < world->wire_count; i++) {
        wire->number_out += world->wires[i].ends.from_rank == ends.from_rank;
        wire->number_in += world->wires[i].ends.to_rank == ends.to_rank;
    }
    world->wire_count++;
}

void ranks_init(struct ranks *world, const struct sim_workload *workload, uint64_t seed)
{
    struct topology_problem problem;
    struct topology_config config;
    struct arena arena;

    memset(world, 0, sizeof(*world));
    world->workload = *workload;
    world->prng = prng_stream(seed, 1);
    topology_config_init(&config);
    EXPECT(plan_init(&world->fabric, &config, NULL, &problem));
    arena_init(&arena, world->memory, sizeof(world->memory));
    workload_layout_init(&world->layout, &arena, &world->workload,
        &(struct workload_place){ .topology = &world->fabric.topology, .seed = seed });
    for (uint32_t i = 0; i < workload_flow_count(workload); i++)
        add_wire(world, workload_flow_at(&world->layout, i));
    for (uint32_t i = 0; i < workload->rank_count; i++) {
        world->nodes[i].world = world;
        world->nodes[i].wake_ps = SIM_NEVER_PS;
        workload_rank_init(&world->nodes[i].rank, &world->layout, i, world->nodes[i].lanes);
    }
}

uint64_t ranks_sent_bytes(const struct ranks *world)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < world->wire_count; i++)
        for (uint32_t j = 0; j < world->wires[i].posted; j++)
            sum += world->wires[i].messages[j].bytes;
    return sum;
}

bool ranks_are_finished(const struct ranks *world)
{
    for (uint32_t i = 0; i < world->workload.rank_count; i++)
        if (!world->nodes[i].is_finished || !world->nodes[i].rank.is_finished)
            return false;
    for (uint32_t i = 0; i < world->wire_count; i++)
        if (world->wires[i].acknowledged < world->wires[i].posted)
            return false;
    return true;
}

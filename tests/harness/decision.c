/* SPDX-License-Identifier: Apache-2.0 */
/* Runs experiments in steps that capacity can follow. */
#include "decision.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "capacity/capacity.h"
#include "files/files.h"
#include "measure/measure.h"
#include "sim/shard.h"
#include "spec.h"

#define PS_PER_US 1e6
#define PS_PER_S  1e12

struct running {
    struct yaml yaml;
    struct experiment experiment;
    struct capacity_track track;
    struct sim *sim;
    void *memory;
    uint64_t *placed_bytes; /* by pair, when the time began */
    double *due_bits;
    struct sim_totals began;
    uint64_t began_ps;
};

/* ---- life ------------------------------------------------------------------------------------ */

static void read_text(struct running *running, const char *text, uint64_t seed)
{
    struct yaml_node *top;

    yaml_init(&running->yaml);
    top = yaml_parse(&running->yaml, "decision", text, strlen(text), true);
    if (!top || !experiment_read(&running->yaml, top, &running->experiment))
        printf("# %s\n", running->yaml.problem);
    EXPECT_STR_EQ(running->yaml.problem, "");
    running->experiment.sim.seed = seed;
}

static void start(struct running *running)
{
    struct sim_config *config = &running->experiment.sim;
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    sim_init(&arena, config);
    bytes = (arena.used_bytes + 63) / 64 * 64;
    running->memory = aligned_alloc(64, bytes);
    assert(running->memory);
    arena_init(&arena, running->memory, bytes);
    running->sim = sim_init(&arena, config);
    EXPECT_EQ(capacity_track_init(&running->track, running->sim, config), 0);
    running->placed_bytes = calloc(running->track.pair_count, sizeof(*running->placed_bytes));
    running->due_bits = calloc(running->track.pair_count, sizeof(*running->due_bits));
    assert(running->placed_bytes && running->due_bits);
}

static void stop(struct running *running)
{
    capacity_track_fini(&running->track);
    free(running->placed_bytes);
    free(running->due_bits);
    free(running->memory);
    yaml_fini(&running->yaml);
}

/* ---- running --------------------------------------------------------------------------------- */

static enum sim_status run_until(struct running *running, uint64_t until_ps)
{
    enum sim_status status = SIM_RUNNING;

    while (status == SIM_RUNNING && sim_now_ps(running->sim) < until_ps) {
        uint64_t stop_ps = capacity_track_stop_ps(&running->track);

        status = sim_run(running->sim, stop_ps < until_ps ? stop_ps : until_ps);
        EXPECT_EQ(capacity_track_look(&running->track), 0);
    }
    return status;
}

static uint64_t placed_bytes(const struct running *running, uint32_t pair)
{
    const struct capacity_pair *its = &running->track.pairs[pair];
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < its->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(running->sim, its->first_flow + i, &flow);
        bytes += flow.placed_bytes;
    }
    return bytes;
}

static void begin_time(struct running *running)
{
    for (uint32_t pair = 0; pair < running->track.pair_count; pair++) {
        running->placed_bytes[pair] = placed_bytes(running, pair);
        running->due_bits[pair] = running->track.bits[pair];
    }
    sim_totals(running->sim, &running->began);
    running->began_ps = sim_now_ps(running->sim);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void sum_up_pairs(const struct running *running, struct decision *decision)
{
    double seconds = (double)(sim_now_ps(running->sim) - running->began_ps) / PS_PER_S;
    struct measure_fairness fairness;
    double all_bits = 0;
    double all_due = 0;

    measure_fairness_init(&fairness);
    decision->worst_flow = 2;
    for (uint32_t pair = 0; pair < running->track.pair_count; pair++) {
        uint32_t workload = running->track.pairs[pair].workload;
        uint64_t bytes = placed_bytes(running, pair) - running->placed_bytes[pair];
        double bits = (double)bytes * 8;
        double due = running->track.bits[pair] - running->due_bits[pair];

        all_bits += bits;
        all_due += due;
        decision->bytes_of_workload[workload] += (double)bytes;
        if (due > 0 && bits / due < decision->worst_flow)
            decision->worst_flow = bits / due;
        measure_fairness_add(&fairness, (uint64_t)(bits / seconds));
    }
    decision->of_capacity = all_bits / all_due;
    decision->jain = (double)measure_jain_millionths(&fairness) / 1e6;
    decision->of_ideal =
        decision->bytes_of_workload[0] * 8 / seconds / (double)sim_ideal_bps(running->sim, 0);
}

static void look_at_paths(const struct running *running, struct decision *decision)
{
    uint32_t all = (UINT32_C(1) << running->experiment.fabric.topology.config.plane_count) - 1;

    for (uint32_t flow = 0; flow < sim_flow_count(running->sim); flow++) {
        const struct engine_flow *engine = &running->sim->flows[flow];
        uint32_t nic = running->sim->ranks[engine->from].nic;
        const struct path_set *paths =
            transport_qp_paths(running->sim->nics[nic].endpoint, engine->qpn_out);
        struct qp_status status;

        decision->bad_evs += path_bad_count(paths);
        if (transport_qp_status(running->sim->nics[nic].endpoint, engine->qpn_out, &status) == 0)
            decision->planes_out += bits_count(all & ~path_usable_planes(paths, status.plane_mask));
    }
}

static void count(const struct running *running, struct decision *decision)
{
    const struct sim_totals *began = &running->began;

    sim_totals(running->sim, &decision->totals);
    decision->trimmed = decision->totals.trimmed - began->trimmed;
    decision->sent =
        decision->totals.transport[COUNTER_DATA_SENT] - began->transport[COUNTER_DATA_SENT];
    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        decision->lost[i] = decision->totals.packets_lost[i] - began->packets_lost[i];
}

struct decision decision_run(const char *text, uint64_t seed, double from_us)
{
    struct running *running = calloc(1, sizeof(*running));
    struct decision decision = { 0 };
    enum sim_status status;

    assert(running);
    read_text(running, text, seed);
    start(running);
    run_until(running, (uint64_t)(from_us * PS_PER_US));
    begin_time(running);
    status = run_until(running, SIM_NEVER_PS);
    EXPECT(status == SIM_OUT_OF_TIME || status == SIM_FINISHED);
    sum_up_pairs(running, &decision);
    look_at_paths(running, &decision);
    count(running, &decision);
    EXPECT_EQ(decision.totals.transport[COUNTER_QP_ERRORS], 0);
    stop(running);
    free(running);
    return decision;
}

void decision_print(const char *what, const struct decision *decision)
{
    printf("# %s: %.3f of capacity, worst flow %.3f, %.3f of ideal, Jain %.4f, %.2f %% trimmed, "
           "%u EVs bad, %u planes out, %llu timeouts\n",
        what, decision->of_capacity, decision->worst_flow, decision->of_ideal, decision->jain,
        100.0 * (double)decision->trimmed / (double)decision->sent, decision->bad_evs,
        decision->planes_out,
        (unsigned long long)decision->totals.transport[COUNTER_TIMEOUT_FIRED]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs probes through fabrics with faults and compares verdicts with them. */
#include "localise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"

#define MS_PS UINT64_C(1000000000)

enum {
    LINE = 64,
    AFTER_PERIODS = 100, /* for false verdicts, when all are named */
    BACKGROUND = 429496, /* 0.01 % */
};

struct bench {
    struct localise *all;
    struct localise_run run;
    struct topology_element planes[TOPOLOGY_PLANES_MAX];
    bool is_named[LOCALISE_FAULTS_MAX];
    struct sim_probing *probing;
    void *memory;
    uint32_t seen; /* verdicts */
};

static void begin_run(struct bench *bench, struct localise *all)
{
    uint32_t planes = all->fabric.topology.config.plane_count;

    memset(bench, 0, sizeof(*bench));
    bench->all = all;
    for (uint32_t i = 0; i < planes; i++)
        bench->planes[i] = (struct topology_element){ .kind = TOPOLOGY_PLANE, .plane = i };
    bench->run.faults[0] = (struct fault){ .kind = FAULT_LOSS,
        .where = bench->planes,
        .where_count = planes,
        .until_ps = FAULT_NEVER_PS,
        .probability = BACKGROUND };
}

static void open_probing(struct bench *bench, uint64_t periods, uint64_t seed)
{
    struct sim_probing_config config = { .fabric = &bench->all->fabric,
        .seed = seed,
        .faults = bench->run.faults,
        .fault_count = bench->run.count + 1,
        .period_ps = MS_PS,
        .period_count = periods,
        .round_periods = LOCALISE_ROUND };
    struct arena arena;
    size_t bytes;

    arena_init(&arena, NULL, 0);
    sim_probing_init(&arena, &config);
    bytes = (arena.used_bytes + LINE - 1) / LINE * LINE;
    bench->memory = aligned_alloc(LINE, bytes);
    arena_init(&arena, bench->memory, bytes);
    bench->probing = sim_probing_init(&arena, &config);
}

static void end_run(struct bench *bench)
{
    const struct map *map = sim_probing_map(bench->probing);

    bench->all->totals.periods += map_period(map);
    bench->all->totals.probes += sim_probing_totals(bench->probing).probes;
    free(bench->memory);
}

static bool is_same(const struct topology_element *left, const struct topology_element *right)
{
    char names[2][TOPOLOGY_NAME_BYTES];

    topology_name(left, names[0]);
    topology_name(right, names[1]);
    return strcmp(names[0], names[1]) == 0;
}

static void print_wrong(const struct bench *bench, const struct map_verdict *verdict)
{
    char text[MAP_TEXT_BYTES];

    map_text(&bench->all->fabric.topology, verdict, "the beginning", 0, text);
    fprintf(stderr, "localise: false after %llu periods: %s\n", (unsigned long long)verdict->named,
        text);
}

static void take_verdict(struct bench *bench, const struct map_verdict *verdict)
{
    struct localise_totals *totals = &bench->all->totals;

    for (uint32_t i = 0; i < bench->run.count; i++)
        if (is_same(&verdict->element, &bench->run.places[i])) {
            if (!bench->is_named[i] && totals->named < LOCALISE_PLACES_MAX)
                totals->named_after[totals->named++] = verdict->named;
            bench->is_named[i] = true;
            return;
        }
    totals->wrong++;
    print_wrong(bench, verdict);
}

static bool all_named(const struct bench *bench)
{
    for (uint32_t i = 0; i < bench->run.count; i++)
        if (!bench->is_named[i])
            return false;
    return true;
}

static void run_round(struct bench *bench)
{
    const struct map *map = sim_probing_map(bench->probing);

    sim_probing_round(bench->probing);
    while (bench->seen < map_verdict_count(map))
        take_verdict(bench, map_verdict_at(map, bench->seen++));
}

static enum map_direction direction_of(const struct fault *fault)
{
    static const enum map_direction directions[FAULT_DIRECTION_COUNT] = {
        [FAULT_BOTH_WAYS] = MAP_DIRECTION_BOTH,
        [FAULT_UPWARD] = MAP_DIRECTION_UP,
        [FAULT_DOWNWARD] = MAP_DIRECTION_DOWN,
    };

    return directions[fault->direction];
}

static void judge_directions(struct bench *bench)
{
    const struct map *map = sim_probing_map(bench->probing);
    struct localise_totals *totals = &bench->all->totals;

    for (uint32_t v = 0; v < map_verdict_count(map); v++)
        for (uint32_t i = 0; i < bench->run.count; i++) {
            const struct map_verdict *verdict = map_verdict_at(map, v);
            enum map_direction right = direction_of(&bench->run.faults[i + 1]);

            if (!topology_is_link(verdict->element.kind) ||
                !is_same(&verdict->element, &bench->run.places[i]))
                continue;
            totals->directions++;
            totals->directions_right += verdict->direction == right;
            totals->directions_wrong +=
                verdict->direction != right && verdict->direction != MAP_DIRECTION_UNKNOWN;
        }
}

static void print_missed(const struct bench *bench)
{
    char name[TOPOLOGY_NAME_BYTES];

    for (uint32_t i = 0; i < bench->run.count; i++)
        if (!bench->is_named[i]) {
            topology_name(&bench->run.places[i], name);
            fprintf(stderr, "localise: not named: %s, %s, share %.4f\n", name,
                fault_kind_words[bench->run.faults[i + 1].kind],
                bench->run.faults[i + 1].probability / 4294967296.0);
        }
}

/* Runs until all faults are named and some more, or to the end. */
static void run_faults(struct bench *bench, bool to_end)
{
    uint32_t left = AFTER_PERIODS / LOCALISE_ROUND;

    for (uint32_t i = 0; i < LOCALISE_PERIODS / LOCALISE_ROUND && left > 0; i++) {
        run_round(bench);
        left -= all_named(bench) && !to_end;
    }
    bench->all->totals.places += bench->run.count;
    judge_directions(bench);
    print_missed(bench);
}

static uint32_t faults_at_once(const struct localise *all, enum localise_class class)
{
    const struct topology_config *config = &all->fabric.topology.config;
    bool is_top = class == LOCALISE_T1 || class == LOCALISE_LOSSY_T1;
    uint32_t most =
        is_top ? config->plane_count * (1 + config->t1_count / 16) : config->t0_count / 2;

    return most < LOCALISE_FAULTS_MAX ? most : LOCALISE_FAULTS_MAX;
}

void localise_class(struct localise *all, enum localise_class class, uint32_t places)
{
    struct bench bench;
    struct prng prng = prng_stream(all->seed, class);

    while (all->totals.places < places) {
        begin_run(&bench, all);
        while (bench.run.count < faults_at_once(all, class) &&
               all->totals.places + bench.run.count < places)
            localise_draw(&bench.run, &all->fabric, class, &prng);
        open_probing(&bench, LOCALISE_PERIODS, prng_next(&prng));
        run_faults(&bench, false);
        end_run(&bench);
    }
}

void localise_three(struct localise *all, uint32_t runs)
{
    enum { FAULTS = 3 };
    struct bench bench;
    struct prng prng = prng_stream(all->seed, LOCALISE_CLASS_COUNT);

    for (; runs > 0; runs--) {
        begin_run(&bench, all);
        while (bench.run.count < FAULTS)
            localise_draw(&bench.run, &all->fabric,
                (enum localise_class)prng_below(&prng, LOCALISE_CLASS_COUNT), &prng);
        open_probing(&bench, LOCALISE_PERIODS, prng_next(&prng));
        run_faults(&bench, true);
        end_run(&bench);
    }
}

void localise_quiet(struct localise *all, uint64_t periods)
{
    struct bench bench;

    begin_run(&bench, all);
    open_probing(&bench, periods, all->seed);
    for (uint64_t i = 0; i < periods / LOCALISE_ROUND; i++)
        run_round(&bench);
    end_run(&bench);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The search of mrc compare: what it draws, and what it prefers. */
#include "study/study.h"

#include <string.h>

#include "spec.h"

enum { TRIALS = 4, BOTH = 2 * (TRIALS + 1) };

static const char *const sets[] = { "sweep=[]", "duration=50us", "roce.marking=scaled" };
static const struct study_changes changes = { .sets = sets, .set_count = 3 };

struct bench {
    struct study_contender_choice choice;
    struct study_comparison comparison;
    struct study_search search;
};

static void bench_init(struct bench *bench)
{
    char reason[STUDY_CONTENDER_REASON_BYTES];
    char problem[YAML_PROBLEM_BYTES];

    EXPECT(study_contender_choose(&bench->choice, "mrc,roce-8qp", reason));
    bench->comparison = (struct study_comparison){
        .choice = &bench->choice, .changes = &changes, .trials = TRIALS
    };
    EXPECT(study_search_read(&bench->search, &bench->comparison, problem));
}

static const char *settings_at(const struct bench *bench, uint32_t contender, uint32_t trial)
{
    return bench->search.trials[contender][trial].entrant.found;
}

SPEC("each contender has its usual settings and as many others, the same each time")
{
    struct bench bench;
    struct bench again;

    bench_init(&bench);
    bench_init(&again);
    EXPECT_EQ(study_search_list(&bench.search, NULL), BOTH);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_EQ(bench.search.counts[i], TRIALS + 1);
        EXPECT_STR_EQ(settings_at(&bench, i, 0), "");
        for (uint32_t k = 1; k <= TRIALS; k++) {
            EXPECT_STR_EQ(settings_at(&bench, i, k), settings_at(&again, i, k));
            EXPECT(strcmp(settings_at(&bench, i, k), settings_at(&bench, i, k - 1)) != 0);
        }
    }
    study_search_fini(&bench.search);
    study_search_fini(&again.search);
}

SPEC("what defines a contender, and what the caller sets, is not drawn")
{
    struct bench bench;

    bench_init(&bench);
    for (uint32_t k = 1; k <= TRIALS; k++) {
        EXPECT(!study_entrant_has_key(settings_at(&bench, 1, k), "roce.qps"));
        EXPECT(!study_entrant_has_key(settings_at(&bench, 1, k), "roce.marking"));
    }
    study_search_fini(&bench.search);
}

SPEC("a search has seeds that no comparison reports")
{
    struct bench bench;

    bench_init(&bench);
    EXPECT_EQ(bench.search.trials[0][1].entrant.plan.run_count, 2);
    EXPECT_EQ(bench.search.trials[0][1].entrant.plan.runs[0]->experiment.sim.seed, 1000001);
    study_search_fini(&bench.search);
}

/* Judges two runs for each trial, which have this share of the ideal in contender 0. */
static uint32_t best_of(const double shares[static TRIALS + 1])
{
    json_t *runs[2 * BOTH];
    struct bench bench;
    uint32_t best;

    for (uint32_t i = 0; i < 2 * BOTH; i++)
        runs[i] = json_pack(
            "{s:{s:f}}", "summary", "goodput_fraction", i / 2 <= TRIALS ? shares[i / 2] : 0.5);
    bench_init(&bench);
    study_search_judge(&bench.search, runs);
    best = bench.search.best[0];
    EXPECT_EQ(bench.search.best[1], 0);
    EXPECT_STR_EQ(study_search_found(&bench.search, 0), settings_at(&bench, 0, best));
    study_search_fini(&bench.search);
    for (uint32_t i = 0; i < 2 * BOTH; i++)
        json_decref(runs[i]);
    return best;
}

SPEC("the best settings have the highest share, and gain more than a thousandth")
{
    EXPECT_EQ(best_of((const double[]){ 0.5, 0.6, 0.8, 0.7, 0.8 }), 2);
    EXPECT_EQ(best_of((const double[]){ 0.5, 0.5005, 0.4, 0.5, 0.3 }), 0);
}

SPEC("a key is found at the beginning of a setting only")
{
    EXPECT(study_entrant_has_key("roce.cc=none roce.qps=8", "roce.qps"));
    EXPECT(!study_entrant_has_key("roce.cc=none roce.qps=8", "roce.qp"));
    EXPECT(!study_entrant_has_key("roce.cc=none roce.qps=8", "qps"));
}

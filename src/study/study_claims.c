/* SPDX-License-Identifier: Apache-2.0 */
/* Reads claims, and judges them by runs and tests. */
#include "study/study_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "study/claim_test.h"

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t case_total(const struct study_claims *claims)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < claims->count; i++)
        total += claims->claims[i].case_count;
    return total;
}

static int32_t plan_of(const struct study_claims *claims, const char *experiment)
{
    for (uint32_t i = 0; i < claims->plan_count; i++)
        if (strcmp(claims->experiments[i], experiment) == 0)
            return (int32_t)i;
    return -1;
}

static bool read_plan(struct study_claims *claims, const char *experiment)
{
    struct study_plan *plan = &claims->plans[claims->plan_count];
    bool is_read = study_plan_read(plan, experiment, &(struct study_changes){ 0 });

    claims->experiments[claims->plan_count++] = experiment;
    if (!is_read)
        snprintf(claims->yaml.problem, sizeof(claims->yaml.problem), "%s", plan->yaml.problem);
    return is_read;
}

static bool read_plans(struct study_claims *claims, const struct claim *claim)
{
    for (uint32_t i = 0; i < claim->case_count; i++) {
        const char *experiment = claim->cases[i].experiment;

        if (experiment && plan_of(claims, experiment) < 0 && !read_plan(claims, experiment))
            return false;
    }
    return true;
}

static bool ids_differ(struct study_claims *claims)
{
    for (uint32_t i = 0; i < claims->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(claims->claims[i].id, claims->claims[k].id) == 0) {
                snprintf(claims->yaml.problem, sizeof(claims->yaml.problem),
                    "%.200s and %.200s are both claim %.40s; number one of them anew",
                    claims->claims[k].file, claims->claims[i].file, claims->claims[i].id);
                return false;
            }
    return true;
}

bool study_claims_read(struct study_claims *claims, char *const *files, uint32_t file_count)
{
    *claims = (struct study_claims){ 0 };
    yaml_init(&claims->yaml);
    claims->claims = grow_take(file_count, sizeof(*claims->claims));
    for (uint32_t i = 0; i < file_count; i++)
        if (!claim_file_read(&claims->yaml, files[i], &claims->claims[claims->count++]))
            return false;
    claims->experiments = grow_take(case_total(claims) + 1, sizeof(*claims->experiments));
    claims->plans = grow_take(case_total(claims) + 1, sizeof(*claims->plans));
    for (uint32_t i = 0; i < claims->count; i++)
        if (!read_plans(claims, &claims->claims[i]))
            return false;
    return ids_differ(claims);
}

void study_claims_fini(struct study_claims *claims)
{
    for (uint32_t i = 0; i < claims->plan_count; i++)
        study_plan_fini(&claims->plans[i]);
    free(claims->plans);
    free(claims->experiments);
    free(claims->claims);
    yaml_fini(&claims->yaml);
}

/* ---- judging --------------------------------------------------------------------------------- */

struct judging {
    const struct study_claims *claims;
    const struct study_sweep *sweep;
    const char *tests;
};

static bool is_whole(const struct study_sweep *sweep, uint32_t plan_index)
{
    for (uint32_t i = 0; i < sweep->count; i++)
        if (sweep->entries[i].plan_index == plan_index && !sweep->entries[i].result)
            return false;
    return true;
}

static json_t *judge_runs(const struct judging *judging, const struct claim_case *its)
{
    int32_t plan_index = plan_of(judging->claims, its->experiment);
    json_t *verdict = NULL;

    if (judging->sweep && is_whole(judging->sweep, (uint32_t)plan_index)) {
        json_t *runs = study_sweep_runs(judging->sweep, (uint32_t)plan_index);

        verdict = result_criteria_judge_seeds(its->expect, runs);
        json_decref(runs);
    } else {
        verdict = json_pack("{s:n,s:n,s:s}", "value", "pass", "problem", "its runs are missing");
    }
    json_object_set_new(verdict, "experiment", json_text(its->experiment));
    json_object_set_new(verdict, "expect", json_text(its->expect));
    return verdict;
}

static enum claim_test_result run_test(const char *tests, const struct claim_case *its)
{
    if (!tests)
        return CLAIM_TEST_ABSENT;
    return its->test ? claim_test_run(tests, its->test, its->sentence)
                     : claim_test_run_script(tests, its->script, its->sentence);
}

static json_t *judge_test(const struct judging *judging, const struct claim_case *its)
{
    json_t *verdict = json_pack("{s:o,s:o}", "test", json_text(its->test ? its->test : its->script),
        "sentence", json_text(its->sentence));
    enum claim_test_result result = run_test(judging->tests, its);

    if (its->contradicts)
        json_object_set_new(verdict, "contradicts", json_true());
    json_object_set_new(verdict, "pass",
        result == CLAIM_TEST_ABSENT
            ? json_null()
            : json_boolean((result == CLAIM_TEST_PASSED) != its->contradicts));
    if (result == CLAIM_TEST_ABSENT)
        json_object_set_new(verdict, "problem",
            json_string(judging->tests ? "this test is not there, or was skipped"
                                       : "tests are run with --tests only"));
    return verdict;
}

static const char *verdict_of(const json_t *cases)
{
    size_t held = 0;
    size_t index;
    const json_t *its;

    if (json_array_size(cases) == 0)
        return "not testable";
    json_array_foreach(cases, index, its)
    {
        if (json_is_null(json_object_get(its, "pass")))
            return "undecided";
        held += json_is_true(json_object_get(its, "pass"));
    }
    if (held == json_array_size(cases))
        return "confirmed";
    return held ? "depends" : "refuted";
}

static void set_text(json_t *json, const char *key, const char *text)
{
    if (text)
        json_object_set_new(json, key, json_text(text));
}

static json_t *judge_claim(const struct judging *judging, const struct claim *claim)
{
    json_t *json = json_object();
    json_t *cases = json_array();

    for (uint32_t i = 0; i < claim->case_count; i++) {
        const struct claim_case *its = &claim->cases[i];
        json_t *verdict = its->experiment ? judge_runs(judging, its) : judge_test(judging, its);

        set_text(verdict, "what", its->what);
        json_array_append_new(cases, verdict);
    }
    set_text(json, "claim", claim->id);
    set_text(json, "says", claim->says);
    set_text(json, "file", claim->file);
    set_text(json, "scale", claim->scale);
    set_text(json, "comment", claim->comment);
    set_text(json, "reason", claim->reason);
    set_text(json, "verdict", verdict_of(cases));
    json_object_set_new(json, "cases", cases);
    return json;
}

json_t *study_claims_judge(
    const struct study_claims *claims, const struct study_sweep *sweep, const char *tests)
{
    struct judging judging = { claims, sweep, tests };
    json_t *verdicts = json_array();

    for (uint32_t i = 0; i < claims->count; i++)
        json_array_append_new(verdicts, judge_claim(&judging, &claims->claims[i]));
    return verdicts;
}

bool study_claims_decided(const json_t *verdicts)
{
    size_t index;
    const json_t *claim;

    json_array_foreach(verdicts, index, claim)
    {
        if (strcmp(json_string_value(json_object_get(claim, "verdict")), "undecided") == 0)
            return false;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Fronts by the check seeds, and points that no separate search has. */
#include "study/search_judge.h"

#include <stdlib.h>

#include "study/search_chance.h"

/* ---- fronts ---------------------------------------------------------------------------------- */

static void mark_front(
    const struct search *search, struct search_judgement *judgement, enum search_set set)
{
    struct pareto_value *values = grow_take(search->count, sizeof(*values));
    uint32_t *indexes = grow_take(search->count, sizeof(*indexes));
    bool *are_best = grow_take(search->count, sizeof(*are_best));
    uint32_t count = 0;

    for (uint32_t i = 0; i < search->count; i++)
        if (search->trials[i].is_checked && search_has(set, &search->trials[i])) {
            values[count] = search->trials[i].checked;
            indexes[count++] = i;
        }
    pareto_front(&judgement->scale, values, count, are_best);
    judgement->front_counts[set] = pareto_thin(&judgement->scale, values, count, are_best);
    for (uint32_t i = 0; i < count; i++)
        judgement->verdicts[indexes[i]].fronts[set] = are_best[i];
    free(values);
    free(indexes);
    free(are_best);
}

static void count_found(const struct search *search, struct search_judgement *judgement)
{
    bool *is_found = grow_take(search->count, sizeof(*is_found));

    judgement->found_count = search_front(search, SEARCH_SET_ALL, is_found);
    for (uint32_t i = 0; i < search->count; i++) {
        judgement->verdicts[i].is_found = is_found[i];
        judgement->stayed_count += is_found[i] && judgement->verdicts[i].fronts[SEARCH_SET_ALL];
    }
    free(is_found);
}

static void count_dominated(const struct search *search, struct search_judgement *judgement)
{
    struct pareto_scale scale = search_scale(search, &search->trials[0].chosen);

    for (uint32_t i = 0; i < search->count; i++)
        for (uint32_t k = 0; k < search->count; k++)
            if (search->trials[i].is_possible && search->trials[k].is_possible)
                judgement->verdicts[i].dominated +=
                    pareto_compare(&scale, &search->trials[i].chosen, &search->trials[k].chosen) ==
                    PARETO_BETTER;
}

/* ---- what separate searches do not find ------------------------------------------------------ */

static void costs_of(
    const struct search *search, const struct search_trial *trial, uint32_t objective, double *out)
{
    for (uint32_t seed = 0; seed < search->request->check_seeds; seed++)
        out[seed] = trial->checks[seed].at[objective];
}

/* Returns whether the other is as good in all objectives. */
static bool is_matched(const struct search *search, const struct search_judgement *judgement,
    const struct search_trial *trial, const struct search_trial *other)
{
    uint32_t count = search->request->check_seeds;
    double *costs = grow_take(count, sizeof(*costs));
    double *others = grow_take(count, sizeof(*others));
    bool is_better = false;

    for (uint32_t i = 0; !is_better && i < search->request->objective_count; i++) {
        costs_of(search, trial, i, costs);
        costs_of(search, other, i, others);
        is_better = search_chance_is_better(costs, others, count, judgement->scale.steps[i]);
    }
    free(costs);
    free(others);
    return !is_better;
}

static bool is_alone(const struct search_trial *trial)
{
    return search_has(SEARCH_SET_TOPOLOGY, trial) || search_has(SEARCH_SET_PARAMETERS, trial);
}

static void compare_with_separate(
    const struct search *search, struct search_judgement *judgement, uint32_t index)
{
    const struct search_trial *trial = &search->trials[index];
    struct search_verdict *verdict = &judgement->verdicts[index];

    if (!verdict->fronts[SEARCH_SET_ALL] || is_alone(trial))
        return;
    verdict->is_beyond_alone = true;
    verdict->is_beyond_separate = !trial->is_combined;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct search_trial *other = &search->trials[i];

        if (i == index || !other->is_checked || !search_has(SEARCH_SET_SEPARATE, other) ||
            !is_matched(search, judgement, trial, other))
            continue;
        verdict->is_beyond_separate = false;
        if (is_alone(other))
            verdict->is_beyond_alone = false;
    }
}

void search_judge(const struct search *search, struct search_judgement *judgement)
{
    *judgement = (struct search_judgement){
        .scale = search_scale(search, &search->trials[0].checked),
        .verdicts = grow_take(search->count, sizeof(*judgement->verdicts)),
    };
    for (int set = 0; set < SEARCH_SET_COUNT; set++)
        mark_front(search, judgement, (enum search_set)set);
    count_found(search, judgement);
    count_dominated(search, judgement);
    for (uint32_t i = 0; i < search->count; i++) {
        compare_with_separate(search, judgement, i);
        judgement->beyond_alone_count += judgement->verdicts[i].is_beyond_alone;
        judgement->beyond_separate_count += judgement->verdicts[i].is_beyond_separate;
    }
}

void search_judge_fini(struct search_judgement *judgement)
{
    free(judgement->verdicts);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Draws settings, and finds the best of them. */
#include "study/study_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "result/result.h"

enum {
    SEEDS = 2,             /* of a trial */
    SEED_OFFSET = 1000000, /* more than a comparison has seeds */
    DRAWS_PER_TRIAL = 64,  /* until an experiment accepts one that is new */
    CHANGED_OF = 3,        /* one of so many tunables is changed */
    VALUES_MAX = 16,
    TEXT_BYTES = 128,
};

static const struct tunable {
    enum sim_protocol protocol;
    const char *key;
    const char *values;
} tunables[] = {
#define TUNABLE(PROTOCOL, key, values) { SIM_##PROTOCOL, key, values },
#include "study/tunables.def"
};

/* What a trial must gain to be preferred to the usual settings. */
#define GAIN_LEAST 0.001

#define TUNABLE_COUNT (sizeof(tunables) / sizeof(tunables[0]))

/* ---- drawing --------------------------------------------------------------------------------- */

static bool is_set(const struct study_changes *changes, const char *key)
{
    for (uint32_t i = 0; i < changes->set_count; i++)
        if (study_entrant_has_key(changes->sets[i], key))
            return true;
    return false;
}

/* What defines the contender, and what the caller has set, remains. */
static bool may_change(const struct study_comparison *comparison,
    const struct study_contender *contender, const struct tunable *tunable)
{
    return tunable->protocol == contender->protocol &&
           !study_entrant_has_key(contender->settings, tunable->key) &&
           !is_set(comparison->changes, tunable->key);
}

static void append_value(
    char settings[static STUDY_SETTINGS_BYTES], const struct tunable *tunable, struct prng *prng)
{
    char values[TEXT_BYTES];
    const char *at[VALUES_MAX] = { NULL };
    uint32_t count = 0;
    size_t used = strlen(settings);
    char *rest;

    snprintf(values, sizeof(values), "%s", tunable->values);
    for (char *value = strtok_r(values, " ", &rest); value && count < VALUES_MAX;
         value = strtok_r(NULL, " ", &rest))
        at[count++] = value;
    snprintf(settings + used, STUDY_SETTINGS_BYTES - used, "%s%s=%s", used ? " " : "", tunable->key,
        at[prng_below(prng, count)]);
}

/* Two of three tunables keep their usual values, so that a trial differs in few. */
static void draw_settings(
    const struct study_comparison *comparison, struct study_entrant *entrant, struct prng *prng)
{
    entrant->found[0] = '\0';
    for (size_t i = 0; i < TUNABLE_COUNT; i++)
        if (may_change(comparison, entrant->contender, &tunables[i]) &&
            prng_below(prng, CHANGED_OF) == 0)
            append_value(entrant->found, &tunables[i], prng);
}

static bool is_new(const struct study_search_trial *trials, uint32_t count, const char *settings)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(trials[i].entrant.found, settings) == 0)
            return false;
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_trial(struct study_entrant *entrant, const struct study_comparison *comparison,
    char problem[static YAML_PROBLEM_BYTES])
{
    struct study_changes changes = *comparison->changes;

    changes.seed_offset = SEED_OFFSET;
    changes.repeat = SEEDS;
    return study_entrant_read(entrant, comparison, &changes, problem);
}

/* Returns false if no new settings were found. */
static bool draw_trial(struct study_search_trial *trials, uint32_t count,
    const struct study_comparison *comparison, struct prng *prng)
{
    struct study_entrant *entrant = &trials[count].entrant;
    char problem[YAML_PROBLEM_BYTES];

    for (int draw = 0; draw < DRAWS_PER_TRIAL; draw++) {
        *entrant = (struct study_entrant){ .contender = trials[0].entrant.contender };
        draw_settings(comparison, entrant, prng);
        if (!is_new(trials, count, entrant->found))
            continue;
        if (read_trial(entrant, comparison, problem))
            return true;
        study_entrant_fini(entrant);
    }
    return false;
}

/* The draws of a contender depend on nothing but its place in the list. */
static bool read_contender(struct study_search *search, uint32_t index,
    const struct study_comparison *comparison, char problem[static YAML_PROBLEM_BYTES])
{
    const struct study_contender *contender = comparison->choice->at[index];
    struct prng prng = prng_stream(SEED_OFFSET, (uint64_t)(contender - study_contenders));
    struct study_search_trial *trials = grow_take(comparison->trials + 1, sizeof(*trials));

    search->trials[index] = trials;
    search->counts[index] = 1;
    trials[0].entrant.contender = contender;
    if (!read_trial(&trials[0].entrant, comparison, problem))
        return false;
    while (search->counts[index] <= comparison->trials &&
           draw_trial(trials, search->counts[index], comparison, &prng))
        search->counts[index]++;
    return true;
}

bool study_search_read(struct study_search *search, const struct study_comparison *comparison,
    char problem[static YAML_PROBLEM_BYTES])
{
    uint32_t count = comparison->trials ? comparison->choice->count : 0;

    *search =
        (struct study_search){ .trials = grow_take(count + 1, sizeof(struct study_search_trial *)),
            .counts = grow_take(count + 1, sizeof(*search->counts)),
            .best = grow_take(count + 1, sizeof(*search->best)) };
    for (uint32_t i = 0; i < count; i++) {
        search->contender_count++;
        if (!read_contender(search, i, comparison, problem))
            return false;
    }
    return true;
}

void study_search_fini(struct study_search *search)
{
    for (uint32_t i = 0; i < search->contender_count; i++) {
        for (uint32_t k = 0; k < search->counts[i]; k++)
            study_entrant_fini(&search->trials[i][k].entrant);
        free(search->trials[i]);
    }
    free(search->trials);
    free(search->counts);
    free(search->best);
}

uint32_t study_search_list(const struct study_search *search, struct study_entrant **out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < search->contender_count; i++)
        for (uint32_t k = 0; k < search->counts[i]; k++, count++)
            if (out)
                out[count] = &search->trials[i][k].entrant;
    return count;
}

/* ---- judging --------------------------------------------------------------------------------- */

static double share_of(const json_t *run)
{
    return json_number_value(json_object_get(json_object_get(run, "summary"), "goodput_fraction"));
}

static bool is_better(const struct study_search_trial *trials, uint32_t trial, uint32_t best)
{
    return trials[trial].score > trials[best].score + (best == 0 ? GAIN_LEAST : 0);
}

void study_search_judge(struct study_search *search, json_t *const *runs)
{
    for (uint32_t i = 0; i < search->contender_count; i++)
        for (uint32_t k = 0; k < search->counts[i]; k++) {
            struct study_search_trial *trial = &search->trials[i][k];

            for (uint32_t run = 0; run < trial->entrant.plan.run_count; run++)
                trial->score += share_of(*runs++) / trial->entrant.plan.run_count;
            if (is_better(search->trials[i], k, search->best[i]))
                search->best[i] = k;
        }
}

const char *study_search_found(const struct study_search *search, uint32_t contender)
{
    return search->trials[contender][search->best[contender]].entrant.found;
}

json_t *study_search_json(const struct study_search *search, uint32_t contender)
{
    const struct study_search_trial *trials = search->trials[contender];

    return json_pack("{s:i,s:f,s:f,s:s}", "trials", (int)search->counts[contender] - 1,
        "usual_score", trials[0].score, "best_score", trials[search->best[contender]].score,
        "found", study_search_found(search, contender));
}

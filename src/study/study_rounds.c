/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of runs. All ranks wait for the slowest at the end of a round, so a round has several runs
 * for each job; if mpirun is killed, the results of one round are lost. */
#include "study/study_rounds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "study/study_group.h"

#define RUNS_PER_JOB 4 /* in a round */

/* The result of a run, followed by its JSON. */
struct told_run {
    uint32_t index; /* in the list of the rank in this round */
    uint32_t bytes; /* 0: there is none */
};

/* The runs of one rank in a round: every group->count-th from `first` on. */
struct round {
    const struct study_manner *manner; /* of a rank alone */
    const struct sim_group *group;
    const struct study_sink *sink; /* rank 0 */
    struct study_run **own;
    uint32_t own_count;
    uint32_t first;
    bool must_stop;
};

/* A run is made by one rank. */
static struct study_manner manner_alone(const struct study_manner *manner)
{
    struct study_manner alone = *manner;

    alone.group = NULL;
    return alone;
}

/* ---- other ranks ----------------------------------------------------------------------------- */

static bool send_run(void *context, uint32_t index, json_t *run)
{
    const struct sim_group *group = ((const struct round *)context)->group;
    char *text = run ? json_dumps(run, JSON_FORM) : NULL;
    struct told_run told = { .index = index, .bytes = text ? (uint32_t)strlen(text) : 0 };

    group->send(group->context, 0, &told, sizeof(told));
    if (text)
        group->send(group->context, 0, text, told.bytes);
    free(text);
    json_decref(run);
    return true;
}

/* Hears which runs to make. */
static void hear_runs(struct round *round, struct study_run **runs, uint32_t run_count)
{
    const struct sim_group *group = round->group;
    const uint8_t *numbers;
    size_t bytes;

    group->exchange(group->context);
    numbers = group->received(group->context, 0, &bytes);
    round->own_count = (uint32_t)(bytes / sizeof(uint32_t));
    for (uint32_t i = 0; i < round->own_count; i++) {
        uint32_t number;

        memcpy(&number, numbers + i * sizeof(number), sizeof(number));
        assert(number < run_count);
        round->own[i] = runs[number];
    }
}

void study_rounds_follow(
    struct study_run **runs, uint32_t run_count, const struct study_manner *manner)
{
    struct study_manner alone = manner_alone(manner);
    struct round round = { .manner = &alone,
        .group = manner->group,
        .own = grow_take(run_count, sizeof(struct study_run *)) };
    struct study_sink sink = { send_run, &round };

    while (study_group_hear(manner->group) == STUDY_GROUP_NEXT) {
        hear_runs(&round, runs, run_count);
        study_jobs_run(round.own, round.own_count, &alone, &sink);
        manner->group->exchange(manner->group->context);
    }
    free(round.own);
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

static void take_result(struct round *round, uint32_t rank, uint32_t index, json_t *run)
{
    uint32_t place = round->first + rank + index * round->group->count;

    if (!round->sink->take(round->sink->context, place, run))
        round->must_stop = true;
}

static bool take_own(void *context, uint32_t index, json_t *run)
{
    struct round *round = context;

    take_result(round, 0, index, run);
    return !round->must_stop;
}

static void take_results_of(struct round *round, uint32_t rank)
{
    size_t left;
    const char *message = round->group->received(round->group->context, rank, &left);

    while (left > 0) {
        struct told_run told;

        assert(left >= sizeof(told));
        memcpy(&told, message, sizeof(told));
        message += sizeof(told);
        left -= sizeof(told);
        assert(left >= told.bytes);
        take_result(
            round, rank, told.index, told.bytes ? json_loadb(message, told.bytes, 0, NULL) : NULL);
        message += told.bytes;
        left -= told.bytes;
    }
}

static void run_round(
    struct round *round, struct study_run **runs, const uint32_t *numbers, uint32_t run_count)
{
    const struct sim_group *group = round->group;
    struct study_sink sink = { take_own, round };

    study_group_say(group, STUDY_GROUP_NEXT);
    round->own_count = 0;
    for (uint32_t i = 0; i < run_count; i++)
        if (i % group->count == 0)
            round->own[round->own_count++] = runs[i];
        else
            group->send(group->context, i % group->count, &numbers[i], sizeof(numbers[i]));
    group->exchange(group->context);
    study_jobs_run(round->own, round->own_count, round->manner, &sink);
    group->exchange(group->context);
    for (uint32_t rank = 1; rank < group->count; rank++)
        take_results_of(round, rank);
}

void study_rounds_run(struct study_run **runs, const uint32_t *numbers, uint32_t run_count,
    const struct study_manner *manner, const struct study_sink *sink)
{
    struct study_manner alone = manner_alone(manner);
    uint32_t size = RUNS_PER_JOB * manner->jobs * manner->group->count;
    struct round round = { .manner = &alone,
        .group = manner->group,
        .sink = sink,
        .own = grow_take(run_count, sizeof(struct study_run *)) };

    while (round.first < run_count && !round.must_stop && !*manner->is_interrupted) {
        uint32_t left = run_count - round.first;

        run_round(&round, runs + round.first, numbers + round.first, left < size ? left : size);
        round.first += size;
    }
    free(round.own);
}

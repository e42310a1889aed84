/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the runs of all plans and keeps what they return. */
#include "study/study_plans.h"

#include <stdlib.h>

#include "result/result.h"

struct making {
    const struct study_plans *plans;
    const struct study_manner *manner;
    json_t **results; /* by run */
    uint32_t done_count;
};

uint32_t study_plans_run_count(const struct study_plans *plans)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plans->count; i++)
        count += plans->at[i]->run_count;
    return count;
}

static bool take_run(void *context, uint32_t index, json_t *run)
{
    struct making *making = context;

    making->results[index] = run;
    if (!run || *making->manner->is_interrupted)
        return false;
    if (!making->plans->on_run(making->plans->context, run, making->done_count + 1))
        return false;
    making->done_count++;
    return true;
}

void study_plans_release(const struct study_plans *plans, json_t **results)
{
    for (uint32_t i = 0; i < study_plans_run_count(plans); i++)
        json_decref(results[i]);
    free(results);
}

json_t **study_plans_run(const struct study_plans *plans, const struct study_manner *manner)
{
    uint32_t run_count = study_plans_run_count(plans);
    struct study_run **runs = grow_take(run_count, sizeof(struct study_run *));
    struct making making = {
        .plans = plans, .manner = manner, .results = grow_take(run_count, sizeof(json_t *))
    };
    struct study_sink sink = { take_run, &making };
    uint32_t count = 0;

    for (uint32_t i = 0; i < plans->count; i++)
        for (uint32_t k = 0; k < plans->at[i]->run_count; k++)
            runs[count++] = plans->at[i]->runs[k];
    study_jobs_run(runs, count, manner, &sink);
    free(runs);
    if (making.done_count == run_count)
        return making.results;
    study_plans_release(plans, making.results);
    return NULL;
}

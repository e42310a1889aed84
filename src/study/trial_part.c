/* SPDX-License-Identifier: Apache-2.0 */
/* Links of a case that differ from the others. */
#include <string.h>

#include "study/study.h"

static const struct topology_exception *exception_of(
    const struct study_trial *trial, const struct topology_element *link)
{
    for (uint32_t i = 0; i < trial->exception_count; i++)
        if (memcmp(&trial->exceptions[i].link, link, sizeof(*link)) == 0)
            return &trial->exceptions[i];
    return NULL;
}

bool study_is_missing(const struct study_trial *trial, const struct topology_element *link)
{
    const struct topology_exception *exception = exception_of(trial, link);

    return exception && exception->missing;
}

static bool can_be_wired(const struct study_trial *trial)
{
    struct topology_exception sorted[STUDY_EXCEPTIONS_MAX];
    struct topology_config wiring = trial->wiring;
    struct topology_problem problem;
    struct plan fabric;

    wiring.exceptions = trial->exceptions;
    wiring.exception_count = trial->exception_count;
    return plan_init(&fabric, &wiring, sorted, &problem);
}

void study_add_exception(
    struct study_trial *trial, const struct topology_element *link, uint64_t rate_bps)
{
    if (exception_of(trial, link) || trial->exception_count == STUDY_EXCEPTIONS_MAX)
        return;
    trial->exceptions[trial->exception_count++] = (struct topology_exception){
        .link = *link, .missing = rate_bps == 0, .rate_bps = rate_bps
    };
    if (!can_be_wired(trial))
        trial->exception_count--;
}

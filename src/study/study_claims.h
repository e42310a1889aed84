/* SPDX-License-Identifier: Apache-2.0 */
/* Claims, the experiments that decide them, and the verdicts. An experiment that several claims
 * name is run once. */
#pragma once

#include <jansson.h>

#include "study/study_sweep.h"

struct study_claims {
    struct yaml yaml; /* contains the problem, if there is one */
    struct claim *claims;
    uint32_t count;
    const char **experiments; /* the file of each plan */
    struct study_plan *plans;
    uint32_t plan_count;
};

/* Reads the claims and their experiments. Returns false with a problem. The caller releases the
 * claims in either case. */
bool study_claims_read(struct study_claims *, char *const *files, uint32_t file_count);
void study_claims_fini(struct study_claims *);

/* Returns an array with an object for each claim: "claim", "says", "file", "scale", "comment",
 * "verdict", "reason" (why it cannot be tested) and "cases". A case has "what" and "pass" (null:
 * undecided); and "experiment", "expect", "value", "least" and "most", or "test", "sentence" and,
 * if passing contradicts the claim, "contradicts".
 *
 * A claim is "confirmed" if all of its cases hold, "refuted" if none holds, "depends" if some do.
 * "undecided": a run or a test is missing. "not testable": it has no cases.
 *
 * `sweep` has the runs of all plans; NULL: none are known. `tests`: the folder of test programs,
 * which are run; NULL: none are. */
json_t *study_claims_judge(
    const struct study_claims *, const struct study_sweep *sweep, const char *tests);

/* Returns false if a claim that can be tested is undecided. */
bool study_claims_decided(const json_t *verdicts);

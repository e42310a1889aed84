/* SPDX-License-Identifier: Apache-2.0 */
/* A contender with the settings and the fabric that it has in a comparison, and its runs. */
#pragma once

#include "study/study_contender.h"
#include "study/study_normalisation.h"
#include "study/study_plan.h"
#include "study/study_refit.h"

enum { STUDY_SETTINGS_BYTES = 512 };

/* What is compared, and how. */
struct study_comparison {
    const struct study_contender_choice *choice;
    const char *path;                    /* an experiment; NULL: the built-in one */
    const struct study_changes *changes; /* these sets apply before those of a contender */
    enum study_normalisation normalisation;
    uint32_t trials; /* settings that a search tries for each contender; 0: no search */
};

struct study_entrant {
    const struct study_contender *contender;
    char found[STUDY_SETTINGS_BYTES]; /* settings that replace the usual ones, KEY=VALUE separated
                                         by blanks; "": none */
    char usual[STUDY_SETTINGS_BYTES]; /* likewise: usual ones that the experiment does not have */
    bool has_fat_tree;
    struct study_refit refit; /* if it has a fat tree */
    struct study_plan plan;
};

/* Reads and checks the runs of the entrant, whose `contender` and `found` are set, with these
 * changes. Returns false with a problem. The caller releases it in either case. */
bool study_entrant_read(struct study_entrant *, const struct study_comparison *,
    const struct study_changes *, char problem[static YAML_PROBLEM_BYTES]);
void study_entrant_fini(struct study_entrant *);

/* Returns whether a list of settings, separated by blanks, has this key. */
bool study_entrant_has_key(const char *settings, const char *key);

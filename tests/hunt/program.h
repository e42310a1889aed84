/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the hunt program. */
#pragma once

#include <stdio.h>

#include "study/hunt.h"

enum { PROGRAM_SETS_MAX = 32 };

struct program {
    struct hunt_options options;
    struct study_parameter sets[PROGRAM_SETS_MAX];
    uint32_t first_case;
    uint32_t case_count;
    uint32_t jobs;
    uint32_t worst;       /* number of cases told for each way to be bad */
    uint32_t shrink_runs; /* for each of them; 0: they stay as they were drawn */
    uint32_t seconds;     /* no new case after this; 0: no limit */
    const char *write_folder;
    const char *json_path;
    bool is_quiet;
    bool tells_any;  /* also cases in which nothing is promised are told as the worst */
    bool is_strict;  /* exit status 1 if a case does not come to its end */
    bool requires;   /* exit status 1 if a promise is broken */
    bool lists_only; /* writes the cases and runs none */
};

/* False after a complaint; `is_done`: there is nothing more to do. */
bool options_read(struct program *, int argument_count, char **arguments, bool *is_done);

/* Runs the cases; figures[i] is that of case first_case + i. Returns how many were run: the first
 * ones. */
uint32_t pool_run(const struct program *, struct hunt_figures *figures);
/* For pool_run(). */
struct hunt_figures *pool_memory(uint32_t case_count);

void table_print(const struct hunt_figures *, uint32_t count);
/* Prints what does not hold. */
bool promise_is_kept(const struct hunt_figures *, uint32_t count);
int table_write_json(const struct program *, const struct hunt_figures *, uint32_t count);
void table_case_json(FILE *, uint32_t number, const struct hunt_figures *);

/* The worst cases in every way, made smaller. Returns a negative errno if a file cannot be written.
 */
int worst_tell(const struct program *, const struct hunt_figures *, uint32_t count);

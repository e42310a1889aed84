/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc job, which its files share. */
#pragma once

#include "cmd/options.h"
#include "study/study.h"

struct job_options {
    uint32_t trials;
    uint64_t seed;
    bool is_json;
    bool wants_default;
    const char *events_path; /* NULL: all costs are those of the job */
    const char *prices_path; /* NULL: the price of a GPU hour is that of the job */
    bool measures;
    struct study_contender_choice choice;
    bool has_choice; /* --protocols was given */
    uint32_t seeds;  /* 0: as the experiment says */
    struct option_list sets;
    uint32_t jobs;           /* 0: one per processor */
    const char *output_path; /* NULL: standard output */
};

/* job_measuring.c: runs the simulations of --measure, and writes their costs. `path` NULL: the
 * built-in experiment. */
enum cmd_status job_measuring(const struct job_options *, const char *path);

/* job_print.c: all results, by protocol. */
void job_print_table(const struct job *, const struct job_result *, const struct job_options *,
    const json_t *events);
void job_print_json(const struct job *, const struct job_result *, const struct job_options *);

/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment file: mrc-experiment(5). */
#pragma once

#include "files/yaml.h"
#include "measure/measure.h"
#include "plan/plan.h"
#include "sim/sim.h"

#define EXPERIMENT_NAME_BYTES  64
#define EXPERIMENT_TITLE_BYTES 200
#define EXPERIMENT_LABEL_BYTES 64

/* What the result must show. */
struct experiment_criterion {
    const char *text;  /* criterion.h */
    const char *paper; /* what was published; NULL: nothing */
    const char *scale; /* how this run differs in size from that; NULL */
    const char *run;   /* label of the run it is about; NULL: all */
};

struct experiment {
    char name[EXPERIMENT_NAME_BYTES];
    char title[EXPERIMENT_TITLE_BYTES];
    struct plan fabric;
    struct sim_config sim; /* engine, wire, checks and observer are the caller's */
    struct measure_plan measure;
    uint32_t repeat;
    uint32_t victim; /* a workload, or MEASURE_NONE */
    const struct experiment_criterion *criteria;
    uint32_t criterion_count;
};

/* The file as a tree, the fabric it names in its place. */
struct yaml_node *experiment_load(struct yaml *, const char *path);
/* Changes one key, as --set says it: "parameters.mpr=4". */
bool experiment_set(struct yaml *, struct yaml_node *top, const char *assignment);

/* As in the file: "all_reduce". */
const char *experiment_kind_name(enum sim_workload_kind);

/* The simulator takes this parameter from the fabric: it cannot be set. */
bool experiment_parameter_is_of_fabric(const char *name);

/* From the tree; everything lives in `yaml`. The struct must not be moved afterwards. */
bool experiment_read(struct yaml *, const struct yaml_node *top, struct experiment *);

/* The sweep: how many sets of values there are (1 without a sweep), what one is called, and the
 * tree with it applied. */
uint32_t experiment_sweep_count(const struct yaml_node *top);
void experiment_sweep_label(
    const struct yaml_node *top, uint32_t index, char out[static EXPERIMENT_LABEL_BYTES]);
struct yaml_node *experiment_sweep_apply(
    struct yaml *, const struct yaml_node *top, uint32_t index);
/* The entry itself, a mapping from key paths to values; NULL without a sweep. */
const struct yaml_node *experiment_sweep_entry(const struct yaml_node *top, uint32_t index);

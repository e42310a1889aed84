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

/* A condition that the result must fulfil. */
struct experiment_criterion {
    const char *text;  /* criterion.h */
    const char *paper; /* the published value; NULL: none */
    const char *scale; /* how this run differs in size from the published one; NULL */
    const char *run;   /* label of the run that it applies to; NULL: all */
};

struct experiment {
    char name[EXPERIMENT_NAME_BYTES];
    char title[EXPERIMENT_TITLE_BYTES];
    struct plan fabric;
    struct sim_config sim; /* the caller sets engine, wire, checks and observer */
    struct measure_plan measure;
    uint32_t repeat;
    uint32_t victim; /* a workload, or MEASURE_NONE */
    const struct experiment_criterion *criteria;
    uint32_t criterion_count;
};

/* Loads the file as a tree, with the contents of the fabric file that it names. */
struct yaml_node *experiment_load(struct yaml *, const char *path);
/* Likewise from a text, which must be a mapping. `source` stands for the name of the file and is
 * kept. */
struct yaml_node *experiment_parse(struct yaml *, const char *source, const char *text);
/* Changes one key, in the form of --set: "parameters.mpr=4". */
bool experiment_set(struct yaml *, struct yaml_node *top, const char *assignment);
/* Changes the protocol; a problem names the option --protocol. */
bool experiment_set_protocol(struct yaml *, struct yaml_node *top, const char *word);

/* Returns true if the simulator takes this parameter from the fabric, so that it cannot be set. */
bool experiment_parameter_is_of_fabric(const char *name);

/* Reads the tree. All memory belongs to `yaml`. The struct must not be moved afterwards. */
bool experiment_read(struct yaml *, const struct yaml_node *top, struct experiment *);

/* The sweep: the number of sets of values (1 without a sweep), the label of a set, and the tree
 * with a set applied. */
uint32_t experiment_sweep_count(const struct yaml_node *top);
void experiment_sweep_label(
    const struct yaml_node *top, uint32_t index, char out[static EXPERIMENT_LABEL_BYTES]);
struct yaml_node *experiment_sweep_apply(
    struct yaml *, const struct yaml_node *top, uint32_t index);
/* Combines each set with each value of a key, in the form of --sweep: "parameters.mpr=2,4,8". */
bool experiment_sweep_cross(struct yaml *, struct yaml_node *top, const char *assignment);
/* Returns true if a set has a value for this key. */
bool experiment_sweep_has(const struct yaml_node *top, const char *key);
/* Returns the entry itself, a mapping from key paths to values; NULL without a sweep. */
const struct yaml_node *experiment_sweep_entry(const struct yaml_node *top, uint32_t index);

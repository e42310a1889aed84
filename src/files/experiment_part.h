/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an experiment file, each read by its own file. */
#pragma once

#include "files/experiment.h"

/* Lists of structs for the simulator; the fabric must have been read. */
bool experiment_read_workloads(struct yaml *, const struct yaml_node *list, struct experiment *);
bool experiment_read_faults(struct yaml *, const struct yaml_node *list, struct experiment *);
bool experiment_read_generators(struct yaml *, const struct yaml_node *list, struct experiment *);
bool experiment_read_parameters(
    struct yaml *, const struct yaml_node *mapping, struct parameters *);

/* What is judged: watched links and phases, then criteria, which may name them. */
bool experiment_read_watches(struct yaml *, const struct yaml_node *mapping, struct experiment *);
bool experiment_read_phases(struct yaml *, const struct yaml_node *list, struct experiment *);
bool experiment_read_criteria(struct yaml *, const struct yaml_node *list, struct experiment *);

/* The workload that a value names. */
bool experiment_find_workload(
    struct yaml *, const struct yaml_node *name, const struct experiment *, uint32_t *workload);

/* Letters, digits, _ and -: names that criteria can refer to. */
bool experiment_check_name(struct yaml *, const struct yaml_node *, const char *name);

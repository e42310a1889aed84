/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an experiment file, each read in its own file. */
#pragma once

#include "files/experiment.h"

/* What a workload says about the file with its traffic. */
struct experiment_traffic {
    const struct yaml_node *file;
    int format;             /* enum schedule_format; -1: by the name */
    uint64_t start_unit_ps; /* of connection matrices */
    uint32_t rank_max;
};

/* Read lists of structs for the simulator. The fabric must have been read. */
bool experiment_read_workloads(
    struct yaml *, const struct yaml_node *list, const struct yaml_node *jobs, struct experiment *);
bool experiment_read_jobs(struct yaml *, const struct yaml_node *list, struct experiment *);
/* "none", then the names of models.def, then NULL. */
extern const char *const experiment_models[];
/* Gives a parallel_training the volumes and times of a model, each divided by `scale`, where they
 * are 0. */
void experiment_set_model(uint32_t which, uint32_t scale, struct sim_workload *);
bool experiment_read_faults(struct yaml *, const struct yaml_node *list, struct experiment *);
bool experiment_read_generators(struct yaml *, const struct yaml_node *list, struct experiment *);
bool experiment_read_parameters(
    struct yaml *, const struct yaml_node *mapping, struct parameters *);

/* Read the hardware, then the fabric over the values that the hardware gives, then check that the
 * fabric can be built from it and note what the fabric says otherwise. */
bool experiment_read_hardware(struct yaml *, const struct yaml_node *, struct hardware *);
void experiment_apply_hardware(const struct hardware *, struct topology_config *usual);
bool experiment_check_hardware(struct yaml *, const struct yaml_node *mapping,
    const struct hardware *, const struct topology *);
void experiment_note_hardware(struct hardware *, const struct topology_config *);

/* Reads the settings of RoCEv2; the others keep their values. */
bool experiment_read_roce(struct yaml *, const struct yaml_node *mapping, struct roce_settings *);
/* The same for UET. */
bool experiment_read_uet(struct yaml *, const struct yaml_node *mapping, struct uet_settings *);
/* The same for InfiniBand. */
bool experiment_read_infiniband(
    struct yaml *, const struct yaml_node *mapping, struct ib_settings *);

/* Reads the settings of probes, with defaults for what is not given. */
bool experiment_read_map(struct yaml *, const struct yaml_node *mapping, struct sim_map_config *);

/* Read the judgement: first watched links and phases, then criteria, which may name them. */
bool experiment_read_watches(struct yaml *, const struct yaml_node *mapping, struct experiment *);
bool experiment_read_phases(struct yaml *, const struct yaml_node *list, struct experiment *);
bool experiment_read_criteria(struct yaml *, const struct yaml_node *list, struct experiment *);

/* Reads the traffic of a workload from a file. */
bool experiment_read_schedule(struct yaml *, const struct yaml_node *workload_node,
    const struct experiment_traffic *, struct sim_workload *);

/* Reads numbers of NICs of a fabric or job, below `nic_count`: [8, 0-6]. */
struct experiment_nics {
    const uint32_t *all;
    uint32_t count;
};
bool experiment_read_nics(struct yaml *, const struct yaml_node *list, const char *whose,
    uint32_t nic_count, struct experiment_nics *out);

/* Finds the workload that a value names. */
bool experiment_find_workload(
    struct yaml *, const struct yaml_node *name, const struct experiment *, uint32_t *workload);

/* Reports what only the simulator can check, at the line of the file. */
bool experiment_check(struct yaml *, const struct yaml_node *top, const struct experiment *);

/* Checks that a name consists of letters, digits, _ and -, so that criteria can refer to it. */
bool experiment_check_name(struct yaml *, const struct yaml_node *, const char *name);

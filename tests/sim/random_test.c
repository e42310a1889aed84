/* SPDX-License-Identifier: Apache-2.0 */
/* Random small fabrics, random faults, random work, all checkers on. A trial that fails is shrunk
 * and printed as an experiment file. */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "trial.h"

/* The slow engine and the way through bytes are compared now and then. */
static enum trial_depth depth_of(uint64_t seed)
{
    if (seed % 8 == 0)
        return TRIAL_ALL_WAYS;
    return seed % 4 == 0 ? TRIAL_BOTH_ENGINES : TRIAL_ONCE;
}

static void expect_sound(struct study_trial *trial)
{
    struct sim_config config;
    struct study_room room;
    char reason[256] = "";

    study_config(trial, &room, &config, reason);
    EXPECT_STR_EQ(reason, "");
}

PROPERTY("with random faults no checker reports an error, and all possible work is done", 60)
{
    struct trial_outcome outcome;
    struct study_trial trial;

    trial_draw(&trial, seed);
    expect_sound(&trial);
    trial_run(&trial, depth_of(seed), &outcome);
    if (outcome.verdict == TRIAL_GOOD)
        return;
    printf("# before shrinking: %s\n", outcome.reason);
    printf("# %u runs to shrink it\n", trial_shrink(&trial, depth_of(seed), outcome.verdict));
    trial_run(&trial, depth_of(seed), &outcome);
    trial_print(&trial, &outcome);
    EXPECT_EQ(outcome.verdict, TRIAL_GOOD);
}

/* ---- the trials themselves
 * ------------------------------------------------------------------------ */

PROPERTY("a trial printed as an experiment file is read back as the same experiment", 40)
{
    struct experiment experiment;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    struct sim_config config;
    struct study_room room;
    struct yaml_node *top;
    struct study_trial trial;
    char reason[STUDY_REASON_BYTES];
    struct yaml yaml;

    trial_draw(&trial, seed);
    EXPECT(study_config(&trial, &room, &config, reason));
    yaml_init(&yaml);
    study_write(&trial, file);
    fclose(file);
    top = yaml_parse(&yaml, "trial.yaml", text, length, true);
    if (top == NULL || !experiment_read(&yaml, top, &experiment))
        printf("# %s\n%s", yaml.problem, text);
    EXPECT_STR_EQ(yaml.problem, "");
    EXPECT_EQ(experiment.sim.seed, config.seed);
    EXPECT_EQ(experiment.sim.duration_ps, config.duration_ps);
    EXPECT_EQ(experiment.fabric.topology.base_rtt_ps, room.fabric.topology.base_rtt_ps);
    EXPECT_MEM_EQ(&experiment.sim.parameters, &config.parameters, sizeof(config.parameters));
    EXPECT_EQ(experiment.sim.workload_count, config.workload_count);
    EXPECT_EQ(experiment.sim.fault_count, config.fault_count);
    EXPECT_EQ(experiment.sim.generator_count, config.generator_count);
    for (uint32_t i = 0; i < config.workload_count; i++) {
        EXPECT_EQ(experiment.sim.workloads[i].kind, config.workloads[i].kind);
        EXPECT_EQ(experiment.sim.workloads[i].rank_count, config.workloads[i].rank_count);
        EXPECT_EQ(experiment.sim.workloads[i].message_bytes, config.workloads[i].message_bytes);
        EXPECT_EQ(experiment.sim.workloads[i].start_ps, config.workloads[i].start_ps);
    }
    for (uint32_t i = 0; i < config.fault_count; i++) {
        EXPECT_EQ(experiment.sim.faults[i].kind, config.faults[i].kind);
        EXPECT_EQ(experiment.sim.faults[i].until_ps, config.faults[i].until_ps);
        EXPECT_EQ(experiment.sim.faults[i].probability, config.faults[i].probability);
        if (config.faults[i].kind == FAULT_FLAP)
            EXPECT_EQ(experiment.sim.faults[i].duty_permille, config.faults[i].duty_permille);
        EXPECT_EQ(experiment.sim.faults[i].where_count, config.faults[i].where_count);
        EXPECT_MEM_EQ(experiment.sim.faults[i].where, config.faults[i].where,
            config.faults[i].where_count * sizeof(struct topology_element));
    }
    yaml_fini(&yaml);
    free(text);
}

/* In half a microsecond nothing can be done: whatever is left of the trial is enough to fail. */
PROPERTY("a trial that fails is reduced to a minimal one that still fails", 6)
{
    struct trial_outcome outcome;
    struct study_trial trial;

    trial_draw(&trial, seed);
    for (uint32_t i = 0; i < trial.fault_count; i++)
        trial.faults[i].until_ps = trial.faults[i].from_ps + 1;
    trial.exception_count = 0;
    trial.generator_count = 0;
    trial.duration_ps = 500000;
    trial_run(&trial, TRIAL_ONCE, &outcome);
    EXPECT_EQ(outcome.verdict, TRIAL_STUCK);
    EXPECT_GT(trial_shrink(&trial, TRIAL_ONCE, TRIAL_STUCK), 0);
    trial_run(&trial, TRIAL_ONCE, &outcome);
    EXPECT_EQ(outcome.verdict, TRIAL_STUCK);
    EXPECT_EQ(trial.fault_count, 0);
    EXPECT_EQ(trial.workload_count, 1);
    EXPECT_EQ(trial.workloads[0].rank_count, 2);
    EXPECT_EQ(trial.workloads[0].iterations, 1);
    EXPECT_LE(trial.workloads[0].message_bytes, 2);
    EXPECT_EQ(trial.wiring.plane_count, 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mrc map --sim: probes of a simulated fabric. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/map/map_options.h"
#include "study/study.h"

static const char name[] = "map";

enum { LINE = 64 };

static void print_totals(struct sim_probing_totals totals)
{
    printf("  %llu probes crossed %llu links\n", (unsigned long long)totals.probes,
        (unsigned long long)totals.hops);
}

static enum cmd_status probe_fabric(
    const struct sim_probing_config *config, const struct map_options *options)
{
    const volatile sig_atomic_t *is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND);
    struct sim_probing *probing;
    struct arena arena;
    size_t bytes;
    void *memory;

    arena_init(&arena, NULL, 0);
    sim_probing_init(&arena, config);
    bytes = (arena.used_bytes + LINE - 1) / LINE * LINE;
    memory = aligned_alloc(LINE, bytes);
    if (!memory)
        return cmd_complain(CMD_FAILED, name, "%zu bytes of memory are not available", bytes);
    arena_init(&arena, memory, bytes);
    probing = sim_probing_init(&arena, config);
    while (map_period(sim_probing_map(probing)) < options->period_count && !*is_interrupted)
        sim_probing_round(probing);
    map_print_result(sim_probing_map(probing), (double)config->period_ps / 1e6, options);
    if (!options->is_json)
        print_totals(sim_probing_totals(probing));
    free(memory);
    return *is_interrupted ? CMD_FAILED : CMD_DONE;
}

static struct sim_probing_config config_of(
    const struct sim_config *sim, const struct map_options *options)
{
    enum { PERIOD_PS = 1000000000 };

    return (struct sim_probing_config){ .fabric = sim->fabric,
        .seed = options->has_seed ? options->seed : sim->seed,
        .faults = sim->faults,
        .fault_count = sim->fault_count,
        .generators = sim->generators,
        .generator_count = sim->generator_count,
        .period_ps = sim->map.period_ps ? sim->map.period_ps : PERIOD_PS,
        .period_count = options->period_count,
        .round_periods = options->round_periods };
}

enum cmd_status map_simulated(const struct map_options *options, const char *path)
{
    struct study_changes changes = { 0 };
    struct study_plan plan;
    enum cmd_status status;

    if (!study_plan_read(&plan, path, &changes)) {
        status = cmd_complain(CMD_MISUSED, name, "%s", plan.yaml.problem);
    } else {
        struct sim_probing_config config = config_of(&plan.runs[0]->experiment.sim, options);

        status = probe_fabric(&config, options);
    }
    study_plan_fini(&plan);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mrc sim: reads an experiment, runs it, says what came of it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/sim_jobs.h"
#include "cmd/sim_list.h"
#include "cmd/sim_options.h"
#include "cmd/sim_result.h"
#include "cmd/sim_runner.h"
#include "cmd/sim_table.h"
#include "cmd/whole_file.h"

static const char name[] = "sim";

#define RUNS_MAX 10000

/* All runs of an experiment, read and checked. */
struct sim_plan {
    struct yaml yaml;
    struct yaml_node *top;
    struct sim_plan_run **runs;
    uint32_t run_count;
};

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    sim_runner_interrupt();
}

/* Once; the second Ctrl-C ends the program as usual. */
static void catch_interrupts(void)
{
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static json_t *settings_of(const struct yaml_node *top, uint32_t index)
{
    const struct yaml_node *entry = experiment_sweep_entry(top, index);
    json_t *settings = entry && entry->kind == YAML_MAPPING ? json_of_yaml(entry) : json_object();

    json_object_del(settings, "label");
    return settings;
}

static bool add_run(struct sim_plan *plan, struct yaml_node *changed, uint32_t index,
    const struct sim_options *options, uint32_t repetition)
{
    struct sim_plan_run *run = sim_list_take(1, sizeof(*run));
    char label[EXPERIMENT_LABEL_BYTES];
    uint32_t repeat;

    plan->runs[plan->run_count++] = run;
    run->settings = settings_of(plan->top, index);
    if (!experiment_read(&plan->yaml, changed, &run->experiment))
        return false;
    repeat = options->repeat ? options->repeat : run->experiment.repeat;
    if (options->has_seed)
        run->experiment.sim.seed = options->seed;
    run->experiment.sim.seed += repetition;
    experiment_sweep_label(plan->top, index, label);
    if (repeat > 1)
        snprintf(run->label, sizeof(run->label), "%s%sseed %llu", label, *label ? " " : "",
            (unsigned long long)run->experiment.sim.seed);
    else
        snprintf(run->label, sizeof(run->label), "%s", label);
    return true;
}

/* Everything is read before anything runs: what is wrong in the last run is told at once. */
static bool plan_runs(struct sim_plan *plan, const struct sim_options *options)
{
    uint32_t set_count = experiment_sweep_count(plan->top);

    plan->runs = sim_list_take(RUNS_MAX, sizeof(struct sim_plan_run *));
    for (uint32_t i = 0; i < set_count; i++) {
        struct yaml_node *changed = experiment_sweep_apply(&plan->yaml, plan->top, i);
        struct experiment experiment;
        uint32_t repeat;

        if (!changed || !experiment_read(&plan->yaml, changed, &experiment))
            return false;
        repeat = options->repeat ? options->repeat : experiment.repeat;
        if (repeat > RUNS_MAX - plan->run_count)
            return yaml_complain(
                &plan->yaml, plan->top, "more than %d runs; sweep or repeat less", RUNS_MAX);
        for (uint32_t k = 0; k < repeat; k++)
            if (!add_run(plan, changed, i, options, k))
                return false;
    }
    return true;
}

static bool read_plan(struct sim_plan *plan, const struct sim_options *options)
{
    yaml_init(&plan->yaml);
    plan->top = experiment_load(&plan->yaml, options->file);
    if (!plan->top)
        return false;
    for (uint32_t i = 0; i < options->set_count; i++)
        if (!experiment_set(&plan->yaml, plan->top, options->sets[i]))
            return false;
    return plan_runs(plan, options);
}

static void fini_plan(struct sim_plan *plan)
{
    for (uint32_t i = 0; i < plan->run_count; i++) {
        json_decref(plan->runs[i]->settings);
        free(plan->runs[i]);
    }
    free(plan->runs);
    yaml_fini(&plan->yaml);
}

/* ---- running --------------------------------------------------------------------------------- */

static json_t *run_all(struct sim_plan *plan, const struct sim_options *options)
{
    json_t *run;

    if (plan->run_count > 1)
        return sim_jobs_run(plan->runs, plan->run_count, options);
    run = sim_runner_run(plan->runs[0], options, !options->is_quiet);
    return run ? json_pack("[o]", run) : NULL;
}

static bool is_clean(const json_t *runs)
{
    size_t index;
    json_t *run;

    json_array_foreach(runs, index, run)
    {
        const char *status = json_string_value(json_object_get(run, "status"));

        if (strcmp(status, "finished") != 0 && strcmp(status, "out_of_time") != 0)
            return false;
    }
    return true;
}

static enum cmd_status tell(json_t *result, const struct sim_options *options)
{
    if (options->output_path && sim_result_write(result, options->output_path) != CMD_DONE)
        return CMD_FAILED;
    if (options->is_json) {
        json_dumpf(result, stdout, JSON_FORM);
        putchar('\n');
    } else if (!options->is_quiet) {
        sim_table_print(result);
    }
    return CMD_DONE;
}

/* A run may take hours: whether its result can be written is not found out at its end. */
static bool can_write(const char *path)
{
    int err = path && strcmp(path, "-") != 0 ? whole_file_try(path) : 0;

    if (err)
        cmd_complain(CMD_FAILED, name, "%s: %s", path, strerror(-err));
    return err == 0;
}

static enum cmd_status run_plan(struct sim_plan *plan, const struct sim_options *options)
{
    enum cmd_status status;
    json_t *result;
    json_t *runs;
    bool is_good;

    if (plan->run_count > 1 && (options->pcap_path || options->trace_path))
        return cmd_complain(CMD_MISUSED, name,
            "--pcap and --trace take a single run, but there are %u", plan->run_count);
    if (!can_write(options->output_path))
        return CMD_FAILED;
    catch_interrupts();
    runs = run_all(plan, options);
    if (!runs)
        return CMD_FAILED;
    is_good = sim_result_judge(&plan->runs[0]->experiment, runs) && is_clean(runs) &&
              !sim_runner_was_interrupted();
    result = sim_result(&plan->runs[0]->experiment, plan->top, runs);
    status = tell(result, options);
    json_decref(result);
    return status == CMD_DONE && !is_good ? CMD_FAILED : status;
}

static void print_choices(uint32_t index, uint64_t value)
{
    const struct parameter_description *parameter = &parameter_descriptions[index];

    printf("%-22s  %s (", parameter->name, parameters_choice(index, value));
    for (uint32_t i = 0; parameter->choices[i]; i++)
        printf("%s%s", i ? "|" : "", parameter->choices[i]);
    printf(")\n");
}

static void print_parameters(void)
{
    for (uint32_t i = 0; i < parameter_count; i++) {
        const struct parameter_description *parameter = &parameter_descriptions[i];
        uint64_t value = parameter->default_value;

        if (experiment_parameter_is_of_fabric(parameter->name))
            continue;
        if (parameter->choices)
            print_choices(i, value);
        else if (parameter->software_value != value)
            printf("%-22s  %llu, in software %llu %s (%llu to %llu)\n", parameter->name,
                (unsigned long long)value, (unsigned long long)parameter->software_value,
                parameter->unit, (unsigned long long)parameter->minimum,
                (unsigned long long)parameter->maximum);
        else
            printf("%-22s  %llu %s (%llu to %llu)\n", parameter->name, (unsigned long long)value,
                parameter->unit, (unsigned long long)parameter->minimum,
                (unsigned long long)parameter->maximum);
        printf("%-22s    %s\n", "", parameter->help);
    }
}

enum cmd_status cmd_sim(int argument_count, char **arguments)
{
    struct sim_options options;
    struct sim_plan plan = { 0 };
    enum cmd_status status = sim_options_read(&options, argument_count, arguments);

    if (status != CMD_DONE)
        return status;
    if (options.wants_help) {
        sim_options_print_help();
        return CMD_DONE;
    }
    if (options.wants_parameters) {
        print_parameters();
        return CMD_DONE;
    }
    if (read_plan(&plan, &options))
        status = run_plan(&plan, &options);
    else
        status = cmd_complain(CMD_MISUSED, name, "%s", plan.yaml.problem);
    fini_plan(&plan);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault run: injects the faults of a file, each at its time. The file has the lists
 * `faults` and `generators` of experiments (mrc-experiment(5)), so the same script runs in the
 * simulator and on a running fabric. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/fabric/fabric.h"
#include "cmd/options.h"
#include "control/control.h"
#include "files/files.h"

static const char name[] = "fabric fault";

struct options {
    uint64_t slower;
    bool is_quiet;
};

static void say_where(const struct fault_script_step *step)
{
    if (step->ev)
        printf("%s%s", step->ev, step->where_count > 0 ? " in " : "");
    for (uint32_t i = 0; i < step->where_count; i++)
        printf("%s%s", i > 0 ? "," : "", step->where[i]);
}

static void say_step(void *context, const struct fault_script_step *step, const struct fault *fault)
{
    const struct options *options = context;
    char text[QUANTITY_BYTES];

    if (options->is_quiet)
        return;
    printf("%9.3f s  ", (double)fault->from_ps / 1e12);
    say_where(step);
    printf(" %s", fault_kind_words[fault->kind]);
    if (fault->direction != FAULT_BOTH_WAYS)
        printf(" direction %s", fault_direction_words[fault->direction]);
    quantity_format(QUANTITY_TIME, fault->until_ps - fault->from_ps, text);
    printf("%s%s\n", fault->until_ps == FAULT_NEVER_PS ? "" : " for ",
        fault->until_ps == FAULT_NEVER_PS ? "" : text);
    fflush(stdout);
}

static enum cmd_status complain_step(
    const struct script_run *run, const char *file, enum request_result result)
{
    enum cmd_status status = fabric_complain(run->fabric, result, run->reason);

    if (status == CMD_MISUSED && run->line)
        cmd_complain(status, name, "the fault is at line %u of %s", run->line, file);
    return status;
}

/* Generators need the fabric, the seed and the duration of an experiment. */
static bool read_script(struct yaml *yaml, const char *file, struct fault_script *script)
{
    const struct yaml_node *top = yaml_load(yaml, file);
    struct experiment experiment;

    if (!top || !fault_script_read(yaml, top, script))
        return false;
    if (!yaml_member(top, "generators"))
        return true;
    top = experiment_load(yaml, file);
    if (!top || !experiment_read(yaml, top, &experiment))
        return false;
    fault_script_draw(yaml, &experiment, script);
    return true;
}

static enum cmd_status run_script(struct script_run *run, struct yaml *yaml, const char *file)
{
    enum request_result result;

    if (!read_script(yaml, file, &run->script))
        return cmd_complain(CMD_MISUSED, name, "%s", yaml->problem);
    run->is_interrupted = cmd_catch_interrupts(0);
    result = script_run_check(run);
    if (result == REQUEST_ANSWERED)
        result = script_run(run);
    if (*run->is_interrupted)
        return cmd_complain(CMD_FAILED, name,
            "interrupted; 'mrc fabric fault -n %s clear' ends the faults made so far", run->fabric);
    return result == REQUEST_ANSWERED ? CMD_DONE : complain_step(run, file, result);
}

static const struct option_row rows[] = {
    { OPTION_FLAG, 'q', "quiet", NULL, "do not print the faults as they begin",
        OPTION_AT(struct options, is_quiet) },
    { OPTION_NUMBER, 's', "slower", "N", "multiply all times and durations by N",
        OPTION_AT(struct options, slower), .least = 1, .most = 1000000 },
};

const struct option_table fabric_script_table = {
    .command = "fabric fault run",
    .intro =
        "usage: mrc fabric fault [-n NAME] run [OPTIONS] FILE\n"
        "\n"
        "Injects the faults of a script or an experiment into a running fabric, each at its time.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

enum cmd_status fabric_script(const char *fabric, int argument_count, char **arguments)
{
    struct options options = { .slower = 1 };
    struct script_run run = { .fabric = fabric, .on_step = say_step, .context = &options };
    struct yaml yaml;
    enum cmd_status status;

    if (!options_read(&fabric_script_table, &options, argument_count, arguments, &status))
        return status;
    if (optind == argument_count)
        return cmd_complain(CMD_MISUSED, name, "run: name a file with faults");
    if (optind + 1 < argument_count)
        return cmd_complain(CMD_MISUSED, name, "run: name one file; see 'mrc fabric fault --help'");
    run.slower = options.slower;
    yaml_init(&yaml);
    status = run_script(&run, &yaml, arguments[optind]);
    yaml_fini(&yaml);
    return status;
}

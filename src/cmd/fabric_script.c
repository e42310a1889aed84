/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault run: the faults of a file, each at its time. The file has a list `faults` as
 * experiments do (mrc-experiment(5)), so that one script serves the simulator and a running fabric.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/fabric.h"
#include "cmd/options.h"
#include "control/control.h"
#include "files/files.h"

static const char name[] = "fabric fault";
static volatile sig_atomic_t is_interrupted;

#define PS_PER_NS UINT64_C(1000)

struct run {
    const char *fabric;
    const char *file;
    uint64_t slower;
    bool is_quiet;
    struct yaml yaml;
    struct fault_script script;
};

static void on_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

static json_t *names_of(const struct fault_script_step *step)
{
    json_t *names = json_array();

    for (uint32_t i = 0; i < step->where_count; i++)
        json_array_append_new(names, json_string(step->where[i]));
    return names;
}

static json_t *request_of(const struct run *run, const struct fault_script_step *step)
{
    struct fault fault = fault_request_slowed(&step->fault, run->slower);
    json_t *request = fault_request_of(&fault);

    if (step->where_count > 0)
        json_object_set_new(request, "where", names_of(step));
    if (step->ev)
        json_object_set_new(request, "ev", json_string(step->ev));
    return request;
}

static enum cmd_status ask(
    const struct run *run, const struct fault_script_step *step, json_t *request)
{
    json_t *answer = NULL;
    enum cmd_status status = fabric_ask(run->fabric, request, &answer);

    json_decref(answer);
    if (status == CMD_MISUSED)
        cmd_complain(status, name, "this was line %u of %s", step->line, run->file);
    return status;
}

/* All of them, before the first is made. */
static enum cmd_status check_steps(const struct run *run)
{
    enum cmd_status status = CMD_DONE;

    for (uint32_t i = 0; i < run->script.count && status == CMD_DONE; i++) {
        json_t *request = request_of(run, &run->script.steps[i]);

        json_object_set_new(request, "check", json_true());
        status = ask(run, &run->script.steps[i], request);
    }
    return status;
}

static void say_where(const struct fault_script_step *step)
{
    if (step->ev)
        printf("%s%s", step->ev, step->where_count > 0 ? " in " : "");
    for (uint32_t i = 0; i < step->where_count; i++)
        printf("%s%s", i > 0 ? "," : "", step->where[i]);
}

static void say(const struct run *run, const struct fault_script_step *step)
{
    struct fault fault = fault_request_slowed(&step->fault, run->slower);
    char text[QUANTITY_BYTES];

    if (run->is_quiet)
        return;
    printf("%9.3f s  ", (double)fault.from_ps / 1e12);
    say_where(step);
    printf(" %s", fault_kind_words[fault.kind]);
    if (fault.direction != FAULT_BOTH_WAYS)
        printf(" direction %s", fault_direction_words[fault.direction]);
    quantity_format(QUANTITY_TIME, fault.until_ps - fault.from_ps, text);
    printf("%s%s\n", fault.until_ps == FAULT_NEVER_PS ? "" : " for ",
        fault.until_ps == FAULT_NEVER_PS ? "" : text);
    fflush(stdout);
}

static void sleep_until(const struct timespec *start, uint64_t at_ns)
{
    uint64_t until_ns = (uint64_t)start->tv_nsec + at_ns;
    struct timespec until = { .tv_sec = start->tv_sec + (time_t)(until_ns / 1000000000),
        .tv_nsec = (long)(until_ns % 1000000000) };

    while (
        !is_interrupted && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static enum cmd_status say_to_fabric(const struct run *run, const char *what)
{
    json_t *answer = NULL;
    enum cmd_status status = fabric_ask(run->fabric, json_pack("{s:s}", "do", what), &answer);

    json_decref(answer);
    return status;
}

/* The fabric gets all faults, in the order of the file, and has them begin at their times: these
 * then do not depend on when this process is run. */
static enum cmd_status hand_over(const struct run *run)
{
    enum cmd_status status = say_to_fabric(run, "script");

    for (uint32_t i = 0; i < run->script.count && status == CMD_DONE; i++)
        status = ask(run, &run->script.steps[i], request_of(run, &run->script.steps[i]));
    return status == CMD_DONE ? say_to_fabric(run, "begin") : status;
}

/* Takes those back that have not begun. */
static enum cmd_status stop_steps(const struct run *run)
{
    json_t *answer = NULL;

    fabric_ask(run->fabric, json_pack("{s:s, s:b}", "do", "clear", "waiting", 1), &answer);
    json_decref(answer);
    return cmd_complain(CMD_FAILED, name,
        "interrupted; 'mrc fabric fault -n %s clear' ends the faults made so far", run->fabric);
}

static int compare(const void *left, const void *right)
{
    const struct fault_script_step *first = left;
    const struct fault_script_step *second = right;

    if (first->fault.from_ps != second->fault.from_ps)
        return first->fault.from_ps < second->fault.from_ps ? -1 : 1;
    return first->line < second->line ? -1 : first->line > second->line;
}

static enum cmd_status run_steps(struct run *run)
{
    struct timespec start;
    enum cmd_status status;

    status = hand_over(run);
    if (status != CMD_DONE)
        return status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    qsort(run->script.steps, run->script.count, sizeof(*run->script.steps), compare);
    for (uint32_t i = 0; i < run->script.count; i++) {
        const struct fault_script_step *step = &run->script.steps[i];

        sleep_until(&start, step->fault.from_ps * run->slower / PS_PER_NS);
        if (is_interrupted)
            return stop_steps(run);
        say(run, step);
    }
    return CMD_DONE;
}

static enum cmd_status run_script(struct run *run)
{
    struct sigaction action = { .sa_handler = on_signal };
    const struct yaml_node *top = yaml_load(&run->yaml, run->file);
    enum cmd_status status;

    if (!top || !fault_script_read(&run->yaml, top, &run->script))
        return cmd_complain(CMD_MISUSED, name, "%s", run->yaml.problem);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    status = check_steps(run);
    return status == CMD_DONE ? run_steps(run) : status;
}

static const struct option_row rows[] = {
    { OPTION_FLAG, 'q', "quiet", NULL, "do not print the faults as they begin",
        OPTION_AT(struct run, is_quiet) },
    { OPTION_NUMBER, 's', "slower", "N", "N times later and longer", OPTION_AT(struct run, slower),
        .least = 1, .most = 1000000 },
};

const struct option_table fabric_script_table = {
    .command = "fabric fault run",
    .intro = "usage: mrc fabric fault [-n NAME] run [OPTIONS] FILE\n"
             "\n"
             "Breaks a running fabric as a script or an experiment says, each fault at its time.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

enum cmd_status fabric_script(const char *fabric, int argument_count, char **arguments)
{
    struct run run = { .fabric = fabric, .slower = 1 };
    enum cmd_status status;

    if (!options_read(&fabric_script_table, &run, argument_count, arguments, &status))
        return status;
    if (optind == argument_count)
        return cmd_complain(CMD_MISUSED, name, "run: name a file with faults");
    if (optind + 1 < argument_count)
        return cmd_complain(CMD_MISUSED, name, "run: name one file; see 'mrc fabric fault --help'");
    run.file = arguments[optind];
    yaml_init(&run.yaml);
    status = run_script(&run);
    yaml_fini(&run.yaml);
    return status;
}

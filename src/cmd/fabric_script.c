/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric fault run: the faults of a file, each at its time. The file has a list `faults` as
 * experiments do (mrc-experiment(5)), so that one script serves the simulator and a running fabric.
 */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/fabric.h"
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

static void set_number(json_t *request, const char *key, uint64_t value)
{
    if (value > 0)
        json_object_set_new(request, key, json_integer((json_int_t)value));
}

static void set_text(json_t *request, const char *key, const char *text)
{
    if (text)
        json_object_set_new(request, key, json_string(text));
}

static json_t *request_of(const struct run *run, const struct fault_script_step *step)
{
    json_t *request = json_pack("{s:s, s:s}", "do", "fault", "kind", step->kind);

    set_text(request, "where", step->where);
    set_text(request, "ev", step->ev);
    set_number(request, "for_ns", step->for_ps * run->slower / PS_PER_NS);
    set_number(request, "period_ns", step->period_ps * run->slower / PS_PER_NS);
    set_number(request, "duty_permille", step->duty_permille);
    set_number(request, "probability", step->probability);
    set_number(request, "rate_bps", step->rate_bps);
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

static void say(const struct run *run, const struct fault_script_step *step)
{
    char text[QUANTITY_BYTES];

    if (run->is_quiet)
        return;
    quantity_format(QUANTITY_TIME, step->for_ps * run->slower, text);
    printf("%9.3f s  %s%s%s %s%s%s\n", (double)(step->at_ps * run->slower) / 1e12,
        step->ev ? step->ev : "", step->ev && step->where ? " in " : "",
        step->where ? step->where : "", step->kind, step->for_ps ? " for " : "",
        step->for_ps ? text : "");
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

static enum cmd_status run_steps(const struct run *run)
{
    enum cmd_status status = CMD_DONE;
    struct timespec start;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint32_t i = 0; i < run->script.count && status == CMD_DONE; i++) {
        const struct fault_script_step *step = &run->script.steps[i];

        sleep_until(&start, step->at_ps * run->slower / PS_PER_NS);
        if (is_interrupted)
            return cmd_complain(CMD_FAILED, name,
                "interrupted; 'mrc fabric fault -n %s clear' ends the faults made so far",
                run->fabric);
        status = ask(run, step, request_of(run, step));
        if (status == CMD_DONE)
            say(run, step);
    }
    return status;
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

static enum cmd_status read_options(struct run *run, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        unsigned long number;

        if (strcmp(words[i], "-q") == 0 || strcmp(words[i], "--quiet") == 0) {
            run->is_quiet = true;
        } else if (strcmp(words[i], "-s") == 0 || strcmp(words[i], "--slower") == 0) {
            if (i + 1 == count || !fabric_number(words[i + 1], 1, 1000000, &number))
                return cmd_complain(CMD_MISUSED, name, "run %s: must be 1 to 1000000", words[i]);
            run->slower = number;
            i++;
        } else if (words[i][0] == '-' || run->file) {
            return cmd_complain(
                CMD_MISUSED, name, "run: name one file; see 'mrc fabric fault --help'");
        } else {
            run->file = words[i];
        }
    }
    return run->file ? CMD_DONE : cmd_complain(CMD_MISUSED, name, "run: name a file with faults");
}

enum cmd_status fabric_script(const char *fabric, int argument_count, char **arguments)
{
    struct run run = { .fabric = fabric, .slower = 1 };
    enum cmd_status status = read_options(&run, argument_count, arguments);

    if (status != CMD_DONE)
        return status;
    yaml_init(&run.yaml);
    status = run_script(&run);
    yaml_fini(&run.yaml);
    return status;
}

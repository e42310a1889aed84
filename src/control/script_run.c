/* SPDX-License-Identifier: Apache-2.0 */
/* Hands all faults of a script to the fabric, in the order of the file. The fabric begins them at
 * their times, which therefore do not depend on the scheduling of this process. */
#include "control/script_run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "control/fault_request.h"

#define PS_PER_NS UINT64_C(1000)

static json_t *names_of(const struct fault_script_step *step)
{
    json_t *names = json_array();

    for (uint32_t i = 0; i < step->where_count; i++)
        json_array_append_new(names, json_string(step->where[i]));
    return names;
}

static json_t *request_of(const struct script_run *run, const struct fault_script_step *step)
{
    struct fault fault = fault_request_slowed(&step->fault, run->slower);
    json_t *request = fault_request_of(&fault);

    if (step->where_count > 0)
        json_object_set_new(request, "where", names_of(step));
    if (step->ev)
        json_object_set_new(request, "ev", json_string(step->ev));
    return request;
}

static enum request_result ask(struct script_run *run, json_t *request)
{
    json_t *answer;
    enum request_result result = request_fabric(run->fabric, request, &answer, run->reason);

    json_decref(answer);
    return result;
}

static enum request_result ask_step(
    struct script_run *run, const struct fault_script_step *step, json_t *request)
{
    enum request_result result = ask(run, request);

    run->line = result == REQUEST_ANSWERED ? 0 : step->line;
    return result;
}

enum request_result script_run_check(struct script_run *run)
{
    enum request_result result = REQUEST_ANSWERED;

    run->line = 0;
    for (uint32_t i = 0; i < run->script.count && result == REQUEST_ANSWERED; i++) {
        json_t *request = request_of(run, &run->script.steps[i]);

        json_object_set_new(request, "check", json_true());
        result = ask_step(run, &run->script.steps[i], request);
    }
    return result;
}

static enum request_result hand_over(struct script_run *run)
{
    enum request_result result = ask(run, json_pack("{s:s}", "do", "script"));

    for (uint32_t i = 0; i < run->script.count && result == REQUEST_ANSWERED; i++)
        result = ask_step(run, &run->script.steps[i], request_of(run, &run->script.steps[i]));
    return result == REQUEST_ANSWERED ? ask(run, json_pack("{s:s}", "do", "begin")) : result;
}

/* ---- time ------------------------------------------------------------------------------------ */

static int by_time(const void *left, const void *right)
{
    const struct fault_script_step *first = left;
    const struct fault_script_step *second = right;

    if (first->fault.from_ps != second->fault.from_ps)
        return first->fault.from_ps < second->fault.from_ps ? -1 : 1;
    return first->line < second->line ? -1 : first->line > second->line;
}

static void sleep_until(const struct script_run *run, const struct timespec *start, uint64_t at_ns)
{
    uint64_t until_ns = (uint64_t)start->tv_nsec + at_ns;
    struct timespec until = { .tv_sec = start->tv_sec + (time_t)(until_ns / 1000000000),
        .tv_nsec = (long)(until_ns % 1000000000) };

    while (!*run->is_interrupted &&
           clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

enum request_result script_run(struct script_run *run)
{
    enum request_result result = hand_over(run);
    struct timespec start;

    if (result != REQUEST_ANSWERED)
        return result;
    clock_gettime(CLOCK_MONOTONIC, &start);
    qsort(run->script.steps, run->script.count, sizeof(*run->script.steps), by_time);
    for (uint32_t i = 0; i < run->script.count; i++) {
        const struct fault_script_step *step = &run->script.steps[i];
        struct fault fault = fault_request_slowed(&step->fault, run->slower);

        sleep_until(run, &start, fault.from_ps / PS_PER_NS);
        if (*run->is_interrupted)
            return ask(run, json_pack("{s:s, s:b}", "do", "clear", "waiting", 1));
        run->on_step(run->context, step, &fault);
    }
    return result;
}

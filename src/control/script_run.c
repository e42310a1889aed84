/* SPDX-License-Identifier: Apache-2.0 */
/* Hands all faults of a script to the fabric, in the order of the file. The fabric begins them at
 * their times, which therefore do not depend on the scheduling of this process. */
#include "control/script_run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "control/fault_request.h"

#define PS_PER_NS UINT64_C(1000)

static void write_step(const struct script_run *run, const struct fault_script_step *step,
    struct request_line *request)
{
    struct fault fault = fault_request_slowed(&step->fault, run->slower);

    fault_request_write(&fault, request);
    request_line_list(request, "where", step->where, step->where_count);
    if (step->ev)
        request_line_text(request, "ev", step->ev);
}

static enum request_result ask_fabric(struct script_run *run, const struct request_line *request)
{
    json_t *answer;
    enum request_result result = request_fabric(run->fabric, request, &answer, run->reason);

    json_decref(answer);
    return result;
}

static enum request_result ask_word(struct script_run *run, const char *word)
{
    struct request_line request;

    request_line_begin(&request, word);
    return ask_fabric(run, &request);
}

static enum request_result ask_step(
    struct script_run *run, const struct fault_script_step *step, bool is_check)
{
    struct request_line request;
    enum request_result result;

    write_step(run, step, &request);
    if (is_check)
        request_line_flag(&request, "check");
    result = ask_fabric(run, &request);
    run->line = result == REQUEST_ANSWERED ? 0 : step->line;
    return result;
}

enum request_result script_run_check(struct script_run *run)
{
    enum request_result result = REQUEST_ANSWERED;

    run->line = 0;
    for (uint32_t i = 0; i < run->script.count && result == REQUEST_ANSWERED; i++)
        result = ask_step(run, &run->script.steps[i], true);
    return result;
}

static enum request_result hand_over(struct script_run *run)
{
    enum request_result result = ask_word(run, "script");

    for (uint32_t i = 0; i < run->script.count && result == REQUEST_ANSWERED; i++)
        result = ask_step(run, &run->script.steps[i], false);
    return result == REQUEST_ANSWERED ? ask_word(run, "begin") : result;
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
            return ask_word(run, "clear waiting");
        run->on_step(run->context, step, &fault);
    }
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mrc perf: measures and checks writes and collectives between processes. Uses only mrc.h. */
#include <stdio.h>

#include "cmd/completion.h"
#include "cmd/perf/perf_options.h"

static const char name[] = "perf";

static enum cmd_status run_test(const struct perf_wish *wish)
{
    struct perf_start start;
    struct perf_meet meet = { 0 };
    int err;

    /* With --local, each rank opens its device and reports errors to all ranks. */
    if (wish->local_count == 0 && !perf_end_has_device(wish->device))
        return cmd_complain(CMD_FAILED, name,
            "there is no device%s%s; 'mrc fabric run' creates some. Check MRC_CONFIG and "
            "MRC_RUN_DIR if they are set",
            wish->device ? " " : "", wish->device ? wish->device : "");
    perf_interrupt_catch();
    err = perf_start(&start, wish, &meet);
    if (err == 0)
        err = perf_run(wish, &meet);
    if (meet.problem[0] && !start.is_child)
        cmd_complain(CMD_FAILED, name, "%s", meet.problem);
    perf_meet_close(&meet);
    perf_start_wait(&start);
    return err ? CMD_FAILED : CMD_DONE;
}

static enum cmd_status perf(int argument_count, char **arguments)
{
    struct perf_wish wish;
    enum cmd_status status;

    if (!perf_options_read(&wish, argument_count, arguments, &status))
        return status;
    return run_test(&wish);
}

static void complete_test(const struct completion *completion)
{
    for (uint32_t i = 0; completion->count == 0 && i < PERF_TEST_COUNT; i++)
        completion_offer(completion, perf_tests[i].name);
}

const struct cmd perf_command = {
    .name = "perf",
    .summary = "measure and check writes and collectives between processes",
    .run = perf,
    .options = &perf_option_table,
    .complete = complete_test,
};

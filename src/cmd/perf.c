/* SPDX-License-Identifier: Apache-2.0 */
/* mrc perf: measures and checks what MRC does between processes. A client of mrc.h like any other.
 */
#include <stdio.h>

#include "cmd/perf_options.h"

static const char name[] = "perf";

static enum cmd_status run(const struct perf_wish *wish)
{
    struct perf_start start;
    struct perf_meet meet = { 0 };
    int err;

    /* Ranks on this machine find out for themselves, and all of them are told. */
    if (wish->local_count == 0 && !perf_end_has_device(wish->device))
        return cmd_complain(CMD_FAILED, name,
            "there is no device%s%s; 'mrc fabric run' makes some, MRC_CONFIG or MRC_RUN_DIR may "
            "point elsewhere",
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

enum cmd_status cmd_perf(int argument_count, char **arguments)
{
    struct perf_options options;
    enum cmd_status status = perf_options_read(&options, argument_count, arguments);

    if (status != CMD_DONE)
        return status;
    if (options.wants_help) {
        perf_options_print_help();
        return CMD_DONE;
    }
    return run(&options.wish);
}

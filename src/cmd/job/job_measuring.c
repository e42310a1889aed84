/* SPDX-License-Identifier: Apache-2.0 */
/* mrc job --measure: what one failure of each class costs, with packets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "carrier/carrier.h"
#include "cmd/job/job_options.h"
#include "files/files.h"

enum { DIGITS = 6 };

static const char name[] = "job";

static void complain_problem(const char *problem)
{
    cmd_complain(CMD_FAILED, name, "%s", problem);
}

static void show_progress(void *context, const struct job_measure *measure)
{
    (void)context;
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%u of %u runs%s", measure->done_count, measure->run_count,
        measure->done_count == measure->run_count ? "\r\033[K" : "");
    fflush(stderr);
}

/* A reader may want to look at the figures, and to change them. */
static int write_all(FILE *file, void *events)
{
    return json_dumpf(events, file, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) == 0 &&
                   fputc('\n', file) != EOF
               ? 0
               : -EIO;
}

static enum cmd_status write_events(json_t *events, const char *path)
{
    int err = path ? whole_file_write(path, write_all, events) : write_all(stdout, events);

    if (err)
        return cmd_complain(
            CMD_FAILED, name, "%s: %s", path ? path : "standard output", strerror(-err));
    return CMD_DONE;
}

static enum cmd_status run_measure(struct job_measure *measure, const struct job_options *options)
{
    struct study_manner manner = { .jobs = options->jobs ? options->jobs : carrier_processors(),
        .threads = 1,
        .is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND),
        .complain = complain_problem };
    int err = options->output_path ? whole_file_try(options->output_path) : 0;
    enum cmd_status status;
    json_t *events;

    if (err) /* before the runs, which may take long */
        return cmd_complain(CMD_FAILED, name, "%s: %s", options->output_path, strerror(-err));
    events = job_measure_run(measure, &manner, show_progress, NULL);
    if (!events)
        return *manner.is_interrupted
                   ? cmd_complain(CMD_FAILED, name, "interrupted after %u of %u runs",
                         measure->done_count, measure->run_count)
                   : CMD_FAILED;
    status = write_events(events, options->output_path);
    json_decref(events);
    return status;
}

enum cmd_status job_measuring(const struct job_options *options, const char *path)
{
    struct study_changes changes = { .sets = options->sets.at,
        .set_count = options->sets.count,
        .has_seed = true,
        .seed = options->seed,
        .repeat = options->seeds };
    struct job_measure *measure = grow_take(1, sizeof(*measure));
    enum cmd_status status = job_measure_read(measure, &options->choice, path, &changes)
                                 ? run_measure(measure, options)
                                 : cmd_complain(CMD_MISUSED, name, "%s", measure->problem);

    job_measure_fini(measure);
    free(measure);
    return status;
}

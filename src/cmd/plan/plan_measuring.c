/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the simulations of --measure and prints what they show. */
#include "cmd/plan/plan_measuring.h"

#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "carrier/carrier.h"
#include "cmd/plan/plan_rows.h"

static void complain_problem(const char *problem)
{
    cmd_complain(CMD_FAILED, "plan", "%s", problem);
}

static void show_progress(void *context, const struct size_measure *measure)
{
    (void)context;
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%u of %u simulations%s", measure->done_count, measure->run_count,
        measure->done_count == measure->run_count ? "\r\033[K" : "");
    fflush(stderr);
}

static enum cmd_status make_runs(const char *command, struct size_measure *measure)
{
    struct study_manner manner = { .jobs = carrier_processors(),
        .threads = 1,
        .is_interrupted = cmd_catch_interrupts((int)SA_RESETHAND),
        .complain = complain_problem };

    if (size_measure_run(measure, &manner, show_progress, NULL))
        return CMD_DONE;
    return *manner.is_interrupted
               ? cmd_complain(CMD_FAILED, command, "interrupted after %u of %u simulations",
                     measure->done_count, measure->run_count)
               : CMD_FAILED;
}

void plan_measuring_end(struct size_measure *measure)
{
    size_measure_fini(measure);
    free(measure);
}

struct size_measure *plan_measuring(const char *command, const struct plan_options *options,
    const struct size_fabric *fabric, const struct job *job, enum cmd_status *status)
{
    struct size_measure *measure = grow_take(1, sizeof(*measure));

    if (size_measure_read(measure, &options->protocols, fabric, &options->site, job))
        *status = make_runs(command, measure);
    else
        *status = cmd_complain(CMD_MISUSED, command, "--measure: %s", measure->problem);
    if (*status == CMD_DONE)
        return measure;
    plan_measuring_end(measure);
    return NULL;
}

/* ---- table ----------------------------------------------------------------------------------- */

static void print_scale(const struct size_measure *measure, const struct size_fabric *fabric)
{
    const struct size_fabric *small = &measure->small;
    char factor[PLAN_NUMBER_BYTES];

    plan_rows_number(size_scale_factor(fabric, small), factor);
    printf(
        "\nmeasured from 0.4 to 0.8 ms after the failure, in a simulation of the fabric at 1 : %s: "
        "%llu NICs,\n%llu switches, %u plane%s of %u tier%s; NICs far from each other send as "
        "fast as they can\n",
        factor, (unsigned long long)small->places, (unsigned long long)size_switches(small),
        small->plane_count, small->plane_count == 1 ? "" : "s", small->tier_count,
        small->tier_count == 1 ? "" : "s");
}

static void print_heading(const struct study_contender_choice *choice)
{
    printf("%-28s %9s %12s %12s", "", "NICs", "calculated", "calc. small");
    for (uint32_t i = 0; i < choice->count; i++)
        printf("   %12.12s %8s %8s %8s", choice->at[i]->name, "others", "settles", "timeouts");
    putchar('\n');
}

static void print_measured(const struct size_measured *measured)
{
    char settles[32] = "at once";

    if (measured->settles_us == SIZE_MEASURED_NOTHING)
        snprintf(settles, sizeof(settles), "stopped");
    else if (measured->settles_us > 0)
        snprintf(settles, sizeof(settles), "%.0f us", measured->settles_us);
    printf("   %11.2f%% %7.2f%% %8s %8llu", measured->share * 100, measured->others * 100, settles,
        (unsigned long long)measured->timeouts);
}

void plan_measuring_print(const struct size_measure *measure, const struct size_fabric *fabric,
    const struct size_failures *failures)
{
    print_scale(measure, fabric);
    print_heading(measure->choice);
    for (uint32_t i = 0; i < failures->count; i++) {
        const struct size_failure *failure = &failures->list[i];
        const struct size_scene *scene = size_measure_scene(measure, failure);

        if (!scene)
            continue;
        printf("%-28s %9u %11.4f%% %11.2f%%", failure->name, scene->nics, failure->nic_share * 100,
            scene->share * 100);
        for (uint32_t k = 0; k < measure->choice->count; k++)
            print_measured(&measure->results[k][scene - measure->scenes]);
        putchar('\n');
    }
}

void plan_measuring_explain(void)
{
    puts("calculated  = of NIC, in the table above\n"
         "calc. small = the same formula, for the small fabric\n"
         "of a protocol = 1 - rate after the failure / rate at the same time without it, of pairs "
         "with an affected NIC\n"
         "others   = likewise, of all other pairs\n"
         "settles  = the last time after the failure at which the rate was below 95 % of what "
         "remains\n"
         "timeouts = retransmission timeouts of all NICs");
}

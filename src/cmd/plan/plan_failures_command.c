/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan failures: what fails, how often, and what it costs. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/plan/plan_measuring.h"
#include "cmd/plan/plan_rows.h"
#include "cmd/plan/plan_verbs.h"

#define YEAR_MINUTES (365.0 * 24 * 60)

static const char name[] = "plan failures";

/* clang-format off */
static const struct option_row rows[] = {
    PLAN_REQUEST_ROWS,
    { OPTION_TEXT, 0, "prices", "FILE", "the price of a GPU hour: mrc plan --default-prices", OPTION_AT(struct plan_options, prices) },
    { OPTION_TEXT, 0, "job", "FILE", "what a failure costs with each protocol: mrc-job(1)", OPTION_AT(struct plan_options, job) },
    PLAN_MEASURE_ROWS,
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc plan failures [OPTIONS]\n"
             "\n"
             "Prints for each class of failures of a fabric: the elements, the NICs that one "
             "failure affects,\n"
             "the rate that they lose, failures per year, how long they last, and the GPU hours "
             "that a job\n"
             "on all GPUs loses per year with each protocol. Then the pairs of failures that cut "
             "a NIC off. With --measure each failure is also simulated, and the measured loss is "
             "printed beside\n"
             "the calculated one.",
    .closing = "Exit status: 0; 1 if a simulation fails; 2 for a wrong command line, or a fabric "
               "that cannot be\n"
               "built.\n"
               "\n"
               "  mrc plan failures --gpus 16384 --measure\n"
               "  mrc plan failures --gpus 16384 --planes 1 --tiers 3 --measure --protocols "
               "roce-8qp",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static struct price_range minutes_between(struct price_range per_year)
{
    return (struct price_range){ YEAR_MINUTES / per_year.most, YEAR_MINUTES / per_year.least };
}

/* ---- table ----------------------------------------------------------------------------------- */

static void print_ranges(const struct price_range *hours, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char text[PLAN_RANGE_BYTES];

        plan_rows_range(hours[i], text);
        printf(" %24s", text);
    }
    putchar('\n');
}

static void print_failure(const struct size_failure *failure, const struct job *job, bool explains)
{
    char elements[PLAN_NUMBER_BYTES];
    char nics[PLAN_NUMBER_BYTES];
    char per_year[PLAN_RANGE_BYTES];

    plan_rows_number((double)failure->elements, elements);
    plan_rows_number((double)failure->nics, nics);
    plan_rows_range(failure->per_year, per_year);
    printf("%-28s %11s %9s %8.3f%% %8.4f%% %24s %7.0f s", failure->name, elements, nics,
        failure->plane_share * 100, failure->nic_share * 100, per_year, failure->lasts_s);
    print_ranges(failure->gpu_hours, job->protocol_count);
    if (explains)
        printf("      = %s\n", failure->source);
}

static void print_pairs(const struct size_failures *failures, uint32_t nic_ports)
{
    puts("\ntwo failures at a time that cut a NIC off");
    if (nic_ports == 1)
        puts("  one is enough: its link, its leaf or its module");
    if (nic_ports > 2)
        printf("  none: a NIC has %u ports\n", nic_ports);
    for (uint32_t i = 0; i < failures->pair_count; i++) {
        char count[PLAN_NUMBER_BYTES];

        plan_rows_number((double)failures->pairs[i].count, count);
        printf("  %-46s %11s pairs, %.3g to %.3g times a year\n", failures->pairs[i].name, count,
            failures->pairs[i].per_year.least, failures->pairs[i].per_year.most);
    }
}

static void print_losses(
    const struct size_failures *failures, const struct job *job, const struct price *gpu_hour)
{
    struct price_range minutes = minutes_between(failures->per_year);
    bool is_short = minutes.most < 1;
    char every[PLAN_RANGE_BYTES];

    if (is_short)
        minutes = (struct price_range){ minutes.least * 60, minutes.most * 60 };
    plan_rows_range(minutes, every);
    printf("\nsomething of the network fails every %s %s, flaps included\n", every,
        is_short ? "seconds" : "minutes");
    for (uint32_t i = 0; i < job->protocol_count; i++)
        printf("%s: a job works %.1f to %.1f %% of the time; failures of the network cost %.1f to "
               "%.1f M$ a year\n",
            job->protocols[i].name, failures->working[i].most * 100,
            failures->working[i].least * 100,
            failures->gpu_hours[i].least * gpu_hour->usd.least / 1e6,
            failures->gpu_hours[i].most * gpu_hour->usd.most / 1e6);
}

static void print_formulas(void)
{
    puts(
        "of plane = share of the rate in one plane that the NICs lose: 1 for links of NICs and "
        "leaves, 1 / uplinks,\n           1 / switches among which a leaf spreads packets\n"
        "of NIC   = of plane / ports of a NIC\n"
        "per year = elements x rate of one (see above) x 365 days\n"
        "GPU h    = per year x GPUs x (stall + time lost by being slower), or a restart and half "
        "the time\n           between checkpoints if the job ends: mrc-job(1); x the share of time "
        "in which the job works\n"
        "pairs    = pairs x (rate of one x share of time that the other is away, and vice versa)");
}

static void print_table(const struct size_failures *failures, const struct job *job, bool explains)
{
    printf("%-28s %11s %9s %9s %9s %24s %9s", "", "elements", "NICs", "of plane", "of NIC",
        "per year", "lasts");
    for (uint32_t i = 0; i < job->protocol_count; i++) {
        char heading[JOB_NAME_BYTES + 16];

        snprintf(heading, sizeof(heading), "GPU h/year, %s", job->protocols[i].name);
        printf(" %24s", heading);
    }
    putchar('\n');
    for (uint32_t i = 0; i < failures->count; i++)
        print_failure(&failures->list[i], job, explains);
    printf("%-28s %11s %9s %9s %9s %24s %9s", "network", "", "", "", "", "", "");
    print_ranges(failures->gpu_hours, job->protocol_count);
}

/* ---- the command ------------------------------------------------------------------------------
 */

static void print_json(const struct size_fabric *fabric, const struct size_failures *failures,
    const struct job *job, const struct size_measure *measure)
{
    json_t *document = size_json_failures(failures, job);

    if (measure)
        json_object_set_new(document, "measured", size_json_measured(measure, fabric, failures));
    plan_rows_dump(document);
}

static void print_all(const struct plan_options *options, const struct size_fabric *fabric,
    const struct size_failures *failures, const struct job *job, const struct prices *prices)
{
    print_table(failures, job, options->explains);
    print_losses(failures, job, &prices->parts[PRICE_GPU_HOUR]);
    print_pairs(failures, fabric->nic_ports);
    if (options->explains)
        print_formulas();
}

static enum cmd_status show_failures(
    const struct plan_options *options, const struct job *job, const struct prices *prices)
{
    struct size_failures *failures = grow_take(1, sizeof(*failures));
    struct size_measure *measure = NULL;
    struct size_fabric fabric;
    enum cmd_status status = plan_request_solve(name, options, &fabric);

    if (status == CMD_DONE && !size_failures_find(&fabric, job, failures))
        status = cmd_complain(CMD_MISUSED, name, "%s", failures->reason);
    if (status == CMD_DONE && options->measures)
        measure = plan_measuring(name, options, &fabric, job, &status);
    if (status == CMD_DONE && options->as_json)
        print_json(&fabric, failures, job, measure);
    else if (status == CMD_DONE)
        print_all(options, &fabric, failures, job, prices);
    if (measure && !options->as_json)
        plan_measuring_print(measure, &fabric, failures);
    if (measure && !options->as_json && options->explains)
        plan_measuring_explain();
    if (measure)
        plan_measuring_end(measure);
    free(failures);
    return status;
}

static enum cmd_status plan_failures(int argument_count, char **arguments)
{
    struct plan_options options;
    enum cmd_status status;
    struct prices prices;
    struct yaml yaml;
    struct job *job;

    if (!plan_request_read(&table, &options, argument_count, arguments, &status))
        return status;
    job = grow_take(1, sizeof(*job));
    yaml_init(&yaml);
    status = plan_request_job(name, &options, job);
    if (status == CMD_DONE && !price_file_read(&yaml, options.prices, &prices))
        status = cmd_complain(CMD_MISUSED, name, "%s", yaml.problem);
    else if (status == CMD_DONE)
        status = show_failures(&options, job, &prices);
    yaml_fini(&yaml);
    free(job);
    return status;
}

const struct cmd plan_failures_command = {
    .name = "failures",
    .summary = "list what fails, how often, and what it costs; simulate it",
    .run = plan_failures,
    .options = &table,
};

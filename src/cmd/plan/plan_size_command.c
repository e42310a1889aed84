/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan size: what a fabric for a number of GPUs consists of, costs and carries. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/plan/plan_fabric_text.h"
#include "cmd/plan/plan_page.h"
#include "cmd/plan/plan_request.h"
#include "cmd/plan/plan_rows.h"
#include "cmd/plan/plan_side_by_side.h"
#include "cmd/plan/plan_verbs.h"

static const char name[] = "plan size";

static enum cmd_status take_goal(void *to, char *text)
{
    int found = word_find(size_goal_words, text);

    ((struct plan_options *)to)->goal = found;
    return found >= 0
               ? CMD_DONE
               : cmd_complain(CMD_MISUSED, name,
                     "--goal: there is no '%s'; write cheapest, fastest or most-resilient", text);
}

static enum cmd_status take_rack_power(void *to, char *text)
{
    uint64_t kilowatts = 0;
    enum cmd_status status = options_number(
        name, "--rack-kw", text, (struct option_range){ .least = 1, .most = 10000 }, &kilowatts);

    ((struct plan_options *)to)->site.rack_watts = (double)kilowatts * 1e3;
    return status;
}

#define AT(member) OPTION_AT(struct plan_options, member)

/* clang-format off */
static const struct option_row rows[] = {
    PLAN_REQUEST_ROWS,
    { OPTION_FLAG, 'c', "csv", NULL, "print the bill of materials as CSV", AT(as_csv) },
    { OPTION_FLAG, 'y', "yaml", NULL, "print the fabric as a fabric file", AT(as_yaml) },
    { OPTION_FLAG, 0, "compare", NULL, "print other fabrics beside it, for the same GPUs and the same cost", AT(compares) },
    { OPTION_TEXT, 0, "report", "FILE", "write an HTML page to FILE: drawing, bill, figures, failures, comparison", AT(report) },
    { OPTION_CALL, 0, "goal", "GOAL", "search the cheapest, fastest or most-resilient fabric;\n"
      "planes, tiers and switch are free unless they are given", .read = take_goal, .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, 0, "prices", "FILE", "prices and power of the parts", AT(prices) },
    { OPTION_FLAG, 0, "default-prices", NULL, "print the built-in prices with their sources, to change them", AT(wants_default_prices) },
    { OPTION_TEXT, 0, "job", "FILE", "what failures cost, for --compare, --goal and --report: mrc-job(1)", AT(job) },
    PLAN_MEASURE_ROWS,
    { OPTION_NUMBER, 0, "grow", "N", "GPUs that are added later [10000]", AT(more_gpus), .least = 1, .most = 10000000 },
    { OPTION_FLAG, 0, "copper", NULL, "copper cables between NICs and leaves", AT(site.has_copper) },
    { OPTION_NUMBER, 0, "gpus-per-rack", "N", "GPUs of a rack [72]", AT(site.gpus_per_rack), .least = 1, .most = 10000 },
    { OPTION_NUMBER, 0, "switches-per-rack", "N", "switches for which a rack has room [16]", AT(site.switches_per_rack), .least = 1, .most = 1000 },
    { OPTION_CALL, 0, "rack-kw", "KW", "power of a rack of switches [40]", .read = take_rack_power, .values = OPTION_VALUES_NONE },
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc plan [size] [OPTIONS]\n"
             "\n"
             "Sizes a fabric: switches, links, modules, cables and racks of each tier, paths, "
             "latency, cost,\n"
             "power, growth and spares. The fabric follows from the options, or is that of a file.",
    .closing = "Exit status: 0; 2 for a wrong command line, or a fabric that cannot be built.\n"
               "\n"
               "  mrc plan --gpus 131072 --nic 800G --planes 8 --switch 51.2T --explain\n"
               "  mrc plan --gpus 16384 --compare\n"
               "  mrc plan --gpus 16384 --report plan.html\n"
               "  mrc plan --default-prices >prices.yaml; mrc plan --prices prices.yaml --csv",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- one fabric ------------------------------------------------------------------------------ */

/* Names contain commas, so they are quoted. */
static void print_csv(const struct size_bill *bill)
{
    puts("part,count,usd_each_least,usd_each_most,usd_least,usd_most,watts_least,watts_most");
    for (uint32_t i = 0; i < bill->count; i++) {
        const struct size_part *part = &bill->parts[i];
        double count = (double)part->count;

        printf("\"%s\",%llu,%.2f,%.2f,%.0f,%.0f,%.0f,%.0f\n", part->name,
            (unsigned long long)part->count, part->usd.least, part->usd.most,
            count * part->usd.least, count * part->usd.most, count * part->watts.least,
            count * part->watts.most);
    }
    printf("\"total\",,,,%.0f,%.0f,%.0f,%.0f\n", bill->usd.least, bill->usd.most, bill->watts.least,
        bill->watts.most);
}

static enum cmd_status show_fabric(const struct plan_options *options, const struct prices *prices)
{
    struct size_report *report = grow_take(1, sizeof(*report));
    struct size_fabric fabric;
    struct size_bill bill;
    enum cmd_status status = plan_request_solve(name, options, &fabric);

    if (status == CMD_DONE) {
        size_bill_make(&fabric, &options->site, prices, &bill);
        size_report_fabric(report, &fabric, &options->site, &bill, options->more_gpus);
        if (options->as_yaml)
            status = plan_fabric_text(name, &fabric, &options->site);
        else if (options->as_csv)
            print_csv(&bill);
        else if (options->as_json)
            plan_rows_dump(json_pack(
                "{s:o,s:o}", "rows", size_json_rows(report), "parts", size_json_parts(&bill)));
        else
            plan_rows_print(report, options->explains);
    }
    free(report);
    return status;
}

/* ---- several --------------------------------------------------------------------------------- */

static bool wants_several(const struct plan_options *options)
{
    return options->compares || options->goal >= 0;
}

/* A page has several fabrics, too. */
static enum cmd_status show_several(
    const struct plan_options *options, const struct prices *prices, char *const *line)
{
    struct job *job = grow_take(1, sizeof(*job));
    enum cmd_status status = plan_request_job(name, options, job);
    struct size_judge judge = { &options->site, prices, job };

    if (status == CMD_DONE && wants_several(options) && options->fabric)
        status = cmd_complain(CMD_MISUSED, name,
            "--compare and --goal size fabrics; give --gpus and --nic instead of -f");
    if (status == CMD_DONE && options->report)
        status = plan_page(name, options, &judge, line);
    if (status == CMD_DONE && wants_several(options))
        status = plan_side_by_side(name, options, &judge);
    free(job);
    return status;
}

/* With a page nothing else is printed unless a form is named. */
static bool prints(const struct plan_options *options)
{
    return options->as_json || options->as_csv || options->as_yaml;
}

static enum cmd_status plan_size(int argument_count, char **arguments)
{
    struct plan_options options;
    enum cmd_status status;
    struct prices prices;
    struct yaml yaml;

    if (!plan_request_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (options.wants_default_prices) {
        fputs(price_file_default, stdout);
        return CMD_DONE;
    }
    yaml_init(&yaml);
    if (!price_file_read(&yaml, options.prices, &prices))
        status = cmd_complain(CMD_MISUSED, name, "%s", yaml.problem);
    else if (options.measures && !options.report)
        status = cmd_complain(CMD_MISUSED, name,
            "--measure: give --report FILE, or use 'mrc plan failures --measure'");
    else if (wants_several(&options) || options.report)
        status = show_several(&options, &prices, arguments + 1);
    if (status == CMD_DONE && !wants_several(&options) && (!options.report || prints(&options)))
        status = show_fabric(&options, &prices);
    yaml_fini(&yaml);
    return status;
}

const struct cmd plan_size_command = {
    .name = "size",
    .summary = "size a fabric: parts, cost, paths, growth; compare others; write a page",
    .run = plan_size,
    .options = &table,
};

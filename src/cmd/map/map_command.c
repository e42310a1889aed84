/* SPDX-License-Identifier: Apache-2.0 */
/* mrc map: finds bad links and switches by probes. */
#include <getopt.h>
#include <stdio.h>

#include <jansson.h>

#include "cmd/map/map_options.h"
#include "cmd/options.h"
#include "result/result.h"

enum {
    PERIODS = 1000,
    PERIOD_MS = 10,
    ROUND = 10,
};

static const char name[] = "map";

static enum cmd_status take_seed(void *options, char *text)
{
    struct map_options *its = options;

    its->has_seed = true;
    return options_number(name, "--seed", text, (struct option_range){ 0 }, &its->seed);
}

#define AT(member) OPTION_AT(struct map_options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_NUMBER, 0, "periods", "N", "end after N periods [1000]", AT(period_count), .least = 1, .most = 1000000000 },
    { OPTION_NUMBER, 0, "round", "N", "judge after every N periods [10]", AT(round_periods), .least = 1, .most = 4096 },
    { OPTION_FLAG, 'j', "json", NULL, "print the result as JSON", AT(is_json) },
    { OPTION_HEADING, .help = "Running fabrics:" },
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)", AT(fabric), .values = OPTION_VALUES_FABRICS },
    { OPTION_NUMBER, 0, "period", "MS", "milliseconds of a period [10]", AT(period_ms), .least = 1, .most = 60000 },
    { OPTION_HEADING, .help = "Simulated fabrics:" },
    { OPTION_FLAG, 0, "sim", NULL, "the file is an experiment: probe its fabric, with its faults and without its traffic", AT(is_simulated) },
    { OPTION_CALL, 0, "seed", "N", "the seed of the losses [that of the experiment]", .read = take_seed, .values = OPTION_VALUES_NONE },
};
/* clang-format on */

static const struct option_table table = {
    .command = "map",
    .intro = "usage: mrc map [OPTIONS] FABRIC.yaml\n"
             "       mrc map --sim [OPTIONS] EXPERIMENT.yaml\n"
             "\n"
             "Sends probes over every link of a fabric in every period, bounced off its switches, "
             "and names\n"
             "the links, switches and NICs that lose them. A process that has a device open sends "
             "its probes;\n"
             "devices that no process has open are opened.",
    .closing = "Exit status: 0, whether or not anything is named; 1 if no probe can be sent; 2 for "
               "a wrong\n"
               "command line or file.\n"
               "\n"
               "  mrc fabric run lab.yaml & mrc map lab.yaml\n"
               "  mrc map --sim --periods 2000 experiments/map/incast.yaml",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

void map_print_result(const struct map *map, double period_us, const struct map_options *options)
{
    json_t *result = result_map(map, period_us);

    if (options->is_json) {
        json_dumpf(result, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
    } else {
        result_map_print(stdout, result);
    }
    json_decref(result);
}

static enum cmd_status run_map(int argument_count, char **arguments)
{
    struct map_options options = {
        .fabric = "fabric", .period_count = PERIODS, .period_ms = PERIOD_MS, .round_periods = ROUND
    };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind >= argument_count)
        return cmd_complain(CMD_MISUSED, name, "name a file; --help shows how");
    if (optind + 1 < argument_count)
        return cmd_complain(
            CMD_MISUSED, name, "name one file; unexpected argument '%s'", arguments[optind + 1]);
    return options.is_simulated ? map_simulated(&options, arguments[optind])
                                : map_live(&options, arguments[optind]);
}

const struct cmd map_command = {
    .name = "map",
    .summary = "find bad links and switches by probes",
    .run = run_map,
    .options = &table,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of mrc sim. */
#include "cmd/sim_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"

static const char name[] = "sim";

enum {
    OPTION_SEED = 256, /* beyond the letters */
    OPTION_SET,
    OPTION_REPEAT,
    OPTION_JOBS,
    OPTION_WIRE,
    OPTION_HEAP,
    OPTION_CHECK,
    OPTION_PCAP,
    OPTION_TRACE,
    OPTION_LIVE,
    OPTION_PARAMETERS,
};

static const struct option long_options[] = {
    { "seed", required_argument, NULL, OPTION_SEED },
    { "set", required_argument, NULL, OPTION_SET },
    { "repeat", required_argument, NULL, OPTION_REPEAT },
    { "jobs", required_argument, NULL, OPTION_JOBS },
    { "wire", no_argument, NULL, OPTION_WIRE },
    { "heap", no_argument, NULL, OPTION_HEAP },
    { "check", no_argument, NULL, OPTION_CHECK },
    { "pcap", required_argument, NULL, OPTION_PCAP },
    { "trace", required_argument, NULL, OPTION_TRACE },
    { "live", no_argument, NULL, OPTION_LIVE },
    { "parameters", no_argument, NULL, OPTION_PARAMETERS },
    { "output", required_argument, NULL, 'o' },
    { "json", no_argument, NULL, 'j' },
    { "quiet", no_argument, NULL, 'q' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

#define LONG_OPTION_COUNT (sizeof(long_options) / sizeof(long_options[0]) - 1)

void sim_options_print_help(void)
{
    fputs("usage: mrc sim [OPTIONS] EXPERIMENT.yaml\n"
          "\n"
          "Runs the experiment: a whole cluster in virtual time, the real transport on every NIC, "
          "the real\n"
          "switch at every crossing. Prints a table, and whether the criteria of the file hold.\n"
          "\n"
          "  -o, --output FILE      write the result to FILE, as JSON (- is standard output)\n"
          "  -j, --json             print the result as JSON instead of the table\n"
          "  -q, --quiet            print nothing but errors; no progress either\n"
          "      --live             show the run while it goes on\n"
          "      --set KEY=VALUE    change a key of the file; may be given often\n"
          "      --seed N           the seed, instead of the file's\n"
          "      --repeat N         N runs with seeds one after the other\n"
          "      --jobs N           so many runs at a time [1]\n"
          "      --pcap FILE        write every frame on every link to FILE, as pcapng\n"
          "      --trace FILE       write what the transports trace to FILE, as JSON lines\n"
          "      --wire             turn every packet into bytes and back on every hop\n"
          "      --heap             the plain engine: slow, and the same result\n"
          "      --check            check all invariants while running: slow\n"
          "      --parameters       list the parameters of the transport that a file may set\n"
          "  -h, --help             this text\n"
          "\n"
          "Exit status: 0; 1 if a criterion fails, an invariant breaks or the run is interrupted "
          "(Ctrl-C\n"
          "writes what there is); 2 for a wrong command line or experiment.\n"
          "\n"
          "  mrc sim experiments/all-reduce.yaml\n"
          "  mrc sim --set fabric.planes=8 --set parameters.mpr=4 -o result.json "
          "experiments/permutation.yaml\n"
          "  mrc sim -j experiments/incast.yaml | jq '.runs[0].summary.victim_fraction'\n",
        stdout);
}

static enum cmd_status read_number(
    const char *option, uint64_t least, uint64_t most, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(optarg, &end, 10);
    if (optarg[0] >= '0' && optarg[0] <= '9' && !*end && !errno && *number >= least &&
        *number <= most)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "%s wants a number from %llu to %llu, not '%s'", option,
        (unsigned long long)least, (unsigned long long)most, optarg);
}

static enum cmd_status read_number_option(struct sim_options *options, int option)
{
    enum cmd_status status;
    uint64_t number = 0;

    switch (option) {
    case OPTION_SEED:
        options->has_seed = true;
        return read_number("--seed", 0, UINT64_MAX / 2, &options->seed);
    case OPTION_REPEAT:
        status = read_number("--repeat", 1, 10000, &number);
        options->repeat = (uint32_t)number;
        return status;
    default:
        status = read_number("--jobs", 1, 1024, &number);
        options->jobs = (uint32_t)number;
        return status;
    }
}

static enum cmd_status add_set(struct sim_options *options)
{
    if (options->set_count == SIM_SETS_MAX)
        return cmd_complain(CMD_MISUSED, name, "more than %d --set; write a file", SIM_SETS_MAX);
    options->sets[options->set_count++] = optarg;
    return CMD_DONE;
}

static enum cmd_status read_option(struct sim_options *options, int option, char **arguments)
{
    switch (option) {
    case OPTION_SET:
        return add_set(options);
    case OPTION_WIRE:
        options->wire = true;
        return CMD_DONE;
    case OPTION_HEAP:
        options->heap = true;
        return CMD_DONE;
    case OPTION_CHECK:
        options->checks = true;
        return CMD_DONE;
    case OPTION_PCAP:
        options->pcap_path = optarg;
        return CMD_DONE;
    case OPTION_TRACE:
        options->trace_path = optarg;
        return CMD_DONE;
    case OPTION_LIVE:
        options->is_live = true;
        return CMD_DONE;
    case OPTION_PARAMETERS:
        options->wants_parameters = true;
        return CMD_DONE;
    case 'o':
        options->output_path = optarg;
        return CMD_DONE;
    case 'j':
        options->is_json = true;
        return CMD_DONE;
    case 'q':
        options->is_quiet = true;
        return CMD_DONE;
    case 'h':
        options->wants_help = true;
        return CMD_DONE;
    case ':':
    case '?':
        return cmd_complain_option(name, option, arguments, long_options);
    default:
        return read_number_option(options, option);
    }
}

static enum cmd_status take_file(struct sim_options *options, int argument_count, char **arguments)
{
    if (optind == argument_count)
        return cmd_complain(CMD_MISUSED, name, "which EXPERIMENT.yaml? See 'mrc sim --help'");
    if (optind + 1 < argument_count)
        return cmd_complain(
            CMD_MISUSED, name, "one experiment at a time: '%s' is too many", arguments[optind + 1]);
    options->file = arguments[optind];
    if (options->output_path && strcmp(options->output_path, "-") == 0) {
        options->is_json = true;
        options->output_path = NULL;
    }
    return CMD_DONE;
}

enum cmd_status sim_options_read(struct sim_options *options, int argument_count, char **arguments)
{
    int option;

    *options = (struct sim_options){ .jobs = 1 };
    opterr = 0;
    while ((option = getopt_long(argument_count, arguments, ":o:jqh", long_options, NULL)) != -1)
        if (read_option(options, option, arguments) != CMD_DONE)
            return CMD_MISUSED;
    if (options->wants_help || options->wants_parameters)
        return CMD_DONE;
    return take_file(options, argument_count, arguments);
}

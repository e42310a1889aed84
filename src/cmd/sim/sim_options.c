/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc sim. */
#include "cmd/sim/sim_options.h"

#include <getopt.h>
#include <string.h>

#include "files/files.h"
#include "sim/sim.h"

#define CHECKPOINT_S 600

static const char name[] = "sim";

static enum cmd_status take_seed(void *options, char *value)
{
    struct sim_options *sim = options;

    sim->has_seed = true;
    return options_number(
        name, "--seed", value, (struct option_range){ 0, UINT64_MAX / 2 }, &sim->seed);
}

static enum cmd_status take_interval(void *options, char *value)
{
    struct sim_options *sim = options;

    sim->has_checkpoint_interval = true;
    if (quantity_parse(QUANTITY_TIME, value, &sim->checkpoint_every_ps) == QUANTITY_OK &&
        sim->checkpoint_every_ps > 0)
        return CMD_DONE;
    return cmd_complain(
        CMD_MISUSED, name, "--checkpoint-every: '%s' is not a time, such as 600s", value);
}

#define AT(member) OPTION_AT(struct sim_options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_TEXT, 'o', "output", "FILE", "write the result to FILE, as JSON (- is standard output)", AT(output_path) },
    { OPTION_FLAG, 'j', "json", NULL, "print the result as JSON instead of the table", AT(is_json) },
    { OPTION_TEXT, 0, "csv", "FILE", "write the figures of all runs to FILE, a line per run and workload", AT(csv_path) },
    { OPTION_FLAG, 'v', "verbose", NULL, "print each of several runs, not only mean and spread", AT(is_verbose) },
    { OPTION_FLAG, 'q', "quiet", NULL, "print only errors, and no progress", AT(is_quiet) },
    { OPTION_FLAG, 0, "live", NULL, "show the state of the run while it runs", AT(is_live) },
    { OPTION_CALL, 0, "seed", "N", "the seed, instead of that of the file", .read = take_seed, .values = OPTION_VALUES_NONE },
    { OPTION_LIST, 0, "set", "KEY=VALUE", "change a key of the file; may be repeated", AT(sets), .values = OPTION_VALUES_PARAMETERS },
    { OPTION_LIST, 0, "sweep", "KEY=V,V,...", "runs with each of these values; several options are combined",
        AT(sweeps), .values = OPTION_VALUES_PARAMETERS },
    { OPTION_TEXT, 0, "protocol", "NAME", "the protocol of NICs and switches, instead of that of the file: mrc, roce, uet, infiniband",
        AT(protocol), .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 0, "repeat", "N", "N runs with consecutive seeds", AT(repeat), .least = 1, .most = 10000 },
    { OPTION_NUMBER, 0, "jobs", "N", "N runs at a time [1]", AT(jobs), .least = 1, .most = 1024 },
    { OPTION_NUMBER, 0, "threads", "N", "N threads for each run [as many as processors, where the cluster fills them]",
        AT(threads), .least = 1, .most = SIM_SHARDS_MAX },
    { OPTION_TEXT, 0, "pcap", "FILE", "write every frame on every link to FILE, as pcapng", AT(pcap_path) },
    { OPTION_TEXT, 0, "trace", "FILE", "write the trace of the transports to FILE, as JSON lines", AT(trace_path) },
    { OPTION_LIST, 0, "only", "KEY=VALUE", "write only such frames and events: nic, qp, at, from, until; may be repeated",
        AT(conditions), .values = OPTION_VALUES_NONE },
    { OPTION_NUMBER, 0, "snap", "BYTES", "write at most BYTES of a frame", AT(snap_bytes), .least = 1, .most = 65535 },
    { OPTION_TEXT, 0, "checkpoint", "FILE", "write the state of the run to FILE from time to time, and when interrupted",
        AT(checkpoint_path) },
    { OPTION_CALL, 0, "checkpoint-every", "TIME", "real time between two checkpoints [600s]",
        .read = take_interval, .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, 0, "resume", "FILE", "continue the run of this checkpoint, which need not be named again",
        AT(resume_path) },
    { OPTION_FLAG, 0, "wire", NULL, "convert every packet to bytes and back on every hop", AT(wire) },
    { OPTION_FLAG, 0, "heap", NULL, "use the plain engine: slow, same result", AT(heap) },
    { OPTION_FLAG, 0, "check", NULL, "check all invariants during the run: slow", AT(checks) },
    { OPTION_FLAG, 0, "parameters", NULL, "list the parameters of the transport that a file may set", AT(wants_parameters) },
    { OPTION_FLAG, 0, "hardware", NULL, "list the presets of NICs and switches, with their sources", AT(wants_hardware) },
};
/* clang-format on */

const struct option_table sim_option_table = {
    .command = "sim",
    .intro =
        "usage: mrc sim [OPTIONS] EXPERIMENT.yaml\n"
        "       mrc sim [OPTIONS] --resume FILE\n"
        "\n"
        "Runs the experiment: a whole cluster in virtual time, with the transport of libmrc\n"
        "on every NIC and the switches of 'mrc fabric'. Prints a table, and whether the criteria "
        "of the\n"
        "file hold.",
    .closing = "Exit status: 0; 1 if a criterion or an invariant fails or the run is interrupted "
               "(Ctrl-C\n"
               "writes the results so far); 2 for a wrong command line or experiment.\n"
               "\n"
               "  mrc sim experiments/all-reduce.yaml\n"
               "  mrc sim --set fabric.planes=8 --set parameters.mpr=4 -o result.json "
               "experiments/permutation.yaml\n"
               "  mrc sim -j experiments/incast.yaml | jq '.runs[0].summary.victim_fraction'",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static enum cmd_status take_file(struct sim_options *options, int argument_count, char **arguments)
{
    if (options->output_path && strcmp(options->output_path, "-") == 0) {
        options->is_json = true;
        options->output_path = NULL;
    }
    if (optind == argument_count && options->resume_path)
        return CMD_DONE;
    if (optind == argument_count)
        return cmd_complain(CMD_MISUSED, name, "name an EXPERIMENT.yaml; see 'mrc sim --help'");
    if (optind + 1 < argument_count)
        return cmd_complain(CMD_MISUSED, name, "name one experiment; unexpected argument '%s'",
            arguments[optind + 1]);
    options->file = arguments[optind];
    return CMD_DONE;
}

bool sim_options_read(
    struct sim_options *options, int argument_count, char **arguments, enum cmd_status *status)
{
    *options =
        (struct sim_options){ .jobs = 1, .checkpoint_every_ps = CHECKPOINT_S * SIM_PS_PER_S };
    if (!options_read(&sim_option_table, options, argument_count, arguments, status))
        return false;
    if (!options->wants_parameters && !options->wants_hardware)
        *status = take_file(options, argument_count, arguments);
    return *status == CMD_DONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mrc perf. Tests between two ranks have the option letters of perftest, collectives
 * those of nccl-tests. */
#include "cmd/perf/perf_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"

static const char name[] = "perf";

#define SIZE_MAX_BYTES (UINT64_C(1) << 30)

enum { /* letter modes */
    PAIR = 1 << 0,
    GROUP = 1 << 1,
};

/* ---- values ---------------------------------------------------------------------------------- */

static enum cmd_status read_seconds(const char *option, const char *value, uint64_t *ms)
{
    char *end;
    double seconds = strtod(value, &end);

    *ms = seconds > 0 && seconds <= 1e6 ? (uint64_t)(seconds * 1000) : 0;
    if (*value >= '0' && *value <= '9' && !*end && *ms > 0)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "%s takes seconds, not '%s'", option, value);
}

static enum cmd_status read_duration(void *options, char *value)
{
    struct perf_wish *wish = options;

    return read_seconds("--duration", value, &wish->settings.duration_ms);
}

static enum cmd_status read_interval(void *options, char *value)
{
    struct perf_wish *wish = options;

    return read_seconds("--interval", value, &wish->interval_ms);
}

static enum cmd_status read_devices(void *options, char *value)
{
    struct perf_wish *wish = options;
    uint32_t count = 0;

    for (char *device = strtok(value, ","); device; device = strtok(NULL, ",")) {
        if (count == PERF_RANKS_MAX)
            return cmd_complain(
                CMD_MISUSED, name, "--devices takes at most %d names", PERF_RANKS_MAX);
        wish->devices[count++] = device;
    }
    wish->local_count = count;
    return CMD_DONE;
}

static enum cmd_status read_type(void *options, char *value)
{
    struct perf_wish *wish = options;

    wish->settings.type = strcmp(value, "uint32") == 0 ? PERF_UINT32 : PERF_FLOAT;
    if (wish->settings.type == PERF_UINT32 || strcmp(value, "float") == 0)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--datatype takes float or uint32, not '%s'", value);
}

static enum cmd_status read_counters(void *options, char *value)
{
    struct perf_settings *settings = &((struct perf_wish *)options)->settings;
    size_t length = strlen(value);
    uint32_t count = 1;

    for (const char *at = value; *at; at++)
        count += *at == ',';
    if (length == 0 || length >= sizeof(settings->counters) || count > PERF_COUNTERS_MAX)
        return cmd_complain(CMD_MISUSED, name,
            "--counters takes 1 to %d names, %d characters in all", PERF_COUNTERS_MAX,
            PERF_COUNTERS_BYTES - 1);
    memcpy(settings->counters, value, length + 1);
    return CMD_DONE;
}

/* Reads the single size of -s. */
static enum cmd_status read_size(void *options, char *value)
{
    struct perf_settings *settings = &((struct perf_wish *)options)->settings;
    struct option_range range = { 1, SIZE_MAX_BYTES };
    enum cmd_status status = options_size(name, "--size", value, range, &settings->size_min_bytes);

    settings->size_max_bytes = settings->size_min_bytes;
    settings->size_factor = 1;
    return status;
}

/* Sets the sizes of perftest: 2^1 to 2^23. */
static enum cmd_status choose_all_sizes(void *options, char *value)
{
    struct perf_settings *settings = &((struct perf_wish *)options)->settings;

    (void)value;
    settings->size_min_bytes = 2;
    settings->size_max_bytes = UINT64_C(1) << 23;
    settings->size_factor = 2;
    return CMD_DONE;
}

static enum cmd_status choose_json_file(void *options, char *value)
{
    struct perf_wish *wish = options;

    (void)value;
    if (!wish->json_path)
        wish->json_path = "perftest_out.json";
    return CMD_DONE;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define AT(member) OPTION_AT(struct perf_wish, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_HEADING, .help = "tests between two ranks:" },
    { OPTION_CALL, 's', "size", "N", "message size in bytes [65536; rate and lat: 8]",
        .read = read_size, .values = OPTION_VALUES_NONE, .letter_modes = PAIR },
    { OPTION_CALL, 'a', "all", NULL, "all powers of two from 2 bytes to 8 MiB", .read = choose_all_sizes, .letter_modes = PAIR },
    { OPTION_FLAG, 'b', "bidirectional", NULL, "send in both directions at once", AT(settings.both_ways), .letter_modes = PAIR },
    { OPTION_SIZE, 'Q', "cq-mod", "N", "request one completion for N writes [1; rate: 16]",
        AT(settings.moderation), .least = 1, .most = 8192, .letter_modes = PAIR },
    { OPTION_FLAG, 0, "random", NULL, "use random sizes from 1 to the size of -s", AT(settings.random_sizes) },
    { OPTION_FLAG, 0, "report_gbits", NULL, "report Gb/sec instead of MiB/sec", AT(reports_gbits) },
    { OPTION_SIZE, 'p', "port", "N", "TCP port of the server [18515]", AT(port), .least = 1, .most = 65535, .letter_modes = PAIR },
    { OPTION_HEADING, .help = "tests with any number of ranks:" },
    { OPTION_SIZE, 'b', "minbytes", "N", "the first size [32M]",
        AT(settings.size_min_bytes), .least = 4, .most = SIZE_MAX_BYTES, .letter_modes = GROUP },
    { OPTION_SIZE, 'e', "maxbytes", "N", "the last size [32M]",
        AT(settings.size_max_bytes), .least = 4, .most = SIZE_MAX_BYTES, .letter_modes = GROUP },
    { OPTION_SIZE, 'f', "stepfactor", "N", "the factor between two sizes [2]",
        AT(settings.size_factor), .least = 1, .most = 1024, .letter_modes = GROUP },
    { OPTION_CALL, 0, "datatype", "T", "float or uint32 [float]", .read = read_type, .values = OPTION_VALUES_NONE },
    { OPTION_HEADING, .help = "all:" },
    { OPTION_SIZE, 0, "local", "N", "start N ranks on this machine", AT(local_count), .least = 2, .most = PERF_RANKS_MAX },
    { OPTION_SIZE, 0, "rank", "R", "the rank of this process", AT(rank), .most = PERF_RANKS_MAX - 1 },
    { OPTION_SIZE, 0, "ranks", "N", "the number of ranks", AT(rank_count), .least = 2, .most = PERF_RANKS_MAX },
    { OPTION_TEXT, 0, "rendezvous", "HOST:PORT", "the address of rank 0, to which all ranks connect", AT(rendezvous), .values = OPTION_VALUES_NONE },
    { OPTION_SIZE, 'n', "iters", "N", "iterations for each size [1000; any number of ranks: 20]",
        AT(settings.iterations), .least = 1, .most = UINT32_MAX },
    { OPTION_SIZE, 'w', "warmup_iters", "N", "iterations before the measurement that are not counted [5]", AT(settings.warmup), .most = 1000000 },
    { OPTION_CALL, 'D', "duration", "S", "run for S seconds for each size, instead of -n", .read = read_duration, .values = OPTION_VALUES_NONE },
    { OPTION_SIZE, 'q', "qp", "N", "the number of QPs between two ranks [1]", AT(settings.qp_count), .least = 1, .most = PERF_QPS_MAX },
    { OPTION_SIZE, 't', "tx-depth", "N", "requests in flight on each QP [128]", AT(settings.depth), .least = 1, .most = 8192 },
    { OPTION_SIZE, 'm', "mtu", "N", "the path MTU [that of the port]", AT(settings.mtu_bytes), .least = 256, .most = 4096 },
    { OPTION_FLAG, 'c', "check", NULL, "check every byte and the memory around it", AT(settings.checks) },
    { OPTION_FLAG, 0, "events", NULL, "sleep on a completion channel instead of polling", AT(settings.uses_events) },
    { OPTION_SIZE, 0, "seed", "N", "the seed for contents and random sizes [1]", AT(settings.seed) },
    { OPTION_TEXT, 'd', "device", "NAME", "the device of this rank [the first one]", AT(device), .values = OPTION_VALUES_DEVICES },
    { OPTION_TEXT, 0, "ib-dev", "NAME", NULL, AT(device), .values = OPTION_VALUES_DEVICES },
    { OPTION_CALL, 0, "devices", "A,B,...", "the devices of the ranks; implies --local [mrc0,mrc1,...]",
        .read = read_devices, .values = OPTION_VALUES_DEVICES },
    { OPTION_SIZE, 'x', "gid-index", "N", "[3]", AT(gid_index), .most = 255 },
    { OPTION_SIZE, 'g', NULL, "N", NULL, AT(gid_index), .most = 255 },
    { OPTION_CALL, 0, "interval", "S", "also print a line every S seconds", .read = read_interval, .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "counters", "A,B,...", "report these counters of all NICs ('mrc stat' lists names)",
        .read = read_counters, .values = OPTION_VALUES_NONE },
    { OPTION_FLAG, 'j', "json", NULL, "print JSON instead of a table", AT(is_json) },
    { OPTION_TEXT, 0, "out_json_file", "F", "also write JSON to the file F", AT(json_path) },
    { OPTION_CALL, 0, "out_json", NULL, "also write JSON to perftest_out.json", .read = choose_json_file },
    { OPTION_FLAG, 0, "last_word", NULL, "when another rank ends, wait until a write to it fails", AT(waits_for_last_word) },
    { OPTION_FLAG, 0, "quiet", NULL, "print only errors", AT(is_quiet) },
};
/* clang-format on */

static void print_tests(FILE *to)
{
    fputs("tests between two ranks, in the manner of perftest:\n", to);
    for (uint32_t i = 0; i < PERF_TEST_COUNT; i++) {
        if (i > 0 && perf_tests[i - 1].is_pair && !perf_tests[i].is_pair)
            fputs("tests with any number of ranks, in the manner of nccl-tests:\n", to);
        fprintf(to, "  %-13s  %s\n", perf_tests[i].name, perf_tests[i].summary);
    }
    fputc('\n', to);
}

/* For tests between two ranks -b is --bidirectional, for collectives --minbytes. */
const struct option_table perf_option_table = {
    .command = "perf",
    .intro = "usage: mrc perf TEST [OPTIONS]                     server of two ranks\n"
             "       mrc perf TEST [OPTIONS] HOST                client\n"
             "       mrc perf TEST [OPTIONS] --local N           N ranks on this machine\n"
             "       mrc perf TEST [OPTIONS] --rank R --ranks N --rendezvous HOST:PORT\n"
             "\n"
             "Measures and checks writes and collectives between processes.",
    .list = print_tests,
    .closing = "Sizes may end in K, M or G. All ranks use the settings of rank 0, the client.\n"
               "Exit status: 0; 1 if a QP failed, data was wrong or the test was interrupted "
               "(Ctrl-C prints\n"
               "the results so far); 2 for a wrong command line.\n"
               "\n"
               "  mrc fabric run fabric.yaml &\n"
               "  mrc perf write --local 2 -a -c\n"
               "  mrc perf allreduce --local 4 -b 1K -e 64M -f 4 -c",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .letter_modes = PAIR,
};

/* ---- reading --------------------------------------------------------------------------------- */

static enum cmd_status find_test(const char *typed, const struct perf_test **test)
{
    const char *names[PERF_TEST_COUNT];
    const char *meant;

    *test = perf_test_find(typed);
    if (*test)
        return CMD_DONE;
    for (uint32_t i = 0; i < PERF_TEST_COUNT; i++)
        names[i] = perf_tests[i].name;
    meant = nearest_word(typed, names, PERF_TEST_COUNT);
    return cmd_complain(CMD_MISUSED, name, "there is no test '%s'; %s%s%s", typed,
        meant ? "did you mean '" : "'mrc perf --help' lists them", meant ? meant : "",
        meant ? "'?" : "");
}

bool perf_options_read(
    struct perf_wish *wish, int argument_count, char **arguments, enum cmd_status *status)
{
    struct option_table table = perf_option_table;
    const struct perf_test *test;

    *wish = (struct perf_wish){ .port = PERF_PORT, .gid_index = 3 };
    *status = CMD_MISUSED;
    if (argument_count < 2) {
        cmd_complain(CMD_MISUSED, name, "name a test; 'mrc perf --help' lists them");
        return false;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        options_print_help(&table, stdout);
        *status = CMD_DONE;
        return false;
    }
    if (find_test(arguments[1], &test) != CMD_DONE)
        return false;
    perf_options_default(wish, test);
    table.letter_modes = test->manner == PERF_GROUP ? GROUP : PAIR;
    if (!options_read(&table, wish, argument_count - 1, arguments + 1, status))
        return false;
    if (argument_count - 1 - optind > 1)
        *status =
            cmd_complain(CMD_MISUSED, name, "unexpected argument '%s'", arguments[optind + 2]);
    else
        wish->server = arguments[1 + optind];
    if (*status == CMD_DONE)
        *status = perf_options_check(wish, test);
    return *status == CMD_DONE;
}

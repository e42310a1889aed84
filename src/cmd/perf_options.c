/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of mrc perf. Letters mean what they mean in perftest for tests between two
 * ranks, and what they mean in nccl-tests for collectives. */
#include "cmd/perf_options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"

static const char name[] = "perf";

#define SIZE_MAX_BYTES (UINT64_C(1) << 30)

enum {
    OPTION_LOCAL = 256, /* beyond the letters */
    OPTION_DEVICES,
    OPTION_RANK,
    OPTION_RANKS,
    OPTION_RENDEZVOUS,
    OPTION_GBITS,
    OPTION_OUT_JSON,
    OPTION_OUT_JSON_FILE,
    OPTION_INTERVAL,
    OPTION_TYPE,
    OPTION_SEED,
    OPTION_RANDOM,
    OPTION_EVENTS,
    OPTION_MIN,
    OPTION_BOTH,
    OPTION_QUIET,
    OPTION_LAST_WORD,
    OPTION_COUNTERS,
};

/* -b is both ways here and the least size there. */
#define LETTERS_PAIR  ":d:p:s:an:w:D:q:t:Q:m:x:g:cjhb"
#define LETTERS_GROUP ":d:n:w:D:q:t:m:x:g:cjhb:e:f:"

static const struct option long_options[] = {
    { "device", required_argument, NULL, 'd' },
    { "ib-dev", required_argument, NULL, 'd' },
    { "port", required_argument, NULL, 'p' },
    { "size", required_argument, NULL, 's' },
    { "all", no_argument, NULL, 'a' },
    { "minbytes", required_argument, NULL, OPTION_MIN },
    { "maxbytes", required_argument, NULL, 'e' },
    { "stepfactor", required_argument, NULL, 'f' },
    { "iters", required_argument, NULL, 'n' },
    { "warmup_iters", required_argument, NULL, 'w' },
    { "duration", required_argument, NULL, 'D' },
    { "bidirectional", no_argument, NULL, OPTION_BOTH },
    { "qp", required_argument, NULL, 'q' },
    { "tx-depth", required_argument, NULL, 't' },
    { "cq-mod", required_argument, NULL, 'Q' },
    { "mtu", required_argument, NULL, 'm' },
    { "gid-index", required_argument, NULL, 'x' },
    { "check", no_argument, NULL, 'c' },
    { "events", no_argument, NULL, OPTION_EVENTS },
    { "random", no_argument, NULL, OPTION_RANDOM },
    { "seed", required_argument, NULL, OPTION_SEED },
    { "datatype", required_argument, NULL, OPTION_TYPE },
    { "local", required_argument, NULL, OPTION_LOCAL },
    { "devices", required_argument, NULL, OPTION_DEVICES },
    { "rank", required_argument, NULL, OPTION_RANK },
    { "ranks", required_argument, NULL, OPTION_RANKS },
    { "rendezvous", required_argument, NULL, OPTION_RENDEZVOUS },
    { "report_gbits", no_argument, NULL, OPTION_GBITS },
    { "interval", required_argument, NULL, OPTION_INTERVAL },
    { "json", no_argument, NULL, 'j' },
    { "out_json", no_argument, NULL, OPTION_OUT_JSON },
    { "out_json_file", required_argument, NULL, OPTION_OUT_JSON_FILE },
    { "counters", required_argument, NULL, OPTION_COUNTERS },
    { "last_word", no_argument, NULL, OPTION_LAST_WORD },
    { "quiet", no_argument, NULL, OPTION_QUIET },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

#define LONG_OPTION_COUNT (sizeof(long_options) / sizeof(long_options[0]) - 1)

/* ---- options that are numbers ---------------------------------------------------------------- */

struct number_option {
    int option;
    const char *name;
    size_t offset; /* in struct perf_wish */
    size_t bytes;
    uint64_t least;
    uint64_t most;
};

#define AT(member) offsetof(struct perf_wish, member), sizeof(((struct perf_wish *)0)->member)

static const struct number_option numbers[] = {
    { 's', "--size", AT(settings.size_min_bytes), 1, SIZE_MAX_BYTES },
    { OPTION_MIN, "--minbytes", AT(settings.size_min_bytes), 4, SIZE_MAX_BYTES },
    { 'e', "--maxbytes", AT(settings.size_max_bytes), 4, SIZE_MAX_BYTES },
    { 'f', "--stepfactor", AT(settings.size_factor), 1, 1024 },
    { 'n', "--iters", AT(settings.iterations), 1, UINT32_MAX },
    { 'w', "--warmup_iters", AT(settings.warmup), 0, 1000000 },
    { 'q', "--qp", AT(settings.qp_count), 1, PERF_QPS_MAX },
    { 't', "--tx-depth", AT(settings.depth), 1, 8192 },
    { 'Q', "--cq-mod", AT(settings.moderation), 1, 8192 },
    { 'm', "--mtu", AT(settings.mtu_bytes), 256, 4096 },
    { OPTION_SEED, "--seed", AT(settings.seed), 0, UINT64_MAX },
    { 'x', "--gid-index", AT(gid_index), 0, 255 },
    { 'p', "--port", AT(port), 1, 65535 },
    { OPTION_LOCAL, "--local", AT(local_count), 2, PERF_RANKS_MAX },
    { OPTION_RANK, "--rank", AT(rank), 0, PERF_RANKS_MAX - 1 },
    { OPTION_RANKS, "--ranks", AT(rank_count), 2, PERF_RANKS_MAX },
};

/* With K, M, G: times 1024 and so on. */
static bool read_scaled(const char *text, uint64_t *number)
{
    static const char letters[] = "KMG";
    const char *letter;
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9')
        return false;
    letter = *end ? strchr(letters, *end & ~0x20) : NULL;
    if (letter) {
        *number <<= 10 * (letter - letters + 1);
        end++;
    }
    return *end == '\0';
}

static enum cmd_status read_number(struct perf_options *options, const struct number_option *known)
{
    char *to = (char *)&options->wish + known->offset;
    uint64_t number;
    uint32_t narrow;

    if (!read_scaled(optarg, &number) || number < known->least || number > known->most)
        return cmd_complain(CMD_MISUSED, name, "%s wants a number from %llu to %llu, not '%s'",
            known->name, (unsigned long long)known->least, (unsigned long long)known->most, optarg);
    narrow = (uint32_t)number;
    if (known->bytes == sizeof(narrow))
        memcpy(to, &narrow, sizeof(narrow));
    else
        memcpy(to, &number, sizeof(number));
    if (known->option == 's') { /* this one alone */
        options->wish.settings.size_max_bytes = number;
        options->wish.settings.size_factor = 1;
    }
    return CMD_DONE;
}

/* ---- the others ------------------------------------------------------------------------------ */

static enum cmd_status read_seconds(const char *option, uint64_t *ms)
{
    char *end;
    double seconds = strtod(optarg, &end);

    *ms = seconds > 0 && seconds <= 1e6 ? (uint64_t)(seconds * 1000) : 0;
    if (*optarg >= '0' && *optarg <= '9' && !*end && *ms > 0)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "%s wants seconds, not '%s'", option, optarg);
}

static enum cmd_status read_devices(struct perf_options *options)
{
    uint32_t count = 0;

    for (char *device = strtok(optarg, ","); device; device = strtok(NULL, ",")) {
        if (count == PERF_RANKS_MAX)
            return cmd_complain(CMD_MISUSED, name, "--devices: at most %d", PERF_RANKS_MAX);
        options->wish.devices[count++] = device;
    }
    options->wish.local_count = count;
    return CMD_DONE;
}

static enum cmd_status read_type(struct perf_settings *settings)
{
    settings->type = strcmp(optarg, "uint32") == 0 ? PERF_UINT32 : PERF_FLOAT;
    if (settings->type == PERF_UINT32 || strcmp(optarg, "float") == 0)
        return CMD_DONE;
    return cmd_complain(CMD_MISUSED, name, "--datatype %s: float or uint32", optarg);
}

static enum cmd_status read_counters(struct perf_settings *settings)
{
    size_t length = strlen(optarg);
    uint32_t count = 1;

    for (const char *at = optarg; *at; at++)
        count += *at == ',';
    if (length == 0 || length >= sizeof(settings->counters) || count > PERF_COUNTERS_MAX)
        return cmd_complain(CMD_MISUSED, name,
            "--counters wants 1 to %d names, %d characters in all", PERF_COUNTERS_MAX,
            PERF_COUNTERS_BYTES - 1);
    memcpy(settings->counters, optarg, length + 1);
    return CMD_DONE;
}

static void set_flag(struct perf_options *options, int option)
{
    struct perf_settings *settings = &options->wish.settings;

    settings->checks |= option == 'c';
    settings->both_ways |= option == OPTION_BOTH;
    settings->random_sizes |= option == OPTION_RANDOM;
    settings->uses_events |= option == OPTION_EVENTS;
    options->wish.reports_gbits |= option == OPTION_GBITS;
    options->wish.is_json |= option == 'j';
    options->wish.waits_for_last_word |= option == OPTION_LAST_WORD;
    options->wish.is_quiet |= option == OPTION_QUIET;
    options->wants_help |= option == 'h';
    if (option == OPTION_OUT_JSON && !options->wish.json_path)
        options->wish.json_path = "perftest_out.json";
    if (option == 'a') { /* as perftest: 2^1 to 2^23 */
        settings->size_min_bytes = 2;
        settings->size_max_bytes = UINT64_C(1) << 23;
        settings->size_factor = 2;
    }
}

static enum cmd_status complain_option(char **arguments)
{
    const char *names[LONG_OPTION_COUNT];
    const char *typed = arguments[optind - 1];
    const char *meant;

    if (optopt > 0 && optopt < OPTION_LOCAL && strncmp(typed, "--", 2) != 0)
        return cmd_complain(
            CMD_MISUSED, name, "this test has no option -%c; 'mrc perf --help' lists them", optopt);
    if (optopt > 0)
        return cmd_complain(CMD_MISUSED, name, "'%s': this option takes no value", typed);
    for (size_t i = 0; i < LONG_OPTION_COUNT; i++)
        names[i] = long_options[i].name;
    meant = nearest_word(typed + 2, names, LONG_OPTION_COUNT);
    return cmd_complain(CMD_MISUSED, name, "there is no option '%s'; %s%s%s", typed,
        meant ? "did you mean --" : "'mrc perf --help' lists them", meant ? meant : "",
        meant ? "?" : "");
}

static enum cmd_status read_option(struct perf_options *options, int option, char **arguments)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i].option == option)
            return read_number(options, &numbers[i]);
    switch (option) {
    case 'd':
        options->wish.device = optarg;
        return CMD_DONE;
    case 'D':
        return read_seconds("--duration", &options->wish.settings.duration_ms);
    case OPTION_INTERVAL:
        return read_seconds("--interval", &options->wish.interval_ms);
    case OPTION_DEVICES:
        return read_devices(options);
    case OPTION_COUNTERS:
        return read_counters(&options->wish.settings);
    case OPTION_TYPE:
        return read_type(&options->wish.settings);
    case OPTION_RENDEZVOUS:
        options->wish.rendezvous = optarg;
        return CMD_DONE;
    case OPTION_OUT_JSON_FILE:
        options->wish.json_path = optarg;
        return CMD_DONE;
    case ':':
        return cmd_complain(
            CMD_MISUSED, name, "'%s' wants a value; see 'mrc perf --help'", arguments[optind - 1]);
    case '?':
        return complain_option(arguments);
    default:
        set_flag(options, option);
        return CMD_DONE;
    }
}

static int meaning_of(const struct perf_test *test, int option)
{
    if (option == 'b')
        return test->manner == PERF_GROUP ? OPTION_MIN : OPTION_BOTH;
    return option == 'g' ? 'x' : option;
}

/* ---- all of them ----------------------------------------------------------------------------- */

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

enum cmd_status perf_options_read(
    struct perf_options *options, int argument_count, char **arguments)
{
    const struct perf_test *test;
    enum cmd_status status;
    int option;

    *options = (struct perf_options){ .wish = { .port = PERF_PORT, .gid_index = 3 } };
    if (argument_count < 2)
        return cmd_complain(CMD_MISUSED, name, "which test? 'mrc perf --help' lists them");
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        options->wants_help = true;
        return CMD_DONE;
    }
    status = find_test(arguments[1], &test);
    if (status != CMD_DONE)
        return status;
    perf_options_default(options, test);
    opterr = 0;
    optind = 0;
    while (
        (option = getopt_long(argument_count - 1, arguments + 1,
             test->manner == PERF_GROUP ? LETTERS_GROUP : LETTERS_PAIR, long_options, NULL)) != -1)
        if (read_option(options, meaning_of(test, option), arguments + 1) != CMD_DONE)
            return CMD_MISUSED;
    if (options->wants_help)
        return CMD_DONE;
    if (argument_count - 1 - optind > 1)
        return cmd_complain(CMD_MISUSED, name, "'%s' is too many", arguments[optind + 2]);
    options->wish.server = arguments[1 + optind];
    return perf_options_check(options, test);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the hunt. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "program.h"

static const char usage[] =
    "usage: hunt [OPTIONS]\n"
    "\n"
    "Draws random fabrics, work and faults, runs them, and compares what the transport achieves "
    "with\n"
    "the max-min capacity. Prints the distribution and the worst cases as experiment files.\n"
    "\n"
    "  --cases N           how many [200]\n"
    "  --seed S            the same seed, the same cases [1]\n"
    "  --first N           number of the first case [0]\n"
    "  --only KIND,...     only workloads of these kinds\n"
    "  --faults N,...      only cases with N faults, 0 to 3\n"
    "  --set KEY=VALUE     a parameter of the transport, in all cases; may be given often\n"
    "  --hops N            packet-hops of a case, at most, about [4000000]\n"
    "  --jobs N            cases that run at the same time [1]\n"
    "  --seconds N         begin no new case after this\n"
    "  --worst K           tell the K worst in every way [3]\n"
    "  --shrink N          make them smaller, with at most N runs each [0]\n"
    "  --write DIR         write them there instead of printing them\n"
    "  --json FILE         every case and the distribution, as JSON lines\n"
    "  --any               tell the worst of all cases, also without an intact plane\n"
    "  --strict            exit status 1 if a case does not come to its end\n"
    "  --require           exit status 1 unless all promises are kept: of the cases with an "
    "intact\n"
    "                      plane, 95 % at 0.95 of capacity and none below 0.85; no flow starved; "
    "no\n"
    "                      path failed without a fault; no QP error; no timeout that is forbidden\n"
    "  --list              write the cases drawn, and run none\n"
    "  --quiet             no progress\n";

enum {
    OPTION_CASES = 256,
    OPTION_SEED,
    OPTION_FIRST,
    OPTION_ONLY,
    OPTION_FAULTS,
    OPTION_SET,
    OPTION_HOPS,
    OPTION_JOBS,
    OPTION_SECONDS,
    OPTION_WORST,
    OPTION_SHRINK,
    OPTION_WRITE,
    OPTION_JSON,
    OPTION_ANY,
    OPTION_STRICT,
    OPTION_REQUIRE,
    OPTION_LIST,
    OPTION_QUIET,
    OPTION_HELP,
};

static const struct option long_options[] = {
    { "cases", required_argument, NULL, OPTION_CASES },
    { "seed", required_argument, NULL, OPTION_SEED },
    { "first", required_argument, NULL, OPTION_FIRST },
    { "only", required_argument, NULL, OPTION_ONLY },
    { "faults", required_argument, NULL, OPTION_FAULTS },
    { "set", required_argument, NULL, OPTION_SET },
    { "hops", required_argument, NULL, OPTION_HOPS },
    { "jobs", required_argument, NULL, OPTION_JOBS },
    { "seconds", required_argument, NULL, OPTION_SECONDS },
    { "worst", required_argument, NULL, OPTION_WORST },
    { "shrink", required_argument, NULL, OPTION_SHRINK },
    { "write", required_argument, NULL, OPTION_WRITE },
    { "json", required_argument, NULL, OPTION_JSON },
    { "any", no_argument, NULL, OPTION_ANY },
    { "strict", no_argument, NULL, OPTION_STRICT },
    { "require", no_argument, NULL, OPTION_REQUIRE },
    { "list", no_argument, NULL, OPTION_LIST },
    { "quiet", no_argument, NULL, OPTION_QUIET },
    { "help", no_argument, NULL, OPTION_HELP },
    { NULL, 0, NULL, 0 },
};

static bool complain(const char *what, const char *value)
{
    fprintf(stderr, "hunt: %s: '%s'\n", what, value);
    return false;
}

static bool read_number(uint64_t most, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(optarg, &end, 10);
    if (*optarg >= '0' && *optarg <= '9' && !*end && !errno && *number <= most)
        return true;
    return complain("no number, or too large", optarg);
}

static bool read_count(uint32_t most, uint32_t *count)
{
    uint64_t number = 0;
    bool is_read = read_number(most, &number);

    *count = (uint32_t)number;
    return is_read;
}

static bool add_kind(uint32_t *kinds, const char *word)
{
    for (uint32_t kind = 0; kind < SIM_WORKLOAD_COUNT; kind++)
        if (strcmp(word, sim_workload_words[kind]) == 0 && sim_workload_weights[kind] > 0) {
            *kinds |= UINT32_C(1) << kind;
            return true;
        }
    return complain("no such kind of workload", word);
}

static bool add_fault_count(uint32_t *faults, const char *word)
{
    if (word[0] < '0' || word[0] > '0' + HUNT_FAULTS_MAX || word[1])
        return complain("no number of faults from 0 to 3", word);
    *faults |= UINT32_C(1) << (word[0] - '0');
    return true;
}

static bool read_list(uint32_t *bits, bool (*add)(uint32_t *, const char *))
{
    for (char *word = strtok(optarg, ","); word; word = strtok(NULL, ","))
        if (!add(bits, word))
            return false;
    return true;
}

static bool add_set(struct program *program)
{
    struct study_parameter *set = &program->sets[program->options.parameter_count];
    const char *equals = strchr(optarg, '=');
    struct parameters parameters;

    if (!equals || program->options.parameter_count == PROGRAM_SETS_MAX ||
        equals - optarg >= STUDY_NAME_BYTES || strlen(equals + 1) >= STUDY_VALUE_BYTES)
        return complain("KEY=VALUE is wanted", optarg);
    memcpy(set->name, optarg, (size_t)(equals - optarg));
    strcpy(set->value, equals + 1);
    parameters_init(&parameters, TIMERS_HARDWARE);
    if (parameters_set(&parameters, set->name, set->value) != PARAMETERS_OK)
        return complain("no such parameter or value", optarg);
    program->options.parameter_count++;
    return true;
}

static bool read_option(struct program *program, int option)
{
    switch (option) {
    case OPTION_CASES:
        return read_count(1000000, &program->case_count);
    case OPTION_SEED:
        return read_number(UINT64_MAX, &program->options.seed);
    case OPTION_FIRST:
        return read_count(1000000000, &program->first_case);
    case OPTION_ONLY:
        return read_list(&program->options.kinds, add_kind);
    case OPTION_FAULTS:
        return read_list(&program->options.faults, add_fault_count);
    case OPTION_SET:
        return add_set(program);
    case OPTION_HOPS:
        return read_number(UINT64_C(1000000000), &program->options.hops_max);
    case OPTION_JOBS:
        return read_count(64, &program->jobs);
    case OPTION_SECONDS:
        return read_count(1000000, &program->seconds);
    case OPTION_WORST:
        return read_count(1000, &program->worst);
    case OPTION_SHRINK:
        return read_count(100000, &program->shrink_runs);
    case OPTION_WRITE:
        program->write_folder = optarg;
        return true;
    case OPTION_JSON:
        program->json_path = optarg;
        return true;
    case OPTION_ANY:
        program->tells_any = true;
        return true;
    case OPTION_STRICT:
        program->is_strict = true;
        return true;
    case OPTION_REQUIRE:
        program->requires
        = true;
        return true;
    case OPTION_LIST:
        program->lists_only = true;
        return true;
    case OPTION_QUIET:
        program->is_quiet = true;
        return true;
    default:
        return false;
    }
}

bool options_read(struct program *program, int argument_count, char **arguments, bool *is_done)
{
    int option;

    *program = (struct program){ .options.seed = 1, .case_count = 200, .jobs = 1, .worst = 3 };
    program->options.parameters = program->sets;
    *is_done = false;
    while ((option = getopt_long(argument_count, arguments, "", long_options, NULL)) != -1) {
        if (option == OPTION_HELP) {
            fputs(usage, stdout);
            *is_done = true;
            return true;
        }
        if (!read_option(program, option))
            return false;
    }
    return optind == argument_count || complain("not an option", arguments[optind]);
}

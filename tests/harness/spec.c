/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the registered tests one after another and reports them as TAP. */
#include "spec.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

enum outcome { PASSED, FAILED, SKIPPED };

static struct options {
    bool list;
    bool one_seed;
    uint64_t seed;     /* of the only run, with --seed */
    uint64_t first;    /* seed of a property's first run */
    uint64_t count;    /* 0: as many runs as the property asks for */
    uint64_t at_most;  /* but not more than this */
    const char *only;  /* substring of the sentences to run */
    const char *exact; /* the sentence to run */
    bool fail_fast;
} options = { .at_most = UINT64_MAX, .first = 1, .only = "" };

bool spec_has_expected;

static struct spec *specs; /* in the order of the source */
static const char *program;
static const char *skip_reason;
static jmp_buf test_end;
static char
    running[1024]; /* what a crash reports: composed beforehand, as a signal handler may not */

void spec_register(struct spec *spec)
{
    struct spec **at = &specs;

    while (*at && (*at)->line < spec->line)
        at = &(*at)->next;
    spec->next = *at;
    *at = spec;
}

void spec_skip(const char *why)
{
    skip_reason = why;
    longjmp(test_end, SKIPPED);
}

void spec_fail(const char *file, int line, const char *expectation)
{
    printf("# %s:%d: expected %s\n", file, line, expectation);
    longjmp(test_end, FAILED);
}

static void print_integer(const char *side, spec_integer value)
{
    if (value < 0)
        printf("#   %s: -%" PRIu64 "\n", side, (uint64_t)-value);
    else
        printf("#   %s: %" PRIu64 " (0x%" PRIx64 ")\n", side, (uint64_t)value, (uint64_t)value);
}

void spec_fail_integers(
    const char *file, int line, const char *expectation, spec_integer left, spec_integer right)
{
    print_integer("left ", left);
    print_integer("right", right);
    spec_fail(file, line, expectation);
}

static void print_bytes(const char *side, const uint8_t *bytes, size_t from, size_t length_bytes)
{
    printf("#   %s:", side);
    for (size_t i = from; i < length_bytes && i < from + 16; i++)
        printf(" %02x", bytes[i]);
    printf("\n");
}

void spec_expect_bytes(const char *file, int line, const char *expectation, const void *left,
    const void *right, size_t length_bytes)
{
    const uint8_t *left_bytes = left;
    const uint8_t *right_bytes = right;
    size_t offset = 0;

    spec_met();
    if (length_bytes == 0 || memcmp(left, right, length_bytes) == 0)
        return;
    while (left_bytes[offset] == right_bytes[offset])
        offset++;
    printf("#   first difference at offset %zu of %zu\n", offset, length_bytes);
    print_bytes("left ", left_bytes, offset, length_bytes);
    print_bytes("right", right_bytes, offset, length_bytes);
    spec_fail(file, line, expectation);
}

void spec_expect_strings(
    const char *file, int line, const char *expectation, const char *left, const char *right)
{
    spec_met();
    if (left && right && strcmp(left, right) == 0)
        return;
    printf("#   left : %s\n#   right: %s\n", left ? left : "(null)", right ? right : "(null)");
    spec_fail(file, line, expectation);
}

/* An assert, a sanitizer, a timeout: say which test and seed it was, then die of it all the same.
 */
static void report_crash(int signal_number)
{
    ssize_t ignored = write(STDOUT_FILENO, running, strlen(running));

    (void)ignored;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch_crashes(void)
{
    static const int signals[] = { SIGABRT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL };

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        void (*before)(int) = signal(signals[i], report_crash);

        if (before != SIG_DFL) /* a sanitizer reports better */
            signal(signals[i], before);
    }
}

static void describe_run(const struct spec *spec, uint64_t seed)
{
    if (spec->run_count == 0)
        snprintf(running, sizeof(running), "# while running: %s \"%s\"\n", program, spec->sentence);
    else
        snprintf(running, sizeof(running), "# replay: %s --seed %" PRIu64 " \"%s\"\n", program,
            seed, spec->sentence);
}

static enum outcome run_once(const struct spec *spec, uint64_t seed)
{
    int outcome;

    describe_run(spec, seed);
    outcome = setjmp(test_end);
    if (outcome == 0)
        spec->body(seed);
    return (enum outcome)outcome;
}

static uint64_t runs_of(const struct spec *spec)
{
    uint64_t count = options.count ? options.count : spec->run_count;

    if (options.one_seed || spec->run_count == 0)
        return 1;
    return count < options.at_most ? count : options.at_most;
}

static enum outcome run(const struct spec *spec)
{
    uint64_t first = options.one_seed ? options.seed : options.first;

    spec_has_expected = false;
    for (uint64_t i = 0; i < runs_of(spec); i++) {
        enum outcome outcome = run_once(spec, first + i);

        if (outcome == FAILED && spec->run_count != 0)
            fputs(running, stdout);
        if (outcome != PASSED)
            return outcome;
    }
    if (spec_has_expected)
        return PASSED;
    printf("# line %d: the test has no expectation\n", spec->line);
    return FAILED;
}

static bool is_chosen(const struct spec *spec)
{
    return options.exact ? strcmp(spec->sentence, options.exact) == 0
                         : strstr(spec->sentence, options.only) != NULL;
}

static int run_all(int planned)
{
    int number = 0;
    int failed = 0;

    printf("1..%d\n", planned);
    for (const struct spec *spec = specs; spec && !(failed && options.fail_fast);
         spec = spec->next) {
        enum outcome outcome;

        if (!is_chosen(spec))
            continue;
        outcome = run(spec);
        failed += outcome == FAILED;
        printf("%s %d - %s%s%s\n", outcome == FAILED ? "not ok" : "ok", ++number, spec->sentence,
            outcome == SKIPPED ? " # SKIP " : "", outcome == SKIPPED ? skip_reason : "");
    }
    return failed;
}

static _Noreturn void usage(void)
{
    fprintf(stderr,
        "usage: %s [--list] [--fail-fast] [--only SUBSTRING] [--seed N] [--from N] [--count N] "
        "[--at-most N] [SENTENCE]\n"
        "  --list   print the sentences     --seed N   run properties once, with this seed\n"
        "  --only   run the sentences that  --from N   first seed of a property\n"
        "           hold this text          --count N  runs of a property\n"
        "  --fail-fast  stop at the first failure\n"
        "  --at-most N  no property runs more often than this\n",
        program);
    exit(2);
}

static uint64_t number(const char *text)
{
    char *end = NULL;
    unsigned long long value;

    errno = 0;
    value = text ? strtoull(text, &end, 0) : 0;
    if (!text || end == text || *end || errno)
        usage();
    return value;
}

static void read_options(char **arguments)
{
    for (; *arguments; arguments++) {
        if (strcmp(*arguments, "--list") == 0)
            options.list = true;
        else if (strcmp(*arguments, "--fail-fast") == 0)
            options.fail_fast = true;
        else if (**arguments != '-')
            options.exact = *arguments;
        else if (strcmp(*arguments, "--only") == 0 && arguments[1])
            options.only = *++arguments;
        else if (strcmp(*arguments, "--from") == 0)
            options.first = number(*++arguments);
        else if (strcmp(*arguments, "--count") == 0)
            options.count = number(*++arguments);
        else if (strcmp(*arguments, "--at-most") == 0)
            options.at_most = number(*++arguments);
        else if (strcmp(*arguments, "--seed") == 0) {
            options.one_seed = true;
            options.seed = number(*++arguments);
        } else
            usage();
    }
}

int main(int argument_count, char **arguments)
{
    int chosen = 0;

    program = argument_count > 0 ? arguments[0] : "test";
    read_options(arguments + (argument_count > 0));
    for (const struct spec *spec = specs; spec; spec = spec->next) {
        chosen += is_chosen(spec);
        if (options.list && is_chosen(spec))
            printf("%s\n", spec->sentence);
    }
    if (chosen == 0) {
        fprintf(stderr, "%s: no sentence matches\n", program);
        return 2;
    }
    if (options.list)
        return 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    watch_crashes();
    return run_all(chosen) == 0 ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of checks of a library: what they report, and what is reported about them. */
#include "spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conform/conform.h"

static void succeed(struct api_run *run)
{
    (void)run;
}

static void find_faults(struct api_run *run)
{
    api_run_expect(run, true, "no fault");
    api_run_fail(run, "fault %d\nof two lines", 1);
    api_run_ends(run, EBUSY, EINVAL, "a call");
    api_run_reading(run, 0, "%s", "blue");
}

static void end_early(struct api_run *run)
{
    api_run_must(run, false, "this is fatal");
    api_run_fail(run, "this is never reported");
}

static void not_apply(struct api_run *run)
{
    api_run_skip(run, "there is no %s", "lamp");
}

static void crash(struct api_run *run)
{
    api_run_enter(run, "mrc_crash");
    abort();
}

static void leave(struct api_run *run)
{
    api_run_enter(run, "mrc_leave");
    _exit(5);
}

static void hang(struct api_run *run)
{
    api_run_enter(run, "mrc_hang");
    for (;;)
        pause();
}

static void lack_call(struct api_run *run)
{
    API(run, query_version)(NULL, NULL, NULL, NULL);
}

static void be_silent(struct api_run *run)
{
    api_run_silent(run, "nothing happened");
}

#define RUN(function)                                                                              \
    static void run_##function(void *kit, struct conform_report *report)                           \
    {                                                                                              \
        api_watch_run(kit, report, function, API_NEED_LIBRARY);                                    \
    }
RUN(succeed)
RUN(find_faults)
RUN(end_early)
RUN(not_apply)
RUN(crash)
RUN(leave)
RUN(hang)
RUN(lack_call)
RUN(be_silent)

/* Runs two checks: this one, and one that succeeds. The library has no call of MRC. */
static char *report_of(void (*run)(void *, struct conform_report *), const char *library)
{
    const struct conform_check checks[] = {
        { "first", "§1", "it does one", 0, run },
        { "last", "§2", "it does two", 0, run_succeed },
    };
    const struct conform_point point = { "colour", "§9", "which colour it has" };
    const struct conform_suite suite = {
        .kit = "toy", .checks = checks, .check_count = 2, .points = &point, .point_count = 1
    };
    struct api_kit kit = { .library = library,
        .verbs = "libibverbs.so.1",
        .patience_ms = 500,
        .silent_count = run == run_be_silent ? 2 : 0 };
    struct conform_report_config config = { .suite = &suite, .device = "toy" };
    char *text = NULL;
    size_t length = 0;

    config.out = open_memstream(&text, &length);
    conform_report_run(&config, &kit);
    fclose(config.out);
    return text;
}

static void expect_report(void (*run)(void *, struct conform_report *), const char *line, bool last)
{
    char *text = report_of(run, "libibverbs.so.1");

    EXPECT(strstr(text, line) != NULL);
    EXPECT_EQ(strstr(text, "ok 2 - last") != NULL, last);
    free(text);
}

SPEC("the faults that a process finds are reported, each in a line")
{
    expect_report(run_find_faults, "not ok 1 - first", true);
    expect_report(run_find_faults, "\n#   fault 1 of two lines\n", true);
    expect_report(run_find_faults, "#   a call: EBUSY instead of EINVAL\n", true);
    expect_report(run_find_faults, "which colour it has: blue\n", true);
}

SPEC("a process ends with its first fatal fault")
{
    char *text = report_of(run_end_early, "libibverbs.so.1");

    EXPECT(strstr(text, "#   this is fatal\n") != NULL);
    EXPECT(strstr(text, "never reported") == NULL);
    free(text);
}

SPEC("a check that does not apply is skipped")
{
    expect_report(run_not_apply, "# SKIP there is no lamp\n", true);
}

SPEC("a process that crashes or exits fails the check, with the call in which it was")
{
    expect_report(run_crash, "#   the library crashed (SIGABRT) in mrc_crash\n", true);
    expect_report(
        run_leave, "#   the library ended its process with status 5 in mrc_leave\n", true);
}

SPEC("a process that hangs ends the run")
{
    expect_report(run_hang, "Bail out! the library has not returned from mrc_hang", false);
}

SPEC("the third silence ends the run")
{
    expect_report(run_be_silent, "#   nothing happened\n", false);
    expect_report(run_be_silent, "Bail out! 3 checks waited", false);
}

SPEC("a check that needs a call that the library lacks fails")
{
    expect_report(run_lack_call, "#   the library has no mrc_query_version\n", true);
}

SPEC("a library that does not exist ends the run")
{
    char *text = report_of(run_succeed, "/no/such/library.so");

    EXPECT(strstr(text, "Bail out! /no/such/library.so") != NULL);
    free(text);
}

SPEC("a check without its device is skipped")
{
    struct api_kit kit = { .library = "libibverbs.so.1", .verbs = "libibverbs.so.1" };
    bool chosen[CONFORM_SUITE_CHECKS_MAX] = { false };
    char reason[CONFORM_SUITE_REASON_BYTES];
    struct conform_report_config config = {
        .suite = &api_suite, .device = "none", .chosen = chosen
    };
    char *text = NULL;
    size_t length = 0;

    EXPECT(conform_suite_choose(&api_suite, "write", chosen, reason));
    config.out = open_memstream(&text, &length);
    EXPECT(conform_report_run(&config, &kit));
    fclose(config.out);
    EXPECT(strstr(text, "# SKIP no device is named (--device)") != NULL);
    free(text);
}

SPEC("results are judged by the convention of their call")
{
    int object;

    errno = EBUSY;
    EXPECT_EQ(api_run_error_null(&object), 0);
    EXPECT_EQ(api_run_error_null(NULL), EBUSY);
    EXPECT_EQ(api_run_error_minus(0), 0);
    EXPECT_EQ(api_run_error_minus(-1), EBUSY);
    EXPECT(api_run_error_minus(EBUSY) < 0);
    EXPECT_EQ(api_run_error_number(EBUSY), EBUSY);
    EXPECT(api_run_error_number(-1) < 0);
    EXPECT_STR_EQ(api_run_error_text(EBUSY), "EBUSY");
}

SPEC("the verbs library is ours if it is beside the library, otherwise that of the system")
{
    char path[128];

    EXPECT_STR_EQ(
        api_library_verbs_of("/no/such/libmrc.so", path, sizeof(path)), "libibverbs.so.1");
    EXPECT_STR_EQ(api_library_verbs_of("libmrc.so", path, sizeof(path)), "libibverbs.so.1");
}

SPEC("checks have different words")
{
    for (uint32_t i = 0; i < api_suite.check_count; i++)
        for (uint32_t j = 0; j < i; j++)
            EXPECT(strcmp(api_suite.checks[i].word, api_suite.checks[j].word) != 0);
}

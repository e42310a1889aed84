/* SPDX-License-Identifier: Apache-2.0 */
/* Results of checks as TAP and JSON, and the words of --only and --without. */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "conform/conform.h"

enum { LAMP, BELL };

static void do_nothing(void *kit, struct conform_report *report)
{
    (void)report;
    ++*(uint32_t *)kit;
}

static void find_fault(void *kit, struct conform_report *report)
{
    do_nothing(kit, report);
    for (int i = 0; i < 10; i++)
        conform_report_fail(report, "fault %d", i);
}

static void state_reading(void *kit, struct conform_report *report)
{
    do_nothing(kit, report);
    conform_report_reading(report, 0, "%s", "blue");
    conform_report_skip(report, "there is no %s", "paint");
}

static void lose_device(void *kit, struct conform_report *report)
{
    do_nothing(kit, report);
    conform_report_end(report, "it is %s", "gone");
}

static const struct conform_feature features[] = {
    [LAMP] = { "lamp", "it has a lamp" }, [BELL] = { "bell", "it rings" }
};
static const struct conform_point points[] = { { "colour", "§9", "which colour it has" } };
static const struct conform_check checks[] = {
    { "one", "§1", "the device does one", 0, do_nothing },
    { "one-more", "wire §2", "the device does more", CONFORM_NEEDS(BELL), find_fault },
    { "two", "§3", "the device has a colour", 0, state_reading },
    { "gone", "§4", "the device stays", CONFORM_NEEDS(LAMP), lose_device },
    { "late", "§5", "the device is last", 0, do_nothing },
};
static const struct conform_suite suite = {
    .kit = "toy",
    .checks = checks,
    .check_count = 5,
    .features = features,
    .feature_count = 2,
    .points = points,
    .point_count = 1,
};

struct outcome {
    bool passes;
    uint32_t run_count;
    char *text; /* freed by the caller */
};

static struct outcome run_suite(uint64_t absent, const char *only, bool as_json)
{
    bool chosen[CONFORM_SUITE_CHECKS_MAX] = { false };
    char reason[CONFORM_SUITE_REASON_BYTES];
    struct outcome outcome = { .run_count = 0 };
    size_t length;
    FILE *out = open_memstream(&outcome.text, &length);

    EXPECT(!only || conform_suite_choose(&suite, only, chosen, reason));
    outcome.passes = conform_report_run(&(struct conform_report_config){ .suite = &suite,
                                            .device = "a toy",
                                            .absent = absent,
                                            .chosen = only ? chosen : NULL,
                                            .out = out,
                                            .as_json = as_json },
        &outcome.run_count);
    fclose(out);
    return outcome;
}

SPEC("a device without a failed check passes, and the report is TAP")
{
    struct outcome outcome = run_suite(CONFORM_NEEDS(LAMP) | CONFORM_NEEDS(BELL), NULL, false);

    EXPECT(outcome.passes);
    EXPECT_STR_EQ(outcome.text,
        "ok 1 - one (§1): the device does one\n"
        "ok 2 - one-more (wire §2): the device does more # SKIP the device declares that it lacks "
        "bell\n"
        "ok 3 - two (§3): the device has a colour # SKIP there is no paint\n"
        "ok 4 - gone (§4): the device stays # SKIP the device declares that it lacks lamp\n"
        "ok 5 - late (§5): the device is last\n"
        "# open point colour (§9): which colour it has: blue\n"
        "# declared as not implemented: lamp (it has a lamp)\n"
        "# declared as not implemented: bell (it rings)\n"
        "# a toy: 2 passed, 0 failed, 2 not implemented, 1 skipped\n"
        "1..5\n");
    free(outcome.text);
}

SPEC("a check that a device declares as not implemented is not run")
{
    struct outcome outcome = run_suite(CONFORM_NEEDS(BELL), "one-more", false);

    EXPECT_EQ(outcome.run_count, 0);
    free(outcome.text);
}

SPEC("a failed check shows its first texts and the number of the others")
{
    struct outcome outcome = run_suite(0, "one", false);

    EXPECT(!outcome.passes);
    EXPECT(strstr(outcome.text, "not ok 2 - one-more (wire §2): the device does more\n"
                                "#   fault 0\n"));
    EXPECT(strstr(outcome.text, "#   fault 7\n#   and 2 more\n"));
    free(outcome.text);
}

SPEC("after a device has disappeared no check is run, and the report bails out")
{
    struct outcome outcome = run_suite(CONFORM_NEEDS(BELL), NULL, false);

    EXPECT(!outcome.passes);
    EXPECT_EQ(outcome.run_count, 3);
    EXPECT(strstr(outcome.text, "Bail out! it is gone\n"));
    EXPECT(!strstr(outcome.text, "1.."));
    free(outcome.text);
}

SPEC("JSON has counts, declarations, readings and every check with its section")
{
    struct outcome outcome = run_suite(CONFORM_NEEDS(LAMP), NULL, true);

    EXPECT(!outcome.passes);
    EXPECT(strstr(outcome.text,
        "{\"kit\":\"toy\",\"device\":\"a toy\",\"passed\":2,\"failed\":1,"
        "\"not_implemented\":1,\"skipped\":1,\"declared\":[\"lamp\"],\"readings\":[{\"point\":"
        "\"colour\",\"section\":\"§9\",\"question\":\"which colour it has\",\"reading\":\"blue\"}],"
        "\"checks\":[{\"check\":\"one\",\"section\":\"§1\",\"sentence\":\"the device does one\","
        "\"result\":\"passed\",\"texts\":[]},"));
    free(outcome.text);
}

SPEC("JSON says why a run ended early")
{
    struct outcome outcome = run_suite(CONFORM_NEEDS(BELL), NULL, true);

    EXPECT(strstr(outcome.text, "\"ended\":\"it is gone\""));
    free(outcome.text);
}

SPEC("a word that no feature and no check has is refused")
{
    bool chosen[CONFORM_SUITE_CHECKS_MAX] = { false };
    char reason[CONFORM_SUITE_REASON_BYTES];
    uint64_t absent = 0;

    EXPECT(!conform_suite_declare(&suite, "lamp,bel", &absent, reason));
    EXPECT_STR_EQ(reason, "'bel' is not a feature that a device may lack; did you mean 'bell'?");
    EXPECT(!conform_suite_choose(&suite, "one,three", chosen, reason));
    EXPECT_STR_EQ(reason, "no check begins with 'three'; --list shows them");
}

SPEC("features are declared by their words, separated by commas")
{
    char reason[CONFORM_SUITE_REASON_BYTES];
    uint64_t absent = 0;

    EXPECT(conform_suite_declare(&suite, "bell, lamp", &absent, reason));
    EXPECT_EQ(absent, CONFORM_NEEDS(LAMP) | CONFORM_NEEDS(BELL));
}

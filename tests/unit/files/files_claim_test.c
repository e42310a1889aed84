/* SPDX-License-Identifier: Apache-2.0 */
/* Claims and their cases, as read from files. */
#include "files/claim_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/yaml.h"
#include "spec.h"

static struct yaml yaml;
static struct claim claim;

static bool read_text(const char *text)
{
    static const char path[] = "/tmp/files_claim_test.yaml";
    FILE *file = fopen(path, "w");
    bool is_read;

    yaml_fini(&yaml);
    yaml_init(&yaml);
    EXPECT(file && fputs(text, file) >= 0 && fclose(file) == 0);
    is_read = claim_file_read(&yaml, path, &claim);
    unlink(path);
    return is_read;
}

static bool is_refused(const char *text, const char *reason)
{
    return !read_text(text) && strstr(yaml.problem, reason);
}

SPEC("a claim has a sentence and cases, which are comparisons or tests")
{
    EXPECT(read_text("claim: 7\nsays: s\nexperiment: runs/a.yaml\ncases:\n"
                     "  - { what: first, expect: jain > 0.9 }\n"
                     "  - { what: second, expect: jain < 1, experiment: /b.yaml }\n"
                     "  - { what: third, test: unit-x_test, sentence: it is so }\n"
                     "  - { what: last, test: t, sentence: no, contradicts: yes }\n"));
    EXPECT_STR_EQ(claim.id, "7");
    EXPECT_EQ(claim.case_count, 4);
    EXPECT_STR_EQ(claim.cases[0].experiment, "/tmp/runs/a.yaml");
    EXPECT_STR_EQ(claim.cases[1].experiment, "/b.yaml");
    EXPECT(!claim.cases[2].experiment && !claim.cases[2].expect);
    EXPECT_STR_EQ(claim.cases[2].sentence, "it is so");
    EXPECT(!claim.cases[2].contradicts && claim.cases[3].contradicts);
}

SPEC("a claim that cannot be tested has a reason instead of cases")
{
    EXPECT(read_text("claim: a\nsays: s\nnot_testable: it is about people\n"));
    EXPECT_EQ(claim.case_count, 0);
    EXPECT_STR_EQ(claim.reason, "it is about people");
    EXPECT(is_refused("claim: a\nsays: s\nnot_testable: r\ncases: [{ what: w }]\n",
        "a claim that cannot be tested has no cases"));
}

SPEC("a claim that nothing decides is refused")
{
    EXPECT(is_refused("claim: a\nsays: s\n", "what decides this claim is missing"));
    EXPECT(is_refused("claim: a\nsays: s\ncases: []\n", "what decides this claim is missing"));
    EXPECT(is_refused("says: s\nnot_testable: r\n", "claim"));
    EXPECT(is_refused("claim: a\nnot_testable: r\n", "says"));
}

#define HEAD "claim: a\nsays: s\ncases:\n  - "

SPEC("a case without an experiment, a test or words is refused")
{
    EXPECT(is_refused(HEAD "{ what: w, expect: a > 1 }\n", "no experiment measures this"));
    EXPECT(is_refused(HEAD "{ what: w, test: t }\n", "sentence"));
    EXPECT(is_refused(HEAD "{ what: w }\n", "test"));
    EXPECT(is_refused(HEAD "{ test: t, sentence: s }\n", "what"));
    EXPECT(is_refused(HEAD "word\n", "a case is written as"));
    EXPECT(is_refused(
        HEAD "{ what: w, expect: a > 1, test: t }\n", "one of 'expect', 'test' and 'script'"));
    EXPECT(is_refused(HEAD "{ what: w, expect: a > 1, experiment: b, contradicts: yes }\n",
        "only a test can contradict"));
    EXPECT(is_refused(HEAD "{ what: [w], test: t, sentence: s }\n", "a text is expected here"));
}

SPEC("a comparison that cannot be read is refused before the runs, one of unknown names is not")
{
#define MEASURED(text) HEAD "{ what: w, experiment: b, expect: " text " }\n"
    EXPECT(is_refused(MEASURED("goodput_fraction"), "one of >= <= > < == != is expected"));
    EXPECT(is_refused(MEASURED("(a > 1"), "'(a > 1'"));
    EXPECT(read_text(MEASURED("runs.x.a / (runs.x.b - runs.y.b) > 1")));
}

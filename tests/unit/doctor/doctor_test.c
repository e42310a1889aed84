/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a machine: each has a reason, and what is missing has advice. */
#include "doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "spec.h"

static struct doctor_finding find(const char *name)
{
    struct doctor_finding finding = { .level = DOCTOR_LEVEL_COUNT };

    for (size_t i = 0; i < doctor_check_count; i++)
        if (strcmp(doctor_checks[i].name, name) == 0)
            doctor_checks[i].look(&finding);
    return finding;
}

SPEC("every check has a level and a reason, and advice where something is missing")
{
    setenv("MRC_RUN_DIR", "/nonexistent", 1);
    for (size_t i = 0; i < doctor_check_count; i++) {
        struct doctor_finding finding = find(doctor_checks[i].name);

        EXPECT_LT(finding.level, DOCTOR_LEVEL_COUNT);
        EXPECT(finding.reason[0]);
        EXPECT(finding.level == DOCTOR_OK || finding.advice[0]);
        EXPECT(doctor_checks[i].purpose[0]);
    }
}

SPEC("a run folder that does not exist yet is not a fault")
{
    struct doctor_finding finding;

    setenv("MRC_RUN_DIR", "/tmp/doctor_test_absent", 1);
    finding = find("run folder");
    EXPECT_EQ(finding.level, DOCTOR_OK);
    EXPECT(strstr(finding.reason, "created when first needed"));
}

SPEC("a run folder whose name is too long for sockets is reported")
{
    char path[160] = "/tmp/";
    struct doctor_finding finding;

    memset(path + 5, 'x', 120);
    setenv("MRC_RUN_DIR", path, 1);
    finding = find("run folder");
    EXPECT_EQ(finding.level, DOCTOR_LIMITED);
    EXPECT_STR_EQ(finding.advice, "set MRC_RUN_DIR to a shorter path");
}

SPEC("on a machine without devices, the advice says how to create some")
{
    struct doctor_finding finding;

    unsetenv("MRC_CONFIG");
    setenv("MRC_RUN_DIR", "/tmp/doctor_test_absent", 1);
    finding = find("devices");
    EXPECT_EQ(finding.level, DOCTOR_NO);
    EXPECT(strstr(finding.advice, "mrc fabric run"));
}

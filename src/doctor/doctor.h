/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine can and cannot do for MRC, and why: the public header of this folder. */
#pragma once

#include <stddef.h>

enum doctor_level {
    DOCTOR_OK,
    DOCTOR_LIMITED, /* works, but not as well as it could */
    DOCTOR_NO,
    DOCTOR_LEVEL_COUNT,
};

struct doctor_finding {
    enum doctor_level level;
    char reason[200];
    char advice[200]; /* empty if there is nothing to do */
};

struct doctor_check {
    const char *name;
    const char *purpose; /* what it is needed for */
    void (*look)(struct doctor_finding *);
};

/* In the order in which they are reported. */
extern const struct doctor_check doctor_checks[];
extern const size_t doctor_check_count;

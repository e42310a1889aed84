/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON objects by a table of their members. Members that the table does not have are
 * mistakes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "study/job_file.h"

enum { JOB_PLACE_BYTES = 160 };

struct job_reading {
    char *reason;                /* JOB_FILE_REASON_BYTES */
    char place[JOB_PLACE_BYTES]; /* "", or "failures[2]." */
};

enum job_member_kind {
    JOB_MEMBER_NUMBER,
    JOB_MEMBER_NAME,
    JOB_MEMBER_FLAG,
    JOB_MEMBER_OTHER, /* read elsewhere, or for readers only */
};

struct job_member {
    const char *key; /* NULL: the end */
    enum job_member_kind kind;
    size_t offset;
    bool is_required;
    double least;
    double most;
};

/* Returns false, with the place and the key before the reason. */
__attribute__((format(printf, 3, 4))) bool job_member_refuse(
    const struct job_reading *, const char *key, const char *format, ...);

/* Sets the members that the object has. */
bool job_member_read(
    struct job_reading *, const json_t *object, const struct job_member *, void *out);

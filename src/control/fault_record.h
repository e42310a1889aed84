/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded faults of a fabric as an experiment for mrc sim. */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct fault_record {
    const char *fabric;   /* its name */
    const json_t *answer; /* of the fabric to "record" */
    uint64_t faster;      /* times are divided by this */
};

/* Returns 0 or a negative errno. */
int fault_record_write(FILE *, const struct fault_record *);

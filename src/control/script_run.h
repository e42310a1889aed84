/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of a script on a running fabric, each at its time. */
#pragma once

#include <signal.h>
#include <stdint.h>

#include "control/request.h"
#include "files/files.h"

struct script_run {
    const char *fabric;
    struct fault_script script; /* sorted by time while it runs */
    uint64_t slower;            /* times are multiplied by this */
    const volatile sig_atomic_t *is_interrupted;
    /* The fault begins; it has the times of the fabric. */
    void (*on_step)(
        void *context, const struct fault_script_step *, const struct fault *as_on_the_fabric);
    void *context;
    /* After a request that was not answered: */
    char reason[REQUEST_REASON_BYTES];
    uint32_t line; /* of the step in the file; 0: no step */
};

/* Has the fabric check all faults, and make none. */
enum request_result script_run_check(struct script_run *);

/* Hands all faults to the fabric and follows them until the last has begun. When interrupted, takes
 * back the faults that have not begun. */
enum request_result script_run(struct script_run *);

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the faults of a script on a running fabric, each at its time. */
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
    /* Called when a fault begins, with the times of the fabric. */
    void (*on_step)(
        void *context, const struct fault_script_step *, const struct fault *as_on_the_fabric);
    void *context;
    /* After a request that was not answered: */
    char reason[REQUEST_REASON_BYTES];
    uint32_t line; /* of the step in the file; 0 if there is none */
};

/* Makes the fabric check all faults without adding them. */
enum request_result script_run_check(struct script_run *);

/* Hands all faults to the fabric and waits until the last has begun. If interrupted, removes the
 * faults that have not begun. */
enum request_result script_run(struct script_run *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a soft fabric, or of the switches of a namespace fabric. */
#pragma once

#include <stdbool.h>

#include "control/request.h"

struct process_lock_holder;

/* `root` is the folder of run_place_make(). The holder's pid is 0 while it ends. */
bool fabric_process_runs(const char *root, const char *fabric, struct process_lock_holder *holder);

/* Stops the fabric. Returns when its process has ended. */
enum request_result fabric_process_end(const char *root, const char *fabric,
    const struct process_lock_holder *, char reason[REQUEST_REASON_BYTES]);

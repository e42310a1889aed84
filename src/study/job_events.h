/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of failures that were measured with packets, as JSON: the file that mrc job --measure
 * writes. */
#pragma once

#include <jansson.h>

#include "study/job_file.h"

#define JOB_EVENTS_VERSION 1

/* Gives the job the protocols of the file, and the measured costs in place of those that the job
 * assumes. A class that was not measured keeps the assumed costs of the protocol of the same name,
 * or of its family: "roce" for "roce-8qp". Returns false with a reason that names the member. */
bool job_events_apply(
    const json_t *events, struct job *, char reason[static JOB_FILE_REASON_BYTES]);

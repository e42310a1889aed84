/* SPDX-License-Identifier: Apache-2.0 */
/* A training job and the costs of its failures, as JSON: mrc-job(1). */
#pragma once

#include <jansson.h>

#include "study/job_model.h"

#define JOB_FILE_REASON_BYTES 256

/* The text of experiments/job.json, embedded at build time by tools/embed. */
extern const char job_file_default[];

/* Returns false with a reason that names the member. */
bool job_file_read(const json_t *, struct job *, char reason[static JOB_FILE_REASON_BYTES]);

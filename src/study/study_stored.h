/* SPDX-License-Identifier: Apache-2.0 */
/* A run that is kept in a file: its name, its document, and whether it can stand for a run that is
 * to be made. */
#pragma once

#include "files/files.h"
#include "study/study_run.h"

#define STUDY_STORED_NAME_BYTES   192
#define STUDY_STORED_REASON_BYTES 256

/* What makes runs, apart from their inputs. */
struct study_stored_maker {
    char program[JSON_HASH_BYTES]; /* a hash of the executable file */
    uint32_t points;               /* the most values of a series */
};
struct study_stored_maker study_stored_maker(uint32_t points);

/* Writes the name of the file: experiment, label, seed, and a hash that distinguishes runs whose
 * labels are cut off. */
void study_stored_name(const struct study_run *, char out[static STUDY_STORED_NAME_BYTES]);

/* Returns the result document with this single run, which it takes. */
json_t *study_stored_document(
    const struct study_run *, const struct study_stored_maker *, json_t *run);

/* Returns true if the document is what this maker makes of this run. Otherwise writes the first
 * difference. Name, title and criteria of the experiment may differ. */
bool study_stored_matches(const json_t *document, const struct study_run *,
    const struct study_stored_maker *, char reason[static STUDY_STORED_REASON_BYTES]);

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the runs of several points in one queue. */
#pragma once

#include "study/search.h"

/* Makes the runs of the trials with these indexes that the folder does not have, with the seeds of
 * the search or, for a check, with others. Returns false after an interrupt or an error message. */
bool search_batch_run(
    struct search *, const uint32_t *indexes, uint32_t count, const struct study_manner *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The experiment of size_measure.h. */
#pragma once

#include "study/size_measure.h"

enum { SIZE_MEASURE_FAILS_US = 400 };

/* Returns the text of the experiment, with an entry of its sweep for each scene; the caller frees
 * it. Sets the pairs of the scenes. NULL: no generator builds the fabric. */
char *size_measure_text(struct size_measure *, const struct size_site *);

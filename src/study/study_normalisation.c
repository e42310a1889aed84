/* SPDX-License-Identifier: Apache-2.0 */
/* The list of normalisations. */
#include "study/study_normalisation.h"

#include <stddef.h>

const struct study_normalisation_text study_normalisations[STUDY_NORMALISATION_COUNT] = {
#define NORMALISATION(ID, letter, word, title, meaning) [STUDY_##ID] = { letter, title, meaning },
#include "study/normalisations.def"
};

const char *const study_normalisation_words[STUDY_NORMALISATION_COUNT + 1] = {
#define NORMALISATION(ID, letter, word, title, meaning) [STUDY_##ID] = (word),
#include "study/normalisations.def"
    NULL,
};

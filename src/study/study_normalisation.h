/* SPDX-License-Identifier: Apache-2.0 */
/* What is equal for all contenders: normalisations.def. */
#pragma once

enum study_normalisation {
#define NORMALISATION(ID, letter, word, title, meaning) STUDY_##ID,
#include "study/normalisations.def"
    STUDY_NORMALISATION_COUNT,
};

struct study_normalisation_text {
    const char *letter;
    const char *title;
    const char *meaning;
};
extern const struct study_normalisation_text study_normalisations[STUDY_NORMALISATION_COUNT];
/* The words of --fabric; NULL at the end. */
extern const char *const study_normalisation_words[STUDY_NORMALISATION_COUNT + 1];

/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of mrc conform api. Their kit is a struct api_kit.
 *
 * api_checks.def has three kinds of rows, by what a check needs: LIBRARY, DEVICE and PEER. Sections
 * are those of docs/protocol.md, or manual pages. */
#pragma once

#include "conform/conform_suite.h"

struct api_run;

extern const struct conform_suite api_suite;

enum api_feature {
#define FEATURE(id, word, sentence) API_##id,
#include "conform/api_features.def"
#undef FEATURE
    API_FEATURE_COUNT,
};

enum api_point {
#define POINT(id, word, section, question) API_POINT_##id,
#include "conform/api_points.def"
#undef POINT
    API_POINT_COUNT,
};

#define LIBRARY(function, word, section, needs, sentence)                                          \
    void api_suite_##function(struct api_run *);
#define DEVICE LIBRARY
#define PEER   LIBRARY
#include "conform/api_checks.def"
#undef LIBRARY
#undef DEVICE
#undef PEER

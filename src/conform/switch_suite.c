/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of checks, features and open points of switches. */
#include "conform/switch_suite.h"

#include "conform/switch_device.h"

#define NEEDS(feature) CONFORM_NEEDS(SWITCH_##feature)

static const struct conform_check checks[] = {
#define CHECK(function, word, section, needs, sentence)                                            \
    { word, section, sentence, needs, switch_suite_##function },
#include "conform/switch_checks.def"
#undef CHECK
};

static const struct conform_feature features[] = {
#define FEATURE(id, word, sentence) { word, sentence },
#include "conform/switch_features.def"
#undef FEATURE
};

static const struct conform_point points[] = {
#define POINT(id, word, section, question) { word, section, question },
#include "conform/switch_points.def"
#undef POINT
};

const struct conform_suite switch_suite = {
    .kit = "switch",
    .checks = checks,
    .check_count = sizeof(checks) / sizeof(checks[0]),
    .features = features,
    .feature_count = SWITCH_FEATURE_COUNT,
    .points = points,
    .point_count = SWITCH_POINT_COUNT,
};

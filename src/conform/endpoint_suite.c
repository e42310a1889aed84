/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of checks, features and open points of endpoints. */
#include "conform/endpoint_suite.h"

#include "conform/endpoint_device.h"

#define NEEDS(feature) CONFORM_NEEDS(ENDPOINT_##feature)

static const struct conform_check checks[] = {
#define CHECK(function, word, section, needs, sentence)                                            \
    { word, section, sentence, needs, endpoint_suite_##function },
#include "conform/endpoint_checks.def"
#undef CHECK
};

static const struct conform_feature features[] = {
#define FEATURE(id, word, sentence) { word, sentence },
#include "conform/endpoint_features.def"
#undef FEATURE
};

static const struct conform_point points[] = {
#define POINT(id, word, section, question) { word, section, question },
#include "conform/endpoint_points.def"
#undef POINT
};

const struct conform_suite endpoint_suite = {
    .kit = "endpoint",
    .checks = checks,
    .check_count = sizeof(checks) / sizeof(checks[0]),
    .features = features,
    .feature_count = ENDPOINT_FEATURE_COUNT,
    .points = points,
    .point_count = ENDPOINT_POINT_COUNT,
};

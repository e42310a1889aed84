/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of checks, features and open points of libraries. */
#include "conform/api_suite.h"

#include "conform/api_watch.h"

#define NEEDS(feature) CONFORM_NEEDS(API_##feature)

#define RUN(function, need)                                                                        \
    static void run_##function(void *kit, struct conform_report *report)                           \
    {                                                                                              \
        api_watch_run(kit, report, api_suite_##function, need);                                    \
    }
#define LIBRARY(function, word, section, needs, sentence) RUN(function, API_NEED_LIBRARY)
#define DEVICE(function, word, section, needs, sentence)  RUN(function, API_NEED_DEVICE)
#define PEER(function, word, section, needs, sentence)    RUN(function, API_NEED_PEER)
#include "conform/api_checks.def"
#undef LIBRARY
#undef DEVICE
#undef PEER

static const struct conform_check checks[] = {
#define LIBRARY(function, word, section, needs, sentence)                                          \
    { word, section, sentence, needs, run_##function },
#define DEVICE LIBRARY
#define PEER   LIBRARY
#include "conform/api_checks.def"
#undef LIBRARY
#undef DEVICE
#undef PEER
};

static const struct conform_feature features[] = {
#define FEATURE(id, word, sentence) { word, sentence },
#include "conform/api_features.def"
#undef FEATURE
};

static const struct conform_point points[] = {
#define POINT(id, word, section, question) { word, section, question },
#include "conform/api_points.def"
#undef POINT
};

const struct conform_suite api_suite = {
    .kit = "api",
    .checks = checks,
    .check_count = sizeof(checks) / sizeof(checks[0]),
    .features = features,
    .feature_count = API_FEATURE_COUNT,
    .points = points,
    .point_count = API_POINT_COUNT,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The names of metrics in Prometheus: prefix mrc_, base units, _total for counters. A family is all
 * samples of one name; metrics that are parts of a sum share a family and differ by a label. */
#pragma once

#include <stdint.h>

#include "control/metric.h"

#define METRIC_FAMILY_BYTES      96
#define METRIC_FAMILY_LABELS_MAX 2

struct metric_label {
    const char *name;
    const char *value;
};

struct metric_family {
    char name[METRIC_FAMILY_BYTES]; /* "mrc_link_bytes_total" */
    const char *help;
    const char *scope; /* what follows the help */
    double divisor;    /* of a value, to have the base unit */
    /* Labels that tell this metric from others of its family. */
    struct metric_label labels[METRIC_FAMILY_LABELS_MAX];
    uint32_t label_count;
};

void metric_family_of(const struct metric *, struct metric_family *);

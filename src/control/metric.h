/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of metrics: every counter and gauge that NICs, their ports and QPs, and the links
 * and switches of fabrics report. The rows come from the lists that also make the values. */
#pragma once

#include <jansson.h>
#include <stdint.h>

enum metric_kind {
    METRIC_COUNTER, /* only increases */
    METRIC_GAUGE,
    METRIC_KIND_COUNT,
};

enum metric_group {
    METRIC_OF_TRANSPORT,
    METRIC_OF_DROP, /* at a NIC; the name is the reason */
    METRIC_OF_ENGINE,
    METRIC_OF_DEVICE,
    METRIC_OF_PORT,
    METRIC_OF_QP,
    METRIC_OF_EV, /* the name is the state */
    METRIC_OF_LINK,
    METRIC_OF_EGRESS,  /* the port of a switch in front of a link */
    METRIC_OF_REFUSAL, /* at a switch; the name is the reason */
    METRIC_OF_LOSS,    /* in a fabric; the name is the reason */
    METRIC_OF_FABRIC,
    METRIC_OF_CONTROLLER,
    METRIC_OF_HTTP, /* requests that a server refused; the name is the reason */
    METRIC_GROUP_COUNT,
};

struct metric {
    enum metric_group group;
    const char *name; /* the key in JSON */
    enum metric_kind kind;
    const char *help; /* a phrase without a full stop */
};

extern const struct metric metric_list[];
extern const uint32_t metric_count;

/* Returns NULL if there is no such metric. */
const struct metric *metric_find(enum metric_group, const char *name);

/* The word of a group, as `mrc stat` prints it: counter, drop, ... */
const char *metric_group_word(enum metric_group);
const char *metric_kind_word(enum metric_kind);
/* The names of labels that tell apart the values of one metric; NULL at the end. */
const char *const *metric_labels(enum metric_group);
/* Returns bytes, ns, bps or ppm, which the name contains, or "count". */
const char *metric_unit(const struct metric *);

/* Returns all metrics as an array of objects, which the caller releases. "labels" are those of
 * metric_labels(). */
json_t *metric_json(void);

/* SPDX-License-Identifier: Apache-2.0 */
/* The counts that describe a two-tier fabric. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct topology_config;

struct topology_count {
    const char *key;    /* in fabric.yaml: "t0s" */
    const char *result; /* in results: "t0"; NULL: omitted */
    size_t offset;      /* in struct topology_config */
    uint32_t least;     /* lowest value in a file; if it is not 0, 0 means: as many as needed */
    uint32_t most;
};
/* In the order of files; the last entry has the key NULL. */
extern const struct topology_count topology_counts[];

uint32_t topology_count_get(const struct topology_config *, const struct topology_count *);

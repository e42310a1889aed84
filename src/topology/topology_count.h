/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that describe a fabric by arithmetic: how many of what there are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct topology_config;

struct topology_count {
    const char *key;    /* in fabric.yaml: "t0s" */
    const char *result; /* in results: "t0"; NULL: not there */
    size_t offset;      /* in struct topology_config */
    uint32_t least;     /* that may be said; where it is not 0, 0 means: as many as needed */
    uint32_t most;
};
/* In the order of files; ends with a key of NULL. */
extern const struct topology_count topology_counts[];

uint32_t topology_count_get(const struct topology_config *, const struct topology_count *);

/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of timed faults: the list `faults` of a file in the form of experiments
 * (mrc-experiment(5)), so that the same list works in the simulator and in a running fabric. The
 * fabric looks up the names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/network.h"

struct experiment;
struct yaml;
struct yaml_node;

/* One fault. Its `where` and `ev` are only names. */
struct fault_script_step {
    struct fault fault;
    const char **where; /* components that fail together; NULL: all links of the plane of `ev` */
    uint32_t where_count;
    const char *ev; /* a path, p0/u3; NULL: all packets */
    uint32_t line;  /* of the file; 0: drawn by a generator */
};

struct fault_script {
    struct fault_script_step *steps; /* in the order of the file */
    uint32_t count;
};

/* Reads the mapping of a file. The list may be missing if there are generators. Returns false with
 * yaml->problem. The script belongs to `yaml`. */
bool fault_script_read(struct yaml *, const struct yaml_node *top, struct fault_script *);

/* Appends the faults that the generators of the experiment draw within its duration: those of the
 * simulator with the same seed. */
void fault_script_draw(struct yaml *, const struct experiment *, struct fault_script *);

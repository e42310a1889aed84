/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of timed faults: the list `faults` of a file in the form of experiments
 * (mrc-experiment(5)), so that the same list works in the simulator and in a running fabric. The
 * fabric looks up the names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/network.h"

struct yaml;
struct yaml_node;

/* One fault. Its `where` and `ev` are only names. */
struct fault_script_step {
    struct fault fault;
    const char **where; /* components that fail together; NULL: all links of the plane of `ev` */
    uint32_t where_count;
    const char *ev; /* a path, p0/u3; NULL: all packets */
    uint32_t line;  /* of the file */
};

struct fault_script {
    struct fault_script_step *steps; /* in the order of the file */
    uint32_t count;
};

/* Reads the mapping of a file. Returns false with yaml->problem. The script belongs to `yaml`. */
bool fault_script_read(struct yaml *, const struct yaml_node *top, struct fault_script *);

/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of timed faults: the list `faults` of a file, written as in experiments
 * (mrc-experiment(5)), so that one list serves the simulator and a running fabric. Names are left
 * to the fabric. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/network.h"

struct yaml;
struct yaml_node;

/* One fault; it has no `where` and no `ev` but in words. */
struct fault_script_step {
    struct fault fault;
    const char **where; /* names of components that fail together; NULL: wherever the path goes */
    uint32_t where_count;
    const char *ev; /* a path, p0/u3; NULL: all packets */
    uint32_t line;  /* of the file */
};

struct fault_script {
    struct fault_script_step *steps; /* in the order of the file */
    uint32_t count;
};

/* From the mapping that is a file. False: yaml->problem says what is wrong. The script lives in
 * `yaml`. */
bool fault_script_read(struct yaml *, const struct yaml_node *top, struct fault_script *);

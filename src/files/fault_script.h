/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of timed faults: the list `faults` of a file, written as in experiments
 * (mrc-experiment(5)), so that one list serves the simulator and a running fabric. Names are left
 * to the fabric. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct yaml;
struct yaml_node;

/* One fault of one component. What its kind does not need is 0. */
struct fault_script_step {
    uint64_t at_ps;
    uint64_t for_ps; /* 0: it stays */
    const char *kind;
    const char *where;    /* NULL: wherever the path goes */
    const char *ev;       /* a path, p0/u3; NULL: all packets */
    uint32_t probability; /* of 2^32 */
    uint64_t rate_bps;
    uint64_t period_ps;
    uint32_t duty_permille;
    uint32_t line; /* of the file */
};

struct fault_script {
    struct fault_script_step *steps; /* in order of time */
    uint32_t count;
};

/* From the mapping that is a file. False: yaml->problem says what is wrong. The script lives in
 * `yaml`. */
bool fault_script_read(struct yaml *, const struct yaml_node *top, struct fault_script *);

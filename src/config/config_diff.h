/* SPDX-License-Identifier: Apache-2.0 */
/* What a change of the fabric file changes at switches and NICs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config_source.h"

#define CONFIG_DIFF_TEXT_BYTES 160

/* Steps of a safe roll-out, in order. */
enum config_step {
    CONFIG_STEP_ADD,    /* what nothing uses yet: farthest from NICs first */
    CONFIG_STEP_CHANGE, /* plane after plane */
    CONFIG_STEP_REMOVE, /* what nothing uses any more: nearest to NICs first */
    CONFIG_STEP_COUNT,
};

/* The changes of one switch in one step. */
struct config_change {
    enum config_step step;
    struct topology_place place;
    char name[TOPOLOGY_NAME_BYTES];
    uint32_t count;
    char first[CONFIG_DIFF_TEXT_BYTES]; /* the first of them */
};

/* The changes of one switch, which must have the same name in both. */
struct config_switch_diff {
    struct config_change steps[CONFIG_STEP_COUNT]; /* count 0: none */
};
void config_diff_switch(const struct config_switch *before, const struct config_switch *after,
    struct config_switch_diff *);

/* Prints the changes of all switches and NICs in the order of a safe roll-out. Returns their
 * number, or a negative errno. */
int64_t config_diff_print(
    const struct config_source *before, const struct config_source *after, FILE *);

/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of an experiment as a contender of a comparison takes them. */
#pragma once

#include "study/study_entrant.h"

/* Leaves out what has no effect with the contender or contradicts it, and adds its usual settings
 * where the experiment has none. These become `usual` of the entrant. */
bool entrant_tree_change(struct study_entrant *, struct yaml *, struct yaml_node *top);

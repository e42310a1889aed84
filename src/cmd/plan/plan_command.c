/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan: lists its verbs. */
#include "cmd/plan/plan_verbs.h"

/* clang-format off */
static const struct cmd *const verbs[] = {
    &plan_size_command,
    &plan_failures_command,
    &plan_chips_command,
    &plan_path_command,
    NULL,
};
/* clang-format on */

const struct cmd plan_command = {
    .name = "plan",
    .summary = "size a fabric, and show its plan: paths, uSIDs, addresses",
    .verbs = verbs,
    .usual_verb = &plan_size_command,
    .purpose = "Sizes a fabric, or shows the plan of a fabric file. Options without a verb are "
               "those of size.",
};

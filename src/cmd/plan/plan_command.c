/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan: lists its verbs. */
#include "cmd/plan/plan_verbs.h"

/* clang-format off */
static const struct cmd *const verbs[] = {
    &plan_size_command,
    &plan_failures_command,
    &plan_chips_command,
    &plan_path_command,
    &plan_config_command,
    &plan_check_command,
    &plan_diff_command,
    NULL,
};
/* clang-format on */

const struct cmd plan_command = {
    .name = "plan",
    .summary = "size a fabric, show its paths, write its configurations",
    .verbs = verbs,
    .usual_verb = &plan_size_command,
    .purpose = "Sizes a fabric, shows its paths, and writes its configurations. Options without a "
               "verb are those of size.",
};

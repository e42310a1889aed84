/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan: lists its verbs. */
#include "cmd/plan/plan_verbs.h"

static const struct cmd *const verbs[] = { &plan_path_command, NULL };

const struct cmd plan_command = {
    .name = "plan",
    .summary = "show the plan of a fabric file: paths, uSIDs, addresses",
    .verbs = verbs,
    .purpose = "Shows the plan of a fabric file.",
};

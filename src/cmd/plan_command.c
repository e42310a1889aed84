/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan: its verbs. */
#include "cmd/plan_verbs.h"

static const struct cmd *const verbs[] = { &plan_path_command, NULL };

const struct cmd plan_command = {
    .name = "plan",
    .summary = "show what a fabric file becomes: paths, uSIDs, addresses",
    .verbs = verbs,
    .purpose = "The plan of a fabric file.",
};

/* SPDX-License-Identifier: Apache-2.0 */
/* mrc plan: its verbs. */
#include "cmd/plan.h"

static const struct cmd verbs[] = {
    { "path", "show every path from one NIC to another", plan_path },
};

enum cmd_status cmd_plan(int argument_count, char **arguments)
{
    static const struct cmd_verbs all = { "plan", "The plan of a fabric file.", verbs,
        sizeof(verbs) / sizeof(verbs[0]) };

    return cmd_run_verb(&all, argument_count, arguments);
}

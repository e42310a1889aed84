/* SPDX-License-Identifier: Apache-2.0 */
/* Closes the loop of a controller: probes, verdicts, and the policy that acts on them within the
 * limits of the controller. Every action is in the audit log, with its evidence. */
#pragma once

#include <jansson.h>

#include "ctl/ctl_controller.h"

#define CTL_POLICY_ACTOR "policy"

/* After ctl_controller_init(). Recalls what an earlier process has drained and when. Returns 0 or a
 * negative errno, and a reason. */
int ctl_loop_init(struct ctl_controller *, const struct ctl_map_config *,
    const struct ctl_policy_config *, char reason[static CTL_REASON_BYTES]);
void ctl_loop_fini(struct ctl_controller *);

/* Acts on the open verdicts, after a round of probes. `is_covered`: most NICs have reported it. */
void ctl_loop_act(struct ctl_controller *, bool is_covered);

/* Adds what operators see of map and policy. */
void ctl_loop_describe(const struct ctl_controller *, json_t *state);

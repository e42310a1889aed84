/* SPDX-License-Identifier: Apache-2.0 */
/* Agents of which much is refused: the audit log says so, once a minute at most. */
#pragma once

#include "ctl/ctl_controller.h"

/* Returns whether the agent may report now. If not, it has reported too often in the last second,
 * which is counted. */
bool ctl_conduct_may_report(struct ctl_controller *, const char *agent);

/* Call it several times a second. */
void ctl_conduct_note(struct ctl_controller *);

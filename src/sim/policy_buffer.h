/* SPDX-License-Identifier: Apache-2.0 */
/* Switches of MRC whose ports share one buffer. What one port holds limits the others, so such a
 * switch is run packet by packet, in order of time, as a policy. */
#pragma once

#include "sim/shard.h"

extern const struct switch_policy policy_buffer;

/* Makes the buffers of all switches. With an arena without memory, it only measures. */
void policy_buffer_init(struct sim *, struct arena *);

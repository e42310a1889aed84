/* SPDX-License-Identifier: Apache-2.0 */
/* Switches of MRC whose ports share one buffer. What one port holds limits the others, so such a
 * switch is run packet by packet, in order of time, as a policy. */
#pragma once

#include "sim/shard.h"

extern const struct switch_policy policy_buffer;

/* For policies of other protocols: admit a packet to the shared buffer of its switch, if there is
 * one, and to its port; a packet leaves. */
struct switch_decision policy_buffer_admit(
    void *network, const struct switch_crossing *, struct port *, uint64_t now_ps);
struct switch_pause policy_buffer_release(
    void *network, const struct switch_crossing *, uint64_t now_ps);

/* Makes the buffers of all switches. With an arena without memory, it only measures. */
void policy_buffer_init(struct sim *, struct arena *);

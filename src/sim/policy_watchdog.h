/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdogs of the ports of switches with PFC: calls of struct switch_policy, and what
 * admission asks. */
#pragma once

#include "sim/roce_world.h"

/* With an arena without memory, only measures. */
void policy_watchdog_init(struct roce_watch *, struct arena *, uint32_t port_count);

bool policy_watchdog_obeys(
    void *network, uint32_t switch_index, const struct switch_pause *, uint64_t now_ps);
uint64_t policy_watchdog_deadline_ps(const void *network, uint32_t switch_index);
uint32_t policy_watchdog_expire(void *network, uint32_t switch_index, uint64_t now_ps);

/* Returns false, and counts it, if a data packet for this port is dropped. */
bool policy_watchdog_admits(struct shard *, const struct switch_crossing *);
/* A data packet waits at a port whose data queue was empty. */
void policy_watchdog_on_data(struct shard *, const struct switch_crossing *, uint64_t now_ps);

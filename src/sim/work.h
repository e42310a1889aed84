/* SPDX-License-Identifier: Apache-2.0 */
/* Between the ranks of a workload and the transport of their NIC: messages become work requests,
 * completions become news for the ranks. */
#pragma once

#include "sim/sim_engine.h"

/* What the ranks of a NIC can do: fills in sim->world. */
void work_init(struct sim *);

/* Wakes ranks whose time has come, and tells ranks of what was sent and received. */
void work_turn(struct sim *, uint32_t nic_index, uint64_t now_ps);

/* The memory of all NICs, for struct transport_memory; the context is the struct sim. */
enum transport_access work_place(
    void *context, void *owner, uint32_t qpn, uint32_t rkey, uint64_t va, const struct payload *);

/* Where the bytes of a flow go: its key. */
static inline uint32_t work_key(uint32_t flow)
{
    return flow + 1;
}

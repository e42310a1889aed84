/* SPDX-License-Identifier: Apache-2.0 */
/* MRC as an endpoint of the simulator: the transport of every NIC, behind struct endpoint_ops. */
#pragma once

#include "sim/shard.h"

extern const struct endpoint_ops endpoint_mrc;

/* The memory of all NICs, for struct transport_memory. The context is the struct sim. */
enum transport_access endpoint_mrc_place(
    void *context, void *owner, uint32_t qpn, uint32_t rkey, uint64_t va, const struct payload *);

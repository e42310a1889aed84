/* SPDX-License-Identifier: Apache-2.0 */
/* MRC as an endpoint of the simulator: the transport of every NIC, behind struct endpoint_ops. */
#pragma once

#include "sim/shard.h"

extern const struct endpoint_ops endpoint_mrc;

/* Members of it that a NIC calls at each turn. */
struct endpoint_wants endpoint_mrc_wants(const void *endpoint);
uint64_t endpoint_mrc_deadline_ns(const void *endpoint);

/* The memory of all NICs, for struct transport_memory. The context is the struct sim. */
enum transport_access endpoint_mrc_place(
    void *context, void *owner, uint32_t qpn, uint32_t rkey, uint64_t va, const struct payload *);

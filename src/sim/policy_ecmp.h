/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding by ECMP, or by sim->routing, for policies of switches. The label that switches read is
 * stored in place of the outer address. */
#pragma once

#include <string.h>

#include "rival/rival.h"
#include "sim/shard.h"

_Static_assert(sizeof(struct ecmp_label) <= sizeof(struct ipv6_addr),
    "a label is stored in place of the outer address");

static inline struct ecmp_label policy_ecmp_label(const struct shard *shard, uint32_t packet)
{
    struct ecmp_label label;

    memcpy(&label, &shard->packets.outer[packet], sizeof(label));
    return label;
}

static inline void policy_ecmp_set_label(
    struct shard *shard, uint32_t packet, const struct ecmp_label *label)
{
    memcpy(&shard->packets.outer[packet], label, sizeof(*label));
}

/* The ingress port is noted in the label. */
uint32_t policy_ecmp_forward(void *network, const struct switch_crossing *);

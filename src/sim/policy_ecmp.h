/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding by ECMP, or by sim->routing, for policies of switches. The label that switches read is
 * stored in place of the outer address. */
#pragma once

#include "rival/rival.h"
#include "sim/shard.h"

struct ecmp_label policy_ecmp_label(const struct shard *, uint32_t packet);
void policy_ecmp_set_label(struct shard *, uint32_t packet, const struct ecmp_label *);

/* The ingress port is noted in the label. */
uint32_t policy_ecmp_forward(void *network, const struct switch_crossing *);

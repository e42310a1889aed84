/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation of UET has besides struct sim: tables of ECMP, and NICs. */
#pragma once

#include "rival/rival.h"
#include "sim/shard.h"

struct uet_world {
    struct uet_profile profile;
    struct ecmp ecmp;
    struct uet_nic *nics;
    uint32_t *outlets; /* of each flow, at its NIC */
};

/* Makes NICs and connections. */
void setup_uet(struct sim *, struct arena *);

extern const struct endpoint_ops endpoint_uet;

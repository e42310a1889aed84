/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation of one protocol consists of. MRC is a row of protocols.def; each rival is
 * another. */
#pragma once

#include "sim/ib_world.h"
#include "sim/roce_world.h"
#include "sim/shard.h"
#include "sim/uet_world.h"

/* What a rival has besides struct sim, while memory is only measured. */
union protocol_world {
    struct roce_world roce;
    struct uet_world uet;
    struct {
        struct roce_world nics; /* as `roce` */
        struct ib_world world;
    } infiniband;
};

/* A member that is NULL: nothing to do, or what MRC needs. */
struct protocol {
    const struct endpoint_ops *endpoint;
    /* Returns what switches do; NULL: they forward by uSIDs. */
    const struct switch_policy *(*policy)(const struct sim_config *);
    /* Refuses settings that are wrong, or that the fabric cannot have. */
    bool (*check)(const struct sim_config *, struct problem *);
    /* Takes the memory of its world, or uses `measured` if the arena has none, and decides what the
     * NICs of a fabric do. Called before anything else is set up. */
    void (*init)(struct sim *, struct arena *, union protocol_world *measured);
    /* Returns the number of ranges of a flow's bytes that may have been placed after a gap. */
    uint32_t (*ranges)(const struct sim *, uint32_t depth);
    /* Returns how many packets may be in flight: what the NICs, links and buffers hold. */
    uint64_t (*packets)(const struct sim *);
};

#define PROTOCOL(ID, name, meaning) extern const struct protocol protocol_##name;
#include "sim/protocols.def"

const struct protocol *protocol_of(enum sim_protocol);

/* A counter of a rival that means the same as one of MRC. */
struct protocol_counter {
    uint8_t of_mrc;
    uint8_t own;
};
void protocol_add_counters(
    uint64_t *of_mrc, const uint64_t *own, const struct protocol_counter *same, uint32_t count);

/* SPDX-License-Identifier: Apache-2.0 */
/* Which entropy value the next packet of a connection has. Switches hash it, so it selects a path;
 * what an entropy value has met recently is the only thing that the sender knows of that path.
 *
 * A connection may have several ways, from one port of the sender to one of the receiver each.
 * Entropy value `ev` uses way `ev` modulo their number; there are at least as many entropy values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/prng.h"
#include "rival/uet/uet_profile.h"

#define UET_SPRAY_RING 8

enum uet_met {
    UET_MET_NOTHING, /* it arrived without a mark */
    UET_MET_MARK,
    UET_MET_TRIM,
    UET_MET_LOSS,
    UET_MET_COUNT,
};

struct uet_spray {
    uint8_t *penalties;             /* of each entropy value: how often it is passed over */
    uint16_t again[UET_SPRAY_RING]; /* those of unmarked ACKs; a ring */
    uint32_t again_in;
    uint32_t again_out;
    uint32_t last; /* without penalty */
    struct prng prng;
};

/* With an arena without memory, only measures. */
void uet_spray_init(struct uet_spray *, struct arena *, const struct uet_profile *, struct prng);

/* Returns an entropy value of one of the ways in `ready` (bit w: way w), of which there must be one
 * below `way_count`. */
uint32_t uet_spray_next(
    struct uet_spray *, const struct uet_profile *, uint32_t ready, uint32_t way_count);

/* Notes what a packet with this entropy value has met. */
void uet_spray_on_met(struct uet_spray *, const struct uet_profile *, uint32_t ev, enum uet_met);

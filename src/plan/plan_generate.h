/* SPDX-License-Identifier: Apache-2.0 */
/* The EV profile of a QP in a fabric with planes and uplinks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "path/path.h"
#include "wire/format.h"

/* Each plane has the same number of EVs, whose uplinks are drawn at random without repetition. The
 * number is lower than requested if a plane has fewer uplinks or the total exceeds
 * PATH_EV_COUNT_MAX.
 *
 * Profiles that do not hold all uplinks can divide them: plan_generate_slices() profiles, which are
 * drawn with the same seed and differ in `slice`, have each uplink equally often. NICs of one leaf
 * with such profiles load all of its uplinks alike; random draws would differ. */
struct plan_generate {
    uint32_t plane_count;
    uint32_t uplink_count;
    uint8_t uplink_bits;   /* width of the uplink in an EV */
    uint32_t active_count; /* over all planes, rounded to a multiple of plane_count, at least one
                              each; 0: all uplinks */
    uint32_t backup_count; /* over all planes, rounded as active_count; may be 0 */
    bool is_divided;
    uint32_t slice; /* if divided: any number */
};
/* Requests all EVs of packets in this format. */
struct plan_generate plan_generate_all(
    const struct wire_format *, uint32_t plane_count, uint32_t uplink_count);
uint32_t plan_generate_count(const struct plan_generate *);
uint32_t plan_generate_slices(const struct plan_generate *);
void plan_generate(
    struct path_profile *, const struct plan_generate *, struct path_entry *entries, struct prng *);

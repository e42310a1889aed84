/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a port's paths. */
#include "plan/plan_profile.h"

#include "plan/plan.h"

static void shuffle(struct path_entry *entries, uint32_t count, struct prng *prng)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t other = i + prng_below(prng, count - i);
        struct path_entry swapped = entries[i];

        entries[i] = entries[other];
        entries[other] = swapped;
    }
}

void plan_profile_port(const struct plan *plan, uint32_t port, const uint8_t *switch_counts,
    uint32_t path_count, struct path_entry *entries, struct prng *prng)
{
    uint32_t start = 0;

    for (uint32_t i = 0; i < path_count; i++) {
        entries[i] = (struct path_entry){ .ev = plan_ev(plan, (struct ev_path){ port, i }),
            .plane = (uint8_t)port };
        if (i + 1 == path_count || switch_counts[i + 1] != switch_counts[i]) {
            shuffle(&entries[start], i + 1 - start, prng);
            start = i + 1;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the data paths of running NICs report, as evidence for mrc map. */
#pragma once

#include "control/control.h"

struct map_follow {
    struct map *map;
    const struct map_agent *agents; /* by NIC */
    uint32_t nic_count;
    struct map_evs evs;
    struct event_watch watch;
};

/* With an arena without memory, only measures. */
void map_follow_init(struct map_follow *, struct arena *, struct map *);
/* Follows the devices of the agents, except those beyond EVENT_WATCH_MAX. */
void map_follow_begin(struct map_follow *, const struct map_agent *agents, uint32_t nic_count);
/* Takes the events so far. */
void map_follow_turn(struct map_follow *);
/* Prints which senders avoid the element of the verdict. */
void map_follow_print(const struct map_follow *, const struct map_verdict *);

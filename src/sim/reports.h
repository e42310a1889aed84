/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes of a shard report to the observer in a window. With several shards, reports are
 * kept until the window has ended and then delivered in the order of nodes, so that the observer
 * sees them as with one shard. */
#pragma once

#include "base/arena.h"
#include "sim/sim.h"

enum report_kind {
    REPORT_EVENT,
    REPORT_COMPLETION,
    REPORT_RANK_FINISHED,
};

struct report {
    uint32_t node;
    enum report_kind kind;
    union {
        struct sim_event event; /* RANK_FINISHED: time and, as subject, the workload */
        struct sim_completion completion;
    };
};

struct reports {
    struct report *all; /* NULL: there is one shard, reports are delivered at once */
    uint32_t count;
    uint32_t room;
    uint32_t delivered;
    uint32_t node; /* the node that is being run */
};

void reports_init(struct reports *, struct arena *, uint32_t room);

/* Reports something, now or at the end of the window. Returns false if there is no room. */
bool reports_add(struct sim *, struct reports *, const struct report *);

/* Delivers the reports of all shards. */
void reports_deliver(struct sim *);

/* Reports an event that no node causes, between two windows. */
void reports_tell(struct sim *, const struct sim_event *);

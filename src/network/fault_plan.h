/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of a configuration, listed and random, as one stream of actions in order of time. Each
 * action concerns one end of one link.
 *
 * The plan lists actions. The owner of a port keeps its struct fault_link, applies the actions to
 * it at their times and calls fault_link_decide() for every packet that leaves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/prng.h"
#include "network/event_heap.h"
#include "network/fault_course.h"
#include "network/fault_generator.h"
#include "network/fault_link.h"

struct fault_plan_config {
    const struct plan *fabric;
    uint64_t seed;
    const struct fault *faults;
    uint32_t fault_count;
    const struct fault_generator *generators;
    uint32_t generator_count;
    uint64_t until_ps; /* there are no actions at or after this time */
};

/* A listed fault, or a component that a generator breaks one or more times before the end. */
struct fault_source {
    struct fault fault;
    struct fault_course course;
    struct topology_element element; /* of a generator: the target of `fault.where` */
    struct prng prng;
    uint32_t first_hold;
    uint32_t generator; /* FAULT_LISTED, or its index */
};
#define FAULT_LISTED UINT32_MAX

/* The position in the expansion of one change into link directions. */
struct fault_cursor {
    struct fault_change change;
    uint32_t source;
    uint32_t where;
    uint32_t slot;
    uint32_t hold; /* of the slot */
    bool is_active;
    bool tells;   /* the notice that the fault began or ended comes first */
    bool empties; /* the queues of the switch are discarded next */
};

struct fault_plan {
    struct fault_plan_config config;
    struct fault_source *sources;
    struct event_heap heap; /* sources with changes to come */
    struct fault_hold *holds;
    struct fault_cursor cursor;
    uint32_t source_count;
    uint32_t hold_count;
};

/* With an arena without memory, only measures. What the configuration points to must outlive the
 * plan and must have passed fault_check() and fault_generator_check(). */
void fault_plan_init(struct fault_plan *, struct arena *, const struct fault_plan_config *);

/* ---- actions --------------------------------------------------------------------------------- */

enum fault_action_kind {
    FAULT_BEGAN, /* a notice, with `fault` and the time; precedes the actions of the fault */
    FAULT_ENDED,
    FAULT_SWITCH_EMPTIED, /* the queues of switch `end.node` are discarded */
    FAULT_LINK_IMPAIRED,  /* apply with fault_plan_apply() to the port `end` */
    FAULT_LINK_RELIEVED,
    FAULT_ACTION_KIND_COUNT,
};

struct fault_action {
    uint64_t time_ps;
    enum fault_action_kind kind;
    uint32_t fault; /* index for fault_at() */
    uint32_t hold;
    struct topology_end end; /* the port that sends into the link */
};

/* Returns a lower bound of the time of the next action, or FAULT_NEVER_PS if there are no more. */
uint64_t fault_next_ps(const struct fault_plan *);
/* Returns the next action if it comes before `before_ps`. The order is by time and, at one time,
 * depends only on the configuration. A link without a cable has no actions. */
bool fault_pop(struct fault_plan *, uint64_t before_ps, struct fault_action *);

/* Listed faults come first, followed by one for each component that a generator breaks before the
 * end; its times are those of its last or next occurrence. */
uint32_t fault_count(const struct fault_plan *);
const struct fault *fault_at(const struct fault_plan *, uint32_t index);
/* Returns whether it impairs links, after all actions so far. */
bool fault_is_in_force(const struct fault_plan *, uint32_t index);

/* Applies FAULT_LINK_IMPAIRED or FAULT_LINK_RELIEVED to the port of its end. */
void fault_plan_apply(struct fault_plan *, struct fault_link *, const struct fault_action *);

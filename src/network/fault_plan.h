/* SPDX-License-Identifier: Apache-2.0 */
/* What breaks when: the faults of a configuration, those listed and those drawn at random, as one
 * stream of actions in order of time, each at one end of one link.
 *
 * The plan lists actions; the owner of a port keeps its struct fault_link, applies the actions to
 * it at their times and asks it about every packet that leaves. */
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
    uint64_t until_ps; /* nothing is told at or after this time */
};

/* A listed fault, or a component that a generator breaks before the end, once or again and again.
 */
struct fault_source {
    struct fault fault;
    struct fault_course course;
    struct topology_element element; /* of a generator: what `fault.where` points to */
    struct prng prng;
    uint32_t first_hold;
    uint32_t generator; /* FAULT_LISTED, or its index */
};
#define FAULT_LISTED UINT32_MAX

/* Where the expansion of one change into link directions stands. */
struct fault_cursor {
    struct fault_change change;
    uint32_t source;
    uint32_t where;
    uint32_t slot;
    uint32_t hold; /* of the slot */
    bool is_active;
    bool tells;   /* that the fault began or ended comes first */
    bool empties; /* the queues of the switch are next */
};

struct fault_plan {
    struct fault_plan_config config;
    struct fault_source *sources;
    struct event_heap heap; /* of sources with something to come */
    struct fault_hold *holds;
    struct fault_cursor cursor;
    uint32_t source_count;
    uint32_t hold_count;
};

/* Measures with an arena without memory. What the configuration points to must outlive the plan and
 * have passed fault_check() and fault_generator_check(). */
void fault_plan_init(struct fault_plan *, struct arena *, const struct fault_plan_config *);

/* ---- the stream ------------------------------------------------------------------------------ */

enum fault_action_kind {
    FAULT_BEGAN, /* for people: `fault` and the time; comes before the actions that make it so */
    FAULT_ENDED,
    FAULT_SWITCH_EMPTIED, /* the queues of switch `end.node` are lost */
    FAULT_LINK_IMPAIRED,  /* fault_link_apply() to the port `end` */
    FAULT_LINK_RELIEVED,
    FAULT_ACTION_KIND_COUNT,
};

struct fault_action {
    uint64_t time_ps;
    enum fault_action_kind kind;
    uint32_t fault; /* as fault_at() counts */
    uint32_t hold;
    struct topology_end end; /* the port that sends into the link */
};

/* FAULT_NEVER_PS: nothing more. There may be nothing at this time after all, but nothing is sooner.
 */
uint64_t fault_next_ps(const struct fault_plan *);
/* The next action, if it comes before `before_ps`. In order of time; of one time in an order that
 * depends on the configuration alone. A link without a cable has none. */
bool fault_pop(struct fault_plan *, uint64_t before_ps, struct fault_action *);

/* Listed ones first, then one for each component that a generator breaks before the end; its times
 * are those of the occurrence that came last or comes next. */
uint32_t fault_count(const struct fault_plan *);
const struct fault *fault_at(const struct fault_plan *, uint32_t index);
/* After all actions so far it impairs links. */
bool fault_is_in_force(const struct fault_plan *, uint32_t index);

/* FAULT_LINK_IMPAIRED or FAULT_LINK_RELIEVED happens at the port of its end. */
void fault_plan_apply(struct fault_plan *, struct fault_link *, const struct fault_action *);

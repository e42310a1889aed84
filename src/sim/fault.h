/* SPDX-License-Identifier: Apache-2.0 */
/* What breaks when: the faults of a configuration, those listed and those drawn at random, as one
 * stream of actions in order of time, each at one end of one link.
 *
 * Whatever a fault names (a switch, a plane, a transceiver) comes out as the link directions it
 * covers, each known by the port that sends into it. A NIC or a plane stands for all its links. So
 * does a switch that is down, flaps, reboots or is slow; where a switch loses, corrupts or
 * swallows, what leaves it does. `direction` cuts down either.
 *
 * The plan lists actions; the owner of a port keeps its struct fault_link, applies the actions to
 * it at their times and asks it about every packet that leaves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/prng.h"
#include "sim/sim.h"

struct fault_plan_config {
    const struct plan *fabric;
    uint64_t seed;
    const struct sim_fault *faults;
    uint32_t fault_count;
    const struct sim_fault_generator *generators;
    uint32_t generator_count;
    uint64_t until_ps; /* nothing is told at or after this time */
};

/* A listed fault, or a component that a generator breaks before the end, once or again and again.
 */
struct fault_source {
    struct sim_fault fault;
    struct topology_element element; /* of a generator: what `fault.where` points to */
    struct prng prng;
    uint64_t next_ps;
    uint32_t first_hold;
    uint32_t generator;  /* FAULT_LISTED, or its index */
    uint32_t flip_count; /* of a flap: so far in this occurrence */
    bool has_begun;
    bool impairs; /* now: a flap does not all the time */
};
#define FAULT_LISTED UINT32_MAX

struct fault_hold {
    uint32_t next; /* the next one on the same link direction, plus 1; 0: the last */
    uint32_t source;
};

/* Where the expansion of one change into link directions stands. */
struct fault_cursor {
    uint64_t time_ps;
    uint32_t source;
    uint32_t where;
    uint32_t slot;
    uint32_t hold; /* of the slot */
    bool is_active;
    bool impairs; /* or relieves */
    bool tells;   /* that the fault began or ended comes first */
    bool changes; /* the links, not just what is told */
    bool empties; /* the queues of the switch are next */
};

struct fault_plan {
    struct fault_plan_config config;
    struct fault_source *sources;
    uint32_t *heap; /* sources with something to come, by (next_ps, index) */
    struct fault_hold *holds;
    struct fault_cursor cursor;
    uint32_t source_count;
    uint32_t heap_count;
    uint32_t hold_count;
};

/* Measures with an arena without memory. What the configuration points to must outlive the plan and
 * have passed fault_check(). */
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
    uint32_t fault; /* as sim_fault_at() counts */
    uint32_t hold;
    struct topology_end end; /* the port that sends into the link */
};

/* SIM_NEVER_PS: nothing more. There may be nothing at this time after all, but nothing is sooner.
 */
uint64_t fault_next_ps(const struct fault_plan *);
/* The next action, if it comes before `before_ps`. In order of time; of one time in an order that
 * depends on the configuration alone. A link without a cable has none. */
bool fault_pop(struct fault_plan *, uint64_t before_ps, struct fault_action *);

/* Listed ones first, then one for each component that a generator breaks before the end; its times
 * are those of the occurrence that came last or comes next. */
uint32_t fault_count(const struct fault_plan *);
const struct sim_fault *fault_at(const struct fault_plan *, uint32_t index);
/* After all actions so far it impairs links. */
bool fault_is_in_force(const struct fault_plan *, uint32_t index);

/* ---- at a port ------------------------------------------------------------------------------- */

/* The way from a port to its peer; all zero: nothing is wrong with it. */
struct fault_link {
    uint32_t first; /* hold plus 1: what impairs it; 0: nothing */
    uint32_t down_count;
};

static inline bool fault_link_is_healthy(const struct fault_link *link)
{
    return (link->first | link->down_count) == 0;
}

static inline bool fault_link_is_down(const struct fault_link *link)
{
    return link->down_count > 0;
}

/* FAULT_LINK_IMPAIRED or FAULT_LINK_RELIEVED happens. Afterwards compare fault_link_is_down() and
 * fault_link_rate_bps() with what they were. */
void fault_link_apply(struct fault_plan *, struct fault_link *, const struct fault_action *);

enum fault_verdict {
    FAULT_PASSES,
    FAULT_DOWN, /* lost because the link is down */
    FAULT_BLACKHOLED,
    FAULT_LOST,
    FAULT_CORRUPTED, /* arrives, with a wrong iCRC */
    FAULT_VERDICT_COUNT,
};

/* What becomes of a packet with this EV that leaves by the link. `coin` is different for every
 * packet and the same in every engine: a hash of (seed, port, time). Only for links that are not
 * healthy. */
enum fault_verdict fault_link_decide(
    const struct fault_plan *, const struct fault_link *, uint32_t ev, uint64_t coin);

/* The slowest of what holds. */
uint64_t fault_link_rate_bps(
    const struct fault_plan *, const struct fault_link *, uint64_t healthy_bps);

/* ---- before the run -------------------------------------------------------------------------- */

/* All faults and generators make sense on this fabric; false: says which does not, and why. */
bool fault_check(const struct sim_config *, struct sim_problem *);

/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with one link direction, and what becomes of a packet that leaves by it. The owner
 * of a port keeps its struct fault_link and asks it about every packet. */
#pragma once

#include "network/fault.h"
#include "network/loss_reason.h"

/* A fault that harms packets, on one link direction. */
struct fault_hold {
    const struct fault *fault;
    uint32_t number; /* of the fault, for its coins */
    uint32_t next;   /* the next one on the same link direction, plus 1; 0: the last */
};

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

/* Fault `number` begins to impair the link, or no longer does: a count where it cuts, else hold
 * `hold` of the list. Afterwards compare fault_link_is_down() and fault_link_rate_bps() with what
 * they were. */
void fault_link_impair(struct fault_link *, struct fault_hold *holds, uint32_t hold,
    const struct fault *fault, uint32_t number);
void fault_link_relieve(
    struct fault_link *, struct fault_hold *holds, uint32_t hold, const struct fault *fault);

enum fault_verdict {
    FAULT_VERDICT_PASSES,
    FAULT_VERDICT_DOWN, /* lost because the link is down */
    FAULT_VERDICT_BLACKHOLED,
    FAULT_VERDICT_LOST,
    FAULT_VERDICT_CORRUPTED, /* arrives, with a wrong iCRC */
    FAULT_VERDICT_COUNT,
};

/* What becomes of a packet with this EV that leaves by the link. `coin` is different for every
 * packet; in the simulator it is the same in every engine, a hash of (seed, port, time). Only for
 * links that are not healthy. */
enum fault_verdict fault_link_decide(
    const struct fault_link *, const struct fault_hold *holds, uint32_t ev, uint64_t coin);
/* Some fault asks for the EV of each packet. */
bool fault_link_asks_ev(const struct fault_link *, const struct fault_hold *holds);

/* Of verdicts by which a packet does not arrive as it was. */
enum loss_reason fault_verdict_loss(enum fault_verdict);

/* The slowest of what holds. */
uint64_t fault_link_rate_bps(
    const struct fault_link *, const struct fault_hold *holds, uint64_t healthy_bps);

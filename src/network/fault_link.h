/* SPDX-License-Identifier: Apache-2.0 */
/* The impairments of one link direction, and their effect on a packet. The owner of a port keeps
 * its struct fault_link and calls fault_link_decide() for every packet. */
#pragma once

#include "network/fault.h"
#include "network/loss_reason.h"

/* A fault that affects packets, on one link direction. */
struct fault_hold {
    const struct fault *fault;
    uint32_t number; /* of the fault, for its random decisions */
    uint32_t next;   /* the next one on the same link direction, plus 1; 0 if it is the last */
};

/* The direction from a port to its peer. All zero means that it is healthy. */
struct fault_link {
    uint32_t first; /* hold plus 1 of the first impairment; 0 if none */
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

/* Fault `number` begins to impair the link, or stops impairing it: this changes a count if the kind
 * cuts the link, otherwise hold `hold` of the list. Afterwards the caller compares
 * fault_link_is_down() and fault_link_rate_bps() with their former values. */
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

/* Decides what happens to a packet with this EV that leaves by the link. `coin` is different for
 * every packet; in the simulator it is the same in every engine, a hash of (seed, port, time). Only
 * for links that are not healthy. */
enum fault_verdict fault_link_decide(
    const struct fault_link *, const struct fault_hold *holds, uint32_t ev, uint64_t coin);
/* Returns whether some fault needs the EV of each packet. */
bool fault_link_asks_ev(const struct fault_link *, const struct fault_hold *holds);

/* Returns the reason for verdicts by which a packet is lost or damaged. */
enum loss_reason fault_verdict_loss(enum fault_verdict);

/* Returns the lowest rate of all impairments. */
uint64_t fault_link_rate_bps(
    const struct fault_link *, const struct fault_hold *holds, uint64_t healthy_bps);

/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics side by side: of different shapes for the same GPUs, and the best for a goal. */
#pragma once

#include "study/size_bill.h"
#include "study/size_failures.h"
#include "study/size_report.h"

enum { SIZE_CANDIDATES_MAX = 16 };

/* What fabrics are judged with. */
struct size_judge {
    const struct size_site *site;
    const struct prices *prices;
    const struct job *job;
};

struct size_candidate {
    char name[SIZE_PART_BYTES];
    struct size_fabric fabric; /* one of `copies` */
    uint64_t copies; /* separate fabrics, if one has too few places; 0: not even one can be built */
    uint64_t switches; /* of all copies, as the rest */
    uint64_t modules;
    struct price_range usd;
    struct price_range watts;
    double latency_s;   /* longest path */
    double worst_share; /* of the rate of a NIC that a single failure of the fabric takes */
    struct price_range gpu_hours[JOB_PROTOCOLS_MAX]; /* lost in a year by failures of the network */
    uint64_t gpus_for_budget;       /* GPUs of such a fabric for the cost of the first */
    char reason[SIZE_REASON_BYTES]; /* if copies is 0 */
};

enum size_goal {
    SIZE_CHEAPEST,
    SIZE_FASTEST,
    SIZE_MOST_RESILIENT,
    SIZE_GOAL_COUNT,
};
/* "cheapest", ...; NULL at the end. */
extern const char *const size_goal_words[SIZE_GOAL_COUNT + 1];

/* Fills the list: the request itself, then two tiers with other planes, three and four tiers, rail,
 * ZCube, InfiniBand. Returns how many. */
uint32_t size_candidates_compare(const struct size_request *, const struct size_judge *,
    struct size_candidate list[static SIZE_CANDIDATES_MAX]);

/* What a search may change. */
struct size_freedom {
    bool planes;
    bool tiers;
    bool switches;
    uint32_t oversubscription; /* the most, in thousandths */
};
/* Fills the list with the best, best first. Returns how many. */
uint32_t size_candidates_search(const struct size_request *, const struct size_freedom *,
    enum size_goal, const struct size_judge *,
    struct size_candidate list[static SIZE_CANDIDATES_MAX]);

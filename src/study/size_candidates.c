/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes many fabrics with the same judge. */
#include "study/size_candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const size_goal_words[SIZE_GOAL_COUNT + 1] = {
    [SIZE_CHEAPEST] = "cheapest",
    [SIZE_FASTEST] = "fastest",
    [SIZE_MOST_RESILIENT] = "most-resilient",
};

static struct price_range times(struct price_range range, uint64_t copies)
{
    return (struct price_range){ range.least * (double)copies, range.most * (double)copies };
}

static double middle(struct price_range range)
{
    return (range.least + range.most) / 2;
}

static uint64_t largest_of(const struct size_request *request)
{
    uint64_t largest = 0;
    uint32_t first = request->tiers ? request->tiers : 1;
    uint32_t last = request->tiers ? request->tiers : SIZE_TIERS_MAX;

    for (uint32_t tiers = first; tiers <= last; tiers++) {
        uint64_t of = size_largest(request, tiers);

        if (of > largest)
            largest = of;
    }
    return largest;
}

/* Sizes one fabric, or several that share the GPUs, if one is too small. */
static bool solve_copies(const struct size_request *request, struct size_candidate *candidate)
{
    struct size_request part = *request;
    uint64_t largest;

    candidate->copies = 1;
    if (size_solve(request, &candidate->fabric, candidate->reason))
        return true;
    largest = largest_of(request);
    candidate->copies = 0;
    if (largest == 0)
        return false;
    candidate->copies = (request->gpus + largest - 1) / largest;
    part.gpus = (request->gpus + candidate->copies - 1) / candidate->copies;
    if (!size_solve(&part, &candidate->fabric, candidate->reason))
        candidate->copies = 0;
    return candidate->copies > 0;
}

static struct price_range cost_of(const struct size_candidate *candidate,
    const struct size_judge *judge, struct price_range *watts)
{
    struct size_bill bill;

    size_bill_make(&candidate->fabric, judge->site, judge->prices, &bill);
    *watts = times(bill.watts, candidate->copies);
    return times(bill.usd, candidate->copies);
}

static void judge_candidate(struct size_candidate *candidate, const struct size_judge *judge)
{
    const struct size_fabric *fabric = &candidate->fabric;
    struct size_failures *failures = malloc(sizeof(*failures));

    candidate->switches = size_switches(fabric) * candidate->copies;
    candidate->modules = size_modules(fabric) * candidate->copies;
    candidate->usd = cost_of(candidate, judge, &candidate->watts);
    candidate->latency_s = size_latency_s(fabric, judge->site, size_longest(fabric));
    candidate->worst_share = 1.0 / fabric->nic_ports;
    if (failures && size_failures_find(fabric, judge->job, failures))
        for (uint32_t i = 0; i < judge->job->protocol_count; i++)
            candidate->gpu_hours[i] = times(failures->gpu_hours[i], candidate->copies);
    free(failures);
}

/* ---- side by side ---------------------------------------------------------------------------- */

struct listing {
    const struct size_judge *judge;
    struct size_candidate *list;
    uint32_t count;
};

static void add_candidate(
    struct listing *listing, const struct size_request *request, const char *name)
{
    struct size_candidate *candidate = &listing->list[listing->count];

    if (listing->count == SIZE_CANDIDATES_MAX)
        return;
    listing->count++;
    *candidate = (struct size_candidate){ 0 };
    snprintf(candidate->name, sizeof(candidate->name), "%s", name);
    if (solve_copies(request, candidate))
        judge_candidate(candidate, listing->judge);
}

static void add_planes(struct listing *listing, struct size_request request)
{
    request.kind = SIZE_CLOS;
    request.uplink_bps = request.hosts_per_leaf = 0;
    request.tiers = 2;
    for (request.planes = 1; request.planes <= 16; request.planes *= 2) {
        char name[SIZE_PART_BYTES];

        snprintf(name, sizeof(name), "2 tiers, %u plane%s", request.planes,
            request.planes == 1 ? "" : "s");
        if (request.nic_bps / request.planes >= request.lane_bps)
            add_candidate(listing, &request, name);
    }
}

static void add_shapes(struct listing *listing, struct size_request request)
{
    static const struct {
        const char *name;
        enum size_kind kind;
        uint32_t tiers;
    } shapes[] = {
        { "3 tiers, 1 plane", SIZE_CLOS, 3 },
        { "4 tiers, 1 plane", SIZE_CLOS, 4 },
        { "rail-optimised", SIZE_RAIL_OPTIMISED, 0 },
        { "rail-only", SIZE_RAIL_ONLY, 0 },
        { "ZCube", SIZE_ZCUBE, 0 },
        { "InfiniBand", SIZE_INFINIBAND, 0 },
    };

    request.planes = 1;
    request.uplink_bps = request.hosts_per_leaf = 0;
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        request.kind = shapes[i].kind;
        request.tiers = shapes[i].tiers;
        add_candidate(listing, &request, shapes[i].name);
    }
}

/* Returns how many GPUs such a fabric has for this cost. */
static uint64_t gpus_for(
    const struct size_candidate *like, double usd, const struct size_judge *judge)
{
    uint64_t least = 0;
    uint64_t most = 16 * like->fabric.request.gpus * like->copies;

    while (least < most) {
        struct size_candidate candidate = { 0 };
        struct size_request request = like->fabric.request;
        struct price_range watts;

        request.gpus = (least + most + 1) / 2;
        if (request.gpus <= SIZE_GPUS_MAX && solve_copies(&request, &candidate) &&
            middle(cost_of(&candidate, judge, &watts)) <= usd)
            least = request.gpus;
        else
            most = request.gpus - 1;
    }
    return least;
}

uint32_t size_candidates_compare(const struct size_request *request, const struct size_judge *judge,
    struct size_candidate list[static SIZE_CANDIDATES_MAX])
{
    struct listing listing = { judge, list, 0 };

    add_candidate(&listing, request, "this fabric");
    add_planes(&listing, *request);
    add_shapes(&listing, *request);
    for (uint32_t i = 0; i < listing.count; i++)
        if (list[0].copies > 0 && list[i].copies > 0)
            list[i].gpus_for_budget = gpus_for(&list[i], middle(list[0].usd), judge);
    return listing.count;
}

/* ---- search ---------------------------------------------------------------------------------- */

static double expected_hours(const struct size_candidate *candidate)
{
    return middle(candidate->gpu_hours[0]);
}

/* Returns whether the first is better for the goal; cost decides between equals. */
static bool is_better(
    const struct size_candidate *first, const struct size_candidate *second, enum size_goal goal)
{
    double cost = middle(first->usd) - middle(second->usd);
    double difference = 0;

    if (goal == SIZE_FASTEST)
        difference = first->latency_s - second->latency_s;
    if (goal == SIZE_MOST_RESILIENT)
        difference = first->worst_share - second->worst_share;
    if (goal == SIZE_MOST_RESILIENT && difference == 0)
        difference = expected_hours(first) - expected_hours(second);
    return difference != 0 ? difference < 0 : cost < 0;
}

static void insert_candidate(
    struct listing *listing, const struct size_candidate *candidate, enum size_goal goal)
{
    uint32_t at = listing->count;

    while (at > 0 && is_better(candidate, &listing->list[at - 1], goal))
        at--;
    if (at == SIZE_CANDIDATES_MAX)
        return;
    if (listing->count < SIZE_CANDIDATES_MAX)
        listing->count++;
    memmove(
        &listing->list[at + 1], &listing->list[at], (listing->count - 1 - at) * sizeof(*candidate));
    listing->list[at] = *candidate;
}

static void try_request(
    struct listing *listing, const struct size_request *request, enum size_goal goal)
{
    struct size_candidate candidate = { .copies = 1 };

    if (!size_solve(request, &candidate.fabric, candidate.reason))
        return;
    judge_candidate(&candidate, listing->judge);
    snprintf(candidate.name, sizeof(candidate.name), "%u x %g Gb/s, %u tiers, %g Tb/s, %g : 1",
        candidate.fabric.nic_ports, (double)candidate.fabric.port_bps / 1e9,
        candidate.fabric.tier_count, (double)request->switch_bps / 1e12,
        request->oversubscription / (double)SIZE_EVEN);
    insert_candidate(listing, &candidate, goal);
}

static void try_tiers(struct listing *listing, struct size_request request,
    const struct size_freedom *freedom, enum size_goal goal)
{
    uint32_t most = freedom->oversubscription;

    for (request.oversubscription = SIZE_EVEN; request.oversubscription <= most;
         request.oversubscription *= 2) {
        if (!freedom->tiers) {
            try_request(listing, &request, goal);
            continue;
        }
        for (request.tiers = 1; request.tiers <= SIZE_TIERS_MAX; request.tiers++)
            try_request(listing, &request, goal);
    }
}

uint32_t size_candidates_search(const struct size_request *request,
    const struct size_freedom *freedom, enum size_goal goal, const struct size_judge *judge,
    struct size_candidate list[static SIZE_CANDIDATES_MAX])
{
    static const uint64_t chips[] = { UINT64_C(25600000000000), UINT64_C(51200000000000),
        UINT64_C(102400000000000) };
    struct listing listing = { judge, list, 0 };
    struct size_request tried = *request;

    for (uint32_t planes = 1; planes <= GRAPH_PLANES_MAX; planes++) {
        if (!freedom->planes && planes != request->planes)
            continue;
        tried.planes = planes;
        if (tried.nic_bps % planes || (freedom->planes && tried.nic_bps / planes < tried.lane_bps))
            continue;
        for (uint32_t i = 0; i < (freedom->switches ? 3u : 1u); i++) {
            tried.switch_bps = freedom->switches ? chips[i] : request->switch_bps;
            try_tiers(&listing, tried, freedom, goal);
        }
    }
    return listing.count;
}

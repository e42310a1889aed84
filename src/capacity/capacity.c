/* SPDX-License-Identifier: Apache-2.0 */
/* Scales the input to a problem, selects the solver, and converts the solution to rates. */
#include "capacity/capacity.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "capacity/max_min.h"

/* Solvers on different machines may differ in the last digits; rates in results must not. Rates are
 * therefore rounded to whole kb/s, and the rounding threshold is neither a half nor a third, where
 * exact rates may lie. */
#define RATE_STEP_BPS 1000.0
#define ROUND_UP_FROM 0.618034

const char *capacity_method_word(enum capacity_method method)
{
    static const char *const words[CAPACITY_METHOD_COUNT] = {
        [CAPACITY_WATER_FILLING] = "water_filling",
        [CAPACITY_LINEAR_PROGRAM] = "linear_program",
        [CAPACITY_BOUNDS] = "bounds",
    };

    assert(method < CAPACITY_METHOD_COUNT);
    return words[method];
}

/* ---- rates ----------------------------------------------------------------------------------- */

static int rates_init(struct capacity_rates *rates, const struct capacity_input *input)
{
    size_t flow_count = input->flow_count ? input->flow_count : 1;

    *rates = (struct capacity_rates){ .flow_count = input->flow_count };
    rates->flow_bps = calloc(flow_count, sizeof(*rates->flow_bps));
    rates->first_limit = calloc(flow_count, sizeof(*rates->first_limit));
    rates->limit_count = calloc(flow_count, sizeof(*rates->limit_count));
    rates->limits = calloc(flow_count + input->hop_count, sizeof(*rates->limits));
    if (rates->flow_bps && rates->first_limit && rates->limit_count && rates->limits)
        return 0;
    capacity_rates_fini(rates);
    return -ENOMEM;
}

void capacity_rates_fini(struct capacity_rates *rates)
{
    free(rates->flow_bps);
    free(rates->first_limit);
    free(rates->limit_count);
    free(rates->limits);
    *rates = (struct capacity_rates){ 0 };
}

/* ---- the problem ----------------------------------------------------------------------------- */

struct solving {
    const struct capacity_input *input;
    struct capacity_rates *rates;
    struct max_min problem;
    double unit_bps;
    uint32_t *listed; /* by link: the last flow, plus 1, that lists it as a limit */
    uint32_t limit_count;
};

static void take_memory(struct solving *solving, struct arena *arena)
{
    const struct capacity_input *input = solving->input;
    struct max_min *problem = &solving->problem;

    problem->link = arena_take(arena, input->link_count, sizeof(*problem->link), alignof(double));
    problem->flows =
        arena_take(arena, input->flow_count, sizeof(*problem->flows), alignof(struct max_min_flow));
    problem->paths =
        arena_take(arena, input->path_count, sizeof(*problem->paths), alignof(struct max_min_path));
    problem->hops =
        arena_take(arena, input->hop_count, sizeof(*problem->hops), alignof(struct max_min_hop));
    solving->listed =
        arena_take(arena, input->link_count, sizeof(*solving->listed), alignof(uint32_t));
}

/* Returns the lowest level possible on a link: all flows that can cross it do so. */
static double level_bps(const struct solving *solving, uint32_t link)
{
    return solving->input->link_bps[link] / solving->problem.link[link];
}

/* Chooses the lowest possible level as the unit, so that all levels are at least 1. Uses `link` to
 * count the flows that can cross each link. */
static void take_unit(struct solving *solving)
{
    const struct capacity_input *input = solving->input;

    solving->unit_bps = (double)INFINITY;
    for (uint32_t f = 0; f < input->flow_count; f++)
        for (uint32_t p = 0; p < input->flows[f].path_count; p++) {
            const struct capacity_path *path = &input->paths[input->flows[f].first_path + p];

            for (uint32_t i = 0; i < path->hop_count; i++)
                solving->problem.link[input->hops[path->first_hop + i]] +=
                    input->flows[f].weight / path->payload_share;
        }
    for (uint32_t link = 0; link < input->link_count; link++)
        if (input->link_bps[link] > 0 && solving->problem.link[link] > 0)
            solving->unit_bps = fmin(solving->unit_bps, level_bps(solving, link));
    if (solving->unit_bps == (double)INFINITY)
        solving->unit_bps = 1;
}

static void take_links(struct solving *solving)
{
    const struct capacity_input *input = solving->input;

    take_unit(solving);
    for (uint32_t i = 0; i < input->link_count; i++)
        solving->problem.link[i] = input->link_bps[i] / solving->unit_bps;
}

static bool is_out(const struct capacity_input *input, const struct capacity_path *path)
{
    for (uint32_t i = 0; i < path->hop_count; i++)
        if (input->link_bps[input->hops[path->first_hop + i]] <= 0)
            return true;
    return false;
}

static void take_path(struct solving *solving, const struct capacity_path *path)
{
    struct max_min *problem = &solving->problem;

    assert(path->payload_share > 0);
    problem->paths[problem->path_count++] = (struct max_min_path){ .first_hop = problem->hop_count,
        .hop_count = path->hop_count,
        .times = 1,
        .payload_share = path->payload_share };
    for (uint32_t i = 0; i < path->hop_count; i++)
        problem->hops[problem->hop_count++] =
            (struct max_min_hop){ .link = solving->input->hops[path->first_hop + i], .times = 1 };
}

static void take_flow(struct solving *solving, const struct capacity_flow *from)
{
    const struct capacity_input *input = solving->input;
    struct max_min *problem = &solving->problem;
    struct max_min_flow *to = &problem->flows[problem->flow_count++];

    assert(from->weight > 0);
    *to = (struct max_min_flow){ .first_path = problem->path_count,
        .weight = from->weight,
        .feeds = from->feeds,
        .limit = from->limit_bps > 0 ? from->limit_bps / solving->unit_bps / from->weight
                                     : (double)INFINITY };
    for (uint32_t i = 0; i < from->path_count; i++)
        if (!is_out(input, &input->paths[from->first_path + i]))
            take_path(solving, &input->paths[from->first_path + i]);
    to->path_count = problem->path_count - to->first_path;
}

/* Each path belongs to a flow. */
static void forget_unused_paths(struct max_min *problem)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < problem->flow_count; i++) {
        struct max_min_flow *flow = &problem->flows[i];

        memmove(&problem->paths[kept], &problem->paths[flow->first_path],
            flow->path_count * sizeof(*problem->paths));
        flow->first_path = kept;
        kept += flow->path_count;
    }
    problem->path_count = kept;
}

/* What a flow without a path feeds carries nothing either. */
static void starve_flows(struct max_min *problem)
{
    bool has_starved = false;

    for (uint32_t flow = 0; flow < problem->flow_count; flow++) {
        uint32_t next = problem->flows[flow].path_count == 0 ? problem->flows[flow].feeds : 0;

        while (next && problem->flows[next - 1].path_count > 0) {
            problem->flows[next - 1].path_count = 0;
            next = problem->flows[next - 1].feeds;
            has_starved = true;
        }
    }
    if (has_starved)
        forget_unused_paths(problem);
}

static void take_problem(struct solving *solving)
{
    take_links(solving);
    solving->problem.link_count = solving->input->link_count;
    for (uint32_t i = 0; i < solving->input->flow_count; i++)
        take_flow(solving, &solving->input->flows[i]);
    starve_flows(&solving->problem);
}

/* ---- the solution ---------------------------------------------------------------------------- */

static void list_limits(struct solving *solving, uint32_t flow, const double *price)
{
    const struct max_min *problem = &solving->problem;
    const struct max_min_flow *its = &problem->flows[flow];

    for (uint32_t p = 0; p < its->path_count; p++) {
        const struct max_min_path *path = &problem->paths[its->first_path + p];

        for (uint32_t i = 0; i < path->hop_count; i++) {
            uint32_t link = problem->hops[path->first_hop + i].link;

            if (price[link] <= 0 || solving->listed[link] == flow + 1)
                continue;
            solving->listed[link] = flow + 1;
            solving->rates->limits[solving->limit_count++] = link;
        }
    }
}

static void on_fixed(void *context, uint32_t flow, double level, const double *price)
{
    struct solving *solving = context;
    struct capacity_rates *rates = solving->rates;
    double rate_bps = level * solving->problem.flows[flow].weight * solving->unit_bps;

    rates->flow_bps[flow] = floor(rate_bps / RATE_STEP_BPS + 1 - ROUND_UP_FROM) * RATE_STEP_BPS;
    rates->sum_bps += rates->flow_bps[flow];
    rates->first_limit[flow] = solving->limit_count;
    if (price)
        list_limits(solving, flow, price);
    else
        rates->limits[solving->limit_count++] = CAPACITY_OWN_LIMIT;
    rates->limit_count[flow] = solving->limit_count - rates->first_limit[flow];
}

static bool has_one_path_each(const struct max_min *problem)
{
    for (uint32_t flow = 0; flow < problem->flow_count; flow++)
        if (problem->flows[flow].path_count > 1)
            return false;
    return true;
}

/* Measured: a microsecond is about ten hops. */
static uint64_t filling_effort(uint64_t path_count)
{
    return 5 * path_count;
}

static int solve_problem(struct solving *solving)
{
    struct max_min *problem = &solving->problem;

    problem->on_fixed = on_fixed;
    problem->context = solving;
    solving->rates->effort = filling_effort(problem->path_count);
    if (has_one_path_each(problem))
        return max_min_fill(problem);
    solving->rates->method = CAPACITY_LINEAR_PROGRAM;
    return max_min_solve_alike(problem, &solving->rates->effort);
}

int capacity_solve(const struct capacity_input *input, struct capacity_rates *rates)
{
    struct solving solving = { .input = input, .rates = rates };
    struct arena arena;
    void *memory;
    int err = rates_init(rates, input);

    if (err)
        return err;
    arena_init(&arena, NULL, 0);
    take_memory(&solving, &arena);
    memory = malloc(arena.used_bytes + 1);
    if (!memory) {
        capacity_rates_fini(rates);
        return -ENOMEM;
    }
    arena_init(&arena, memory, arena.used_bytes);
    take_memory(&solving, &arena);
    take_problem(&solving);
    err = solve_problem(&solving);
    free(memory);
    if (err)
        capacity_rates_fini(rates);
    return err;
}

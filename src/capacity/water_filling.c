/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of flows with one path each. All levels grow together until a link is full, which fixes the
 * flows that cross it. The link that fills up next is on top of a heap. The level at which a link
 * is full only grows, so an entry of the heap may be too low; it is corrected when it reaches the
 * top. */
#include <errno.h>
#include <math.h>
#include <stdalign.h>
#include <stdlib.h>

#include "capacity/max_min.h"

enum { NONE = 0 };

#define EQUAL 1e-9 /* levels that differ by less are equal */

struct fill_event {
    double level;
    uint32_t link; /* or link_count + flow: limit of the flow */
};

struct crossing {
    uint32_t flow;
    uint32_t next; /* next crossing of the same link, plus 1; NONE: the last */
};

struct filling {
    const struct max_min *problem;
    struct fill_event *heap;
    uint32_t heap_count;
    double *left;      /* by link: rate that fixed flows leave */
    double *demand;    /* by link: wire rate of the other flows at level 1 */
    uint32_t *waiting; /* by link: number of the other flows */
    double *price;     /* by link: above 0 if it is full */
    uint32_t *first;   /* by link: its first crossing, plus 1 */
    struct crossing *crossings;
    bool *is_fixed; /* by flow */
};

/* ---- the heap -------------------------------------------------------------------------------- */

static bool is_sooner(const struct fill_event *left, const struct fill_event *right)
{
    return left->level != right->level ? left->level < right->level : left->link < right->link;
}

static void sift_down(struct filling *filling, uint32_t place)
{
    struct fill_event *heap = filling->heap;
    struct fill_event moving = heap[place];

    for (;;) {
        uint32_t child = 2 * place + 1;

        if (child >= filling->heap_count)
            break;
        if (child + 1 < filling->heap_count && is_sooner(&heap[child + 1], &heap[child]))
            child++;
        if (is_sooner(&moving, &heap[child]))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moving;
}

static void drop_top(struct filling *filling)
{
    filling->heap[0] = filling->heap[--filling->heap_count];
    if (filling->heap_count > 0)
        sift_down(filling, 0);
}

/* ---- flows on links -------------------------------------------------------------------------- */

static uint32_t hop_count(const struct max_min *problem, uint32_t flow)
{
    const struct max_min_flow *its = &problem->flows[flow];

    return its->path_count ? problem->paths[its->first_path].hop_count : 0;
}

static uint32_t link_at(const struct max_min *problem, uint32_t flow, uint32_t hop)
{
    return problem->hops[problem->paths[problem->flows[flow].first_path].first_hop + hop].link;
}

/* Only of a flow with a path. */
static double wire_demand(const struct max_min *problem, uint32_t flow)
{
    const struct max_min_flow *its = &problem->flows[flow];

    return its->weight / problem->paths[its->first_path].payload_share;
}

static void add_flow(struct filling *filling, uint32_t flow, uint32_t *crossing_count)
{
    const struct max_min *problem = filling->problem;

    for (uint32_t hop = 0; hop < hop_count(problem, flow); hop++) {
        uint32_t link = link_at(problem, flow, hop);

        filling->crossings[*crossing_count] =
            (struct crossing){ .flow = flow, .next = filling->first[link] };
        filling->first[link] = ++*crossing_count;
        filling->demand[link] += wire_demand(problem, flow);
        filling->waiting[link]++;
    }
}

static void fix_one(struct filling *filling, uint32_t flow, double level, const double *price)
{
    const struct max_min *problem = filling->problem;

    filling->is_fixed[flow] = true;
    max_min_fix(problem, flow, level, price);
    for (uint32_t hop = 0; hop < hop_count(problem, flow); hop++) {
        uint32_t link = link_at(problem, flow, hop);

        filling->left[link] -= level * wire_demand(problem, flow);
        filling->demand[link] -= wire_demand(problem, flow);
        filling->waiting[link]--;
    }
}

/* Flows that are not fixed have the same level, so those that it feeds have reached their limit. */
static void fix_flow(struct filling *filling, uint32_t flow, double level, const double *price)
{
    const struct max_min_flow *flows = filling->problem->flows;

    if (filling->is_fixed[flow])
        return;
    fix_one(filling, flow, level, price);
    for (uint32_t next = flows[flow].feeds;
         next && flows[next - 1].path_count > 0 && !filling->is_fixed[next - 1];
         next = flows[next - 1].feeds)
        fix_one(filling, next - 1, level, NULL);
}

static double level_of(const struct filling *filling, uint32_t link)
{
    double left = filling->left[link];

    return left > 0 ? left / filling->demand[link] : 0;
}

/* If several links are full at once, reports the first on the path of the flow. */
static void fix_at(struct filling *filling, uint32_t flow, double level)
{
    const struct max_min *problem = filling->problem;

    if (filling->is_fixed[flow])
        return;
    for (uint32_t hop = 0; hop < hop_count(problem, flow); hop++) {
        uint32_t link = link_at(problem, flow, hop);

        if (level_of(filling, link) > level * (1 + EQUAL))
            continue;
        filling->price[link] = 1;
        fix_flow(filling, flow, level, filling->price);
        filling->price[link] = 0;
        return;
    }
}

static void fix_link(struct filling *filling, uint32_t link, double level)
{
    for (uint32_t at = filling->first[link]; at != NONE; at = filling->crossings[at - 1].next)
        fix_at(filling, filling->crossings[at - 1].flow, level);
}

/* ---- filling --------------------------------------------------------------------------------- */

static void fill_links(struct filling *filling)
{
    uint32_t link_count = filling->problem->link_count;
    double level = 0; /* must not fall because of rounding */

    while (filling->heap_count > 0) {
        struct fill_event *top = &filling->heap[0];

        if (top->link >= link_count) {
            fix_flow(filling, top->link - link_count, top->level, NULL);
        } else if (filling->waiting[top->link] > 0) {
            double now = level_of(filling, top->link);

            if (now > top->level) {
                top->level = now;
                sift_down(filling, 0);
                continue;
            }
            level = now > level ? now : level;
            fix_link(filling, top->link, level);
        }
        drop_top(filling);
    }
}

static void take_memory(struct filling *filling, struct arena *arena)
{
    const struct max_min *problem = filling->problem;
    uint32_t links = problem->link_count;
    uint32_t flows = problem->flow_count;
    size_t crossings = 0;

    for (uint32_t flow = 0; flow < flows; flow++)
        crossings += hop_count(problem, flow);
    filling->heap =
        arena_take(arena, links + flows, sizeof(*filling->heap), alignof(struct fill_event));
    filling->left = arena_take(arena, links, sizeof(double), alignof(double));
    filling->demand = arena_take(arena, links, sizeof(double), alignof(double));
    filling->waiting = arena_take(arena, links, sizeof(uint32_t), alignof(uint32_t));
    filling->price = arena_take(arena, links, sizeof(double), alignof(double));
    filling->first = arena_take(arena, links, sizeof(uint32_t), alignof(uint32_t));
    filling->crossings =
        arena_take(arena, crossings, sizeof(*filling->crossings), alignof(struct crossing));
    filling->is_fixed = arena_take(arena, flows, sizeof(bool), 1);
}

static void plan_events(struct filling *filling)
{
    const struct max_min *problem = filling->problem;

    for (uint32_t link = 0; link < problem->link_count; link++) {
        filling->left[link] = problem->link[link];
        if (filling->waiting[link] > 0)
            filling->heap[filling->heap_count++] =
                (struct fill_event){ .level = level_of(filling, link), .link = link };
    }
    for (uint32_t flow = 0; flow < problem->flow_count; flow++)
        if (problem->flows[flow].path_count > 0 && problem->flows[flow].limit < (double)INFINITY)
            filling->heap[filling->heap_count++] =
                (struct fill_event){ .level = problem->flows[flow].limit,
                    .link = problem->link_count + flow };
    for (uint32_t place = filling->heap_count / 2; place-- > 0;)
        sift_down(filling, place);
}

int max_min_fill(const struct max_min *problem)
{
    struct filling filling = { .problem = problem };
    uint32_t crossing_count = 0;
    struct arena arena;
    void *memory;

    arena_init(&arena, NULL, 0);
    take_memory(&filling, &arena);
    memory = malloc(arena.used_bytes + 1);
    if (!memory)
        return -ENOMEM;
    arena_init(&arena, memory, arena.used_bytes);
    take_memory(&filling, &arena);
    for (uint32_t flow = 0; flow < problem->flow_count; flow++)
        add_flow(&filling, flow, &crossing_count);
    plan_events(&filling);
    fill_links(&filling);
    free(memory);
    return 0;
}

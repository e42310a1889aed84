/* SPDX-License-Identifier: Apache-2.0 */
/* Merges equivalent flows, links and paths before the linear program.
 *
 * Flows, links and paths get colours: first by their own numbers, then repeatedly by the colours
 * of their neighbours, until no colour splits any more. If all members of a colour are then given
 * their mean, a solution stays a solution. Max-min rates are unique, so all flows of one colour
 * have the same rate, and a program with one member of each colour finds it. For example, the flows
 * of an all-to-all below one T0 are one flow in the program. */
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "capacity/max_min.h"

enum { ROUNDS_MAX = 64 };

#define EFFORT_MAX UINT64_C(5000000) /* about 0.5 s */

/* The colours of all flows, of all links or of all paths. */
struct colours {
    uint64_t *of;    /* colour of each member */
    uint64_t *sum;   /* what the neighbours add to each in this round */
    uint32_t *class; /* of each member: the number of its colour */
    uint32_t *first; /* of each class: its first member, plus 1 */
    uint32_t *next;  /* of each member: the next of its class, plus 1; 0: none */
    uint32_t *size;  /* members of each class */
    uint64_t *scratch;
    uint32_t count;
    uint32_t class_count;
};

struct alike {
    const struct max_min *whole;
    struct max_min part; /* one member of each class */
    struct colours links;
    struct colours flows;
    struct colours paths;
    uint32_t *flow_of_path;
    uint32_t *seen_path; /* of each class: the last flow, plus 1, with such a path */
    double *price;       /* of the links of the whole problem */
};

/* ---- colours --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static uint64_t mix_double(uint64_t hash, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return mix(hash, bits);
}

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Sorts the distinct colours into `scratch`. */
static void count_classes(struct colours *colours)
{
    uint32_t distinct = 0;

    memcpy(colours->scratch, colours->of, colours->count * sizeof(*colours->of));
    if (colours->count > 0)
        qsort(colours->scratch, colours->count, sizeof(*colours->scratch), ascending);
    for (uint32_t i = 0; i < colours->count; i++)
        if (i == 0 || colours->scratch[i] != colours->scratch[distinct - 1])
            colours->scratch[distinct++] = colours->scratch[i];
    colours->class_count = distinct;
}

static void paint_by_own(struct alike *alike)
{
    const struct max_min *whole = alike->whole;

    for (uint32_t i = 0; i < whole->link_count; i++)
        alike->links.of[i] = mix_double(1, whole->link[i]);
    for (uint32_t i = 0; i < whole->flow_count; i++) {
        const struct max_min_flow *flow = &whole->flows[i];

        alike->flows.of[i] = mix_double(mix_double(2, flow->weight), flow->limit);
        for (uint32_t p = 0; p < flow->path_count; p++)
            alike->flow_of_path[flow->first_path + p] = i;
    }
}

static void paint_paths(struct alike *alike)
{
    const struct max_min *whole = alike->whole;

    for (uint32_t i = 0; i < whole->path_count; i++) {
        const struct max_min_path *path = &whole->paths[i];
        uint64_t own = mix_double(4, path->payload_share);
        uint64_t sum = 0;

        for (uint32_t hop = 0; hop < path->hop_count; hop++)
            sum += mix(3, alike->links.of[whole->hops[path->first_hop + hop].link]);
        alike->paths.of[i] = mix(mix(own, alike->flows.of[alike->flow_of_path[i]]), sum);
    }
}

/* A flow has the colours of what feeds it and of what it feeds. */
static void paint_by_feeding(struct alike *alike)
{
    const struct max_min *whole = alike->whole;

    for (uint32_t i = 0; i < whole->flow_count; i++) {
        uint32_t fed = whole->flows[i].feeds;

        if (fed == 0)
            continue;
        alike->flows.sum[i] += mix(6, alike->flows.of[fed - 1]);
        alike->flows.sum[fed - 1] += mix(7, alike->flows.of[i]);
    }
}

static void paint_by_paths(struct alike *alike)
{
    const struct max_min *whole = alike->whole;

    memset(alike->links.sum, 0, alike->links.count * sizeof(uint64_t));
    memset(alike->flows.sum, 0, alike->flows.count * sizeof(uint64_t));
    for (uint32_t i = 0; i < whole->path_count; i++) {
        const struct max_min_path *path = &whole->paths[i];
        uint64_t colour = mix(5, alike->paths.of[i]);

        alike->flows.sum[alike->flow_of_path[i]] += colour;
        for (uint32_t hop = 0; hop < path->hop_count; hop++)
            alike->links.sum[whole->hops[path->first_hop + hop].link] += colour;
    }
    paint_by_feeding(alike);
    for (uint32_t i = 0; i < alike->links.count; i++)
        alike->links.of[i] = mix(alike->links.of[i], alike->links.sum[i]);
    for (uint32_t i = 0; i < alike->flows.count; i++)
        alike->flows.of[i] = mix(alike->flows.of[i], alike->flows.sum[i]);
}

static uint32_t count_all(struct alike *alike)
{
    count_classes(&alike->links);
    count_classes(&alike->flows);
    count_classes(&alike->paths);
    return alike->links.class_count + alike->flows.class_count + alike->paths.class_count;
}

/* Returns false if colours still split. */
static bool paint_all(struct alike *alike)
{
    uint32_t before = 0;

    paint_by_own(alike);
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        uint32_t now;

        paint_paths(alike);
        now = count_all(alike);
        if (now == before)
            return true;
        before = now;
        paint_by_paths(alike);
    }
    return false;
}

/* ---- classes --------------------------------------------------------------------------------- */

static uint32_t class_of(const struct colours *colours, uint64_t colour)
{
    uint32_t first = 0;
    uint32_t end = colours->class_count;

    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;

        if (colours->scratch[middle] <= colour)
            first = middle;
        else
            end = middle;
    }
    return first;
}

static void assign_classes(struct colours *colours)
{
    for (uint32_t i = colours->count; i-- > 0;) {
        uint32_t class = class_of(colours, colours->of[i]);

        colours->class[i] = class;
        colours->next[i] = colours->first[class];
        colours->first[class] = i + 1;
        colours->size[class]++;
    }
}

/* Adds a hop for each class of links on the path. It counts all links of that class on the path. */
static void add_hops(struct alike *alike, const struct max_min_path *from, struct max_min_path *to)
{
    struct max_min *part = &alike->part;
    double path_count = alike->paths.size[alike->paths.class[from - alike->whole->paths]];

    to->first_hop = part->hop_count;
    for (uint32_t i = 0; i < from->hop_count; i++) {
        uint32_t class = alike->links.class[alike->whole->hops[from->first_hop + i].link];
        uint32_t hop = to->first_hop;

        while (hop < part->hop_count && part->hops[hop].link != class)
            hop++;
        if (hop == part->hop_count)
            part->hops[part->hop_count++] = (struct max_min_hop){ .link = class };
        part->hops[hop].times += path_count / alike->links.size[class];
    }
    to->hop_count = part->hop_count - to->first_hop;
}

static void add_flow(struct alike *alike, uint32_t class)
{
    struct max_min *part = &alike->part;
    const struct max_min_flow *from = &alike->whole->flows[alike->flows.first[class] - 1];
    struct max_min_flow *to = &part->flows[class];

    *to = *from;
    if (from->feeds)
        to->feeds = alike->flows.class[from->feeds - 1] + 1;
    to->first_path = part->path_count;
    for (uint32_t p = 0; p < from->path_count; p++) {
        uint32_t path_class = alike->paths.class[from->first_path + p];
        struct max_min_path *path = &part->paths[part->path_count];

        if (alike->seen_path[path_class] == class + 1)
            continue;
        alike->seen_path[path_class] = class + 1;
        path->times = (double)alike->paths.size[path_class] / (double)alike->flows.size[class];
        path->payload_share = alike->whole->paths[from->first_path + p].payload_share;
        add_hops(alike, &alike->whole->paths[from->first_path + p], path);
        part->path_count++;
    }
    to->path_count = part->path_count - to->first_path;
}

static void build_part(struct alike *alike)
{
    struct max_min *part = &alike->part;

    assign_classes(&alike->links);
    assign_classes(&alike->flows);
    assign_classes(&alike->paths);
    part->link_count = alike->links.class_count;
    for (uint32_t class = 0; class < part->link_count; class ++)
        part->link[class] = alike->whole->link[alike->links.first[class] - 1];
    part->flow_count = alike->flows.class_count;
    for (uint32_t class = 0; class < part->flow_count; class ++)
        add_flow(alike, class);
}

/* ---- solving --------------------------------------------------------------------------------- */

static void on_fixed(void *context, uint32_t class, double level, const double *price)
{
    struct alike *alike = context;
    const struct colours *links = &alike->links;

    for (uint32_t i = 0; price && i < links->count; i++)
        alike->price[i] = price[links->class[i]];
    for (uint32_t at = alike->flows.first[class]; at != 0; at = alike->flows.next[at - 1])
        max_min_fix(alike->whole, at - 1, level, price ? alike->price : NULL);
}

static void take_colours(struct colours *colours, struct arena *arena, uint32_t count)
{
    colours->count = count;
    colours->of = arena_take(arena, count, sizeof(uint64_t), alignof(uint64_t));
    colours->sum = arena_take(arena, count, sizeof(uint64_t), alignof(uint64_t));
    colours->scratch = arena_take(arena, count, sizeof(uint64_t), alignof(uint64_t));
    colours->class = arena_take(arena, count, sizeof(uint32_t), alignof(uint32_t));
    colours->first = arena_take(arena, count, sizeof(uint32_t), alignof(uint32_t));
    colours->next = arena_take(arena, count, sizeof(uint32_t), alignof(uint32_t));
    colours->size = arena_take(arena, count, sizeof(uint32_t), alignof(uint32_t));
}

static void take_memory(struct alike *alike, struct arena *arena)
{
    const struct max_min *whole = alike->whole;
    struct max_min *part = &alike->part;

    take_colours(&alike->links, arena, whole->link_count);
    take_colours(&alike->flows, arena, whole->flow_count);
    take_colours(&alike->paths, arena, whole->path_count);
    alike->flow_of_path = arena_take(arena, whole->path_count, sizeof(uint32_t), alignof(uint32_t));
    alike->seen_path = arena_take(arena, whole->path_count, sizeof(uint32_t), alignof(uint32_t));
    alike->price = arena_take(arena, whole->link_count, sizeof(double), alignof(double));
    part->link = arena_take(arena, whole->link_count, sizeof(double), alignof(double));
    part->flows =
        arena_take(arena, whole->flow_count, sizeof(*part->flows), alignof(struct max_min_flow));
    part->paths =
        arena_take(arena, whole->path_count, sizeof(*part->paths), alignof(struct max_min_path));
    part->hops =
        arena_take(arena, whole->hop_count, sizeof(*part->hops), alignof(struct max_min_hop));
}

/* Measured on permutations with 16 to 8,192 NICs. */
static uint64_t effort_of(uint64_t path_count)
{
    return path_count * (200 + path_count / 4);
}

static int solve_part(struct alike *alike, uint64_t *effort)
{
    const struct max_min *solved = alike->whole;

    if (paint_all(alike) && alike->flows.class_count < alike->flows.count) {
        build_part(alike);
        alike->part.on_fixed = on_fixed;
        alike->part.context = alike;
        solved = &alike->part;
    }
    if (effort_of(solved->path_count) > EFFORT_MAX)
        return -E2BIG;
    *effort += effort_of(solved->path_count);
    return max_min_solve_lp(solved);
}

int max_min_solve_alike(const struct max_min *whole, uint64_t *effort)
{
    struct alike alike = { .whole = whole };
    struct arena arena;
    void *memory;
    int err;

    arena_init(&arena, NULL, 0);
    take_memory(&alike, &arena);
    memory = malloc(arena.used_bytes + 1);
    if (!memory)
        return -ENOMEM;
    arena_init(&arena, memory, arena.used_bytes);
    take_memory(&alike, &arena);
    err = solve_part(&alike, effort);
    free(memory);
    return err;
}

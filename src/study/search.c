/* SPDX-License-Identifier: Apache-2.0 */
/* Tries points, generation by generation. */
#include "study/search.h"

#include <math.h>
#include <stdlib.h>

#include "study/search_batch.h"
#include "study/study_clock.h"

enum {
    GENERATION = 16,      /* points that are tried together; the same for any number of jobs */
    DRAWS_PER_POINT = 64, /* until one is new */
    DRAWN_OF = 4,         /* one of so many is drawn anywhere, the others near the front */
    COMBINED_MAX = 4096,
};

const char *const search_stage_words[SEARCH_STAGE_COUNT + 1] = {
    [SEARCH_STAGE_TOPOLOGY] = "topologies",
    [SEARCH_STAGE_PARAMETERS] = "parameters",
    [SEARCH_STAGE_COMBINED] = "combinations",
    [SEARCH_STAGE_JOINT] = "both",
    [SEARCH_STAGE_CHECK] = "check",
};

/* ---- fronts --------------------------------------------------------------------------------- */

/* Returns the indexes of the front, which the caller frees. */
static uint32_t *list_front(const struct search *search, enum search_set set, uint32_t *count)
{
    bool *is_front = grow_take(search->count, sizeof(*is_front));
    uint32_t *list = grow_take(search_front(search, set, is_front), sizeof(*list));

    *count = 0;
    for (uint32_t i = 0; i < search->count; i++)
        if (is_front[i])
            list[(*count)++] = i;
    free(is_front);
    return list;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Points that are to be tried next. */
struct generation {
    struct search *search;
    const struct study_manner *manner;
    enum search_part part;
    bool are_combined;
    uint32_t indexes[GENERATION];
    uint32_t count;
    double until_s; /* of the wall clock; INFINITY: no limit */
};

static struct search_trial *find_trial(struct search *search, const struct search_point *point)
{
    for (uint32_t i = 0; i < search->count; i++)
        if (search_space_same(&search->trials[i].point, point))
            return &search->trials[i];
    return NULL;
}

/* Adds the point unless it was tried. Returns whether it is new. */
static bool add_point(struct generation *next, const struct search_point *point)
{
    struct search *search = next->search;
    struct search_trial *trial = find_trial(search, point);
    bool is_new = !trial;

    if (is_new) {
        search->trials =
            grow_list(search->trials, search->count, &search->room, sizeof(*search->trials));
        trial = &search->trials[search->count];
        *trial = (struct search_trial){ .point = *point };
        next->indexes[next->count++] = search->count++;
        search->tried[search->stage]++;
    }
    trial->parts |= 1U << next->part;
    trial->is_combined = trial->is_combined || next->are_combined;
    return is_new;
}

static bool is_over(struct generation *next)
{
    if (study_clock_s() >= next->until_s)
        next->search->is_out_of_time = true;
    return next->search->is_out_of_time;
}

/* The usual point is always tried. */
static bool run_generation(struct generation *next)
{
    bool is_made = next->count == 0 ||
                   search_batch_run(next->search, next->indexes, next->count, next->manner);

    next->count = 0;
    return is_made;
}

static bool add_and_run(struct generation *next, const struct search_point *point)
{
    add_point(next, point);
    return next->count < GENERATION || run_generation(next);
}

static bool try_all(struct generation *next, uint64_t size)
{
    for (uint64_t i = 0; i < size && !is_over(next); i++) {
        struct search_point point = search_space_at(&next->search->request->space, next->part, i);

        if (!add_and_run(next, &point))
            return false;
    }
    next->search->is_whole[next->part] = !next->search->is_out_of_time;
    return run_generation(next);
}

/* Draws a generation: the first anywhere, later ones mostly near the front. */
static void draw_generation(
    struct generation *next, struct prng *prng, uint32_t size, bool is_first)
{
    static const enum search_set sets[SEARCH_PART_COUNT] = {
        [SEARCH_TOPOLOGY] = SEARCH_SET_TOPOLOGY,
        [SEARCH_PARAMETERS] = SEARCH_SET_PARAMETERS,
        [SEARCH_JOINT] = SEARCH_SET_ALL,
    };
    const struct search_space *space = &next->search->request->space;
    uint32_t front_count;
    uint32_t *front = list_front(next->search, sets[next->part], &front_count);

    for (uint32_t i = 0; i < DRAWS_PER_POINT * size && next->count < size; i++) {
        bool is_drawn = is_first || prng_below(prng, DRAWN_OF) == 0;
        uint32_t origin = prng_below(prng, front_count);
        struct search_point point = is_drawn
                                        ? search_space_draw(space, next->part, prng)
                                        : search_space_near(space, next->part,
                                              &next->search->trials[front[origin]].point, prng);

        add_point(next, &point);
    }
    free(front);
}

/* What other searches found is where the joint search begins. */
static bool try_some(struct generation *next)
{
    struct prng prng = prng_stream(next->search->request->seed, 1 + (uint64_t)next->part);
    uint32_t most = next->search->request->points;
    bool is_first = next->part != SEARCH_JOINT;

    for (uint32_t tried = 0; tried < most && !is_over(next); is_first = false) {
        uint32_t rest = most - tried;

        draw_generation(next, &prng, rest < GENERATION ? rest : GENERATION, is_first);
        if (next->count == 0)
            return true;
        tried += next->count;
        if (!run_generation(next))
            return false;
    }
    return true;
}

static bool try_part(struct generation *next, enum search_part part, enum search_stage stage)
{
    uint64_t size = search_space_size(&next->search->request->space, part);

    next->part = part;
    next->search->stage = stage;
    return part == SEARCH_TOPOLOGY || size <= next->search->request->points ? try_all(next, size)
                                                                            : try_some(next);
}

/* ---- combinations ---------------------------------------------------------------------------- */

/* Tries each topology of the one front with the values of each point of the other. */
static bool try_combinations(struct generation *next)
{
    struct search *search = next->search;
    uint32_t topology_count;
    uint32_t value_count;
    uint32_t *topologies = list_front(search, SEARCH_SET_TOPOLOGY, &topology_count);
    uint32_t *values = list_front(search, SEARCH_SET_PARAMETERS, &value_count);
    bool is_made = true;

    search->stage = SEARCH_STAGE_COMBINED;
    next->part = SEARCH_JOINT;
    next->are_combined = true;
    for (uint32_t i = 0; is_made && i < topology_count * value_count && i < COMBINED_MAX; i++) {
        struct search_point point = search->trials[values[i % value_count]].point;

        point.topology = search->trials[topologies[i / value_count]].point.topology;
        is_made = !is_over(next) && add_and_run(next, &point);
    }
    is_made = (is_made || search->is_out_of_time) && run_generation(next);
    next->are_combined = false;
    free(topologies);
    free(values);
    return is_made;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Runs the usual point and all fronts again, with other seeds. */
static bool check_fronts(struct search *search, const struct study_manner *manner)
{
    bool *is_wanted = grow_take(search->count, sizeof(*is_wanted));
    bool *is_front = grow_take(search->count, sizeof(*is_front));
    uint32_t indexes[GENERATION];
    uint32_t count = 0;
    bool is_made = true;

    search->stage = SEARCH_STAGE_CHECK;
    is_wanted[0] = true;
    for (int set = 0; set < SEARCH_SET_COUNT; set++) {
        search_front(search, (enum search_set)set, is_front);
        for (uint32_t i = 0; i < search->count; i++)
            is_wanted[i] = is_wanted[i] || is_front[i];
    }
    for (uint32_t i = 0; is_made && i < search->count; i++) {
        if (is_wanted[i]) {
            indexes[count++] = i;
            search->tried[SEARCH_STAGE_CHECK]++;
        }
        if (count == GENERATION || (count > 0 && i + 1 == search->count)) {
            is_made = search_batch_run(search, indexes, count, manner);
            count = 0;
        }
    }
    free(is_wanted);
    free(is_front);
    return is_made;
}

bool search_run(struct search *search, const struct study_manner *manner)
{
    const struct search_request *request = search->request;
    struct search_point usual = { 0 };
    struct generation next = { .search = search,
        .manner = manner,
        .until_s =
            request->time_ps ? study_clock_s() + (double)request->time_ps / 1e12 : INFINITY };

    add_point(&next, &usual);
    return run_generation(&next) && try_part(&next, SEARCH_TOPOLOGY, SEARCH_STAGE_TOPOLOGY) &&
           try_part(&next, SEARCH_PARAMETERS, SEARCH_STAGE_PARAMETERS) && try_combinations(&next) &&
           try_part(&next, SEARCH_JOINT, SEARCH_STAGE_JOINT) && check_fronts(search, manner);
}

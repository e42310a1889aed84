/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles of flows: generated for fabrics, or as the workload lists them. */
#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "sim/setup.h"

enum {
    LINE = 64,
    CROSS_PROFILES_MAX = 1024, /* QPs share lists of EVs where these are drawn at random */
    LOCAL_PROFILE = 0,
    FIRST_CROSS_PROFILE = 1,
};

static struct plan_generate as_set(const struct sim *sim, struct plan_generate generate)
{
    generate.active_count = (uint32_t)sim->parameters.ev_active;
    generate.backup_count = (uint32_t)sim->parameters.ev_backup;
    return generate;
}

static struct plan_generate paths_across(const struct sim *sim)
{
    return as_set(sim, plan_paths_across(sim->fabric));
}

static void generate_profile(
    struct sim *sim, struct arena *arena, uint32_t index, const struct plan_generate *generate)
{
    struct path_entry *entries = arena_take(
        arena, plan_generate_count(generate), sizeof(*entries), alignof(struct path_entry));
    struct prng prng = setup_stream(sim, SETUP_STREAM_PROFILES, index);

    if (!entries)
        return;
    plan_generate(&sim->paths[index], generate, entries, &prng);
    if (sim->parameters.ev_min_active)
        sim->paths[index].min_active = (uint32_t)sim->parameters.ev_min_active;
}

static void list_profile(
    struct sim *sim, struct arena *arena, uint32_t index, const struct sim_workload *workload)
{
    struct path_entry *entries =
        arena_take(arena, workload->ev_count, sizeof(*entries), alignof(struct path_entry));
    bool is_valid;

    if (!entries)
        return;
    for (uint32_t i = 0; i < workload->ev_count; i++)
        entries[i] = (struct path_entry){ .ev = workload->evs[i],
            .plane = (uint8_t)plan_ev_path(sim->fabric, workload->evs[i]).plane };
    is_valid =
        path_profile_explicit(&sim->paths[index], entries, workload->ev_count, sim->plane_count);
    assert(is_valid);
    sim->paths[index].is_ordered = true;
    (void)is_valid;
    if (workload->ev_active_per_plane > 0)
        sim->paths[index].active_per_plane = workload->ev_active_per_plane;
    if (sim->parameters.ev_min_active)
        sim->paths[index].min_active = (uint32_t)sim->parameters.ev_min_active;
}

static bool has_missing_links(const struct sim *sim)
{
    const struct topology_config *config = &sim->topology->config;

    for (uint32_t i = 0; i < config->exception_count; i++)
        if (config->exceptions[i].missing)
            return true;
    return false;
}

/* Whether links differ, and QPs heed it. */
static bool has_weights(const struct sim *sim)
{
    return sim->topology->config.exception_count > 0 &&
           sim->parameters.ev_weights == EV_WEIGHTS_PLAN;
}

/* One list will do where it holds all paths there are; where some are not there for all, or not the
 * same for all, each flow has its own. */
static uint32_t cross_profile_count(const struct sim *sim)
{
    struct plan_generate generate = paths_across(sim);

    if (has_missing_links(sim) || has_weights(sim))
        return sim->flow_count > 0 ? sim->flow_count : 1;
    if (plan_generate_count(&generate) == generate.plane_count * generate.uplink_count)
        return 1;
    return sim->flow_count < CROSS_PROFILES_MAX ? sim->flow_count : CROSS_PROFILES_MAX;
}

/* Leaves out EVs whose links are not there; a plane keeps one, which then is bad. */
static void leave_out_missing(
    const struct sim *sim, struct path_profile *profile, uint32_t from_nic, uint32_t to_nic)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < profile->entry_count; i++) {
        struct path_entry entry = profile->entries[i];
        bool is_last =
            i + 1 == profile->entry_count || profile->entries[i + 1].plane != entry.plane;
        bool has_none = kept == 0 || profile->entries[kept - 1].plane != entry.plane;

        if (plan_crosses(sim->fabric, from_nic, to_nic, entry.ev) || (is_last && has_none))
            profile->entries[kept++] = entry;
    }
    profile->entry_count = kept;
}

static bool is_local(const struct sim *sim, const struct engine_flow *flow)
{
    return plan_is_local(sim->fabric, sim->ranks[flow->from].nic, sim->ranks[flow->to].nic);
}

static void leave_out_all_missing(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->flow_count; i++) {
        const struct engine_flow *flow = &sim->flows[i];

        if (!is_local(sim, flow))
            leave_out_missing(sim, &sim->paths[FIRST_CROSS_PROFILE + i], sim->ranks[flow->from].nic,
                sim->ranks[flow->to].nic);
    }
}

/* A flow within a leaf has its own list, too. */
static void copy_local_profile(struct sim *sim, struct path_profile *to)
{
    const struct path_profile *local = &sim->paths[LOCAL_PROFILE];
    struct path_entry *entries = to->entries;

    memcpy(entries, local->entries, local->entry_count * sizeof(*entries));
    *to = *local;
    to->entries = entries;
}

static void weigh_profiles(struct sim *sim, struct arena *arena)
{
    uint32_t route_max = sim->plane_count * paths_across(sim).uplink_count;
    struct plan_route *routes =
        arena_take(arena, route_max, sizeof(*routes), alignof(struct plan_route));
    uint64_t *scratch = arena_take(arena, route_max, 2 * sizeof(*scratch), alignof(uint64_t));

    for (uint32_t i = 0; routes && i < sim->flow_count; i++) {
        const struct engine_flow *flow = &sim->flows[i];
        struct path_profile *profile = &sim->paths[FIRST_CROSS_PROFILE + i];
        uint32_t count = plan_pair_routes(sim->fabric, sim->ranks[flow->from].nic,
            sim->ranks[flow->to].nic, NULL, routes, route_max);

        if (is_local(sim, flow))
            copy_local_profile(sim, profile);
        plan_weigh_profile(routes, count, scratch, profile);
    }
}

void setup_paths(struct sim *sim, struct arena *arena)
{
    struct plan_generate local;
    struct plan_generate cross;
    uint32_t count;

    if (sim->topology->graph) {
        setup_lists(sim, arena);
        return;
    }
    local = as_set(sim, plan_paths_within(sim->fabric));
    cross = paths_across(sim);
    count = FIRST_CROSS_PROFILE + cross_profile_count(sim);
    sim->cross_profile_count = cross_profile_count(sim);
    sim->paths = arena_take(arena, count + sim->config.workload_count, sizeof(*sim->paths), LINE);
    generate_profile(sim, arena, LOCAL_PROFILE, &local);
    for (uint32_t i = FIRST_CROSS_PROFILE; i < count; i++)
        generate_profile(sim, arena, i, &cross);
    for (uint32_t i = 0; i < sim->config.workload_count; i++)
        if (sim->config.workloads[i].ev_count > 0)
            list_profile(sim, arena, count + i, &sim->config.workloads[i]);
    if (arena->memory && has_missing_links(sim))
        leave_out_all_missing(sim);
    if (has_weights(sim))
        weigh_profiles(sim, arena);
}

/* QPs of a pair, which stand together, learn together: they have one list. */
static const struct engine_flow *first_of_pair(
    const struct sim *sim, const struct engine_flow *flow)
{
    while (flow > sim->flows && flow[-1].from == flow->from && flow[-1].to == flow->to)
        flow--;
    return flow;
}

/* Ways back are like ways there where nothing but planes and uplinks makes a path. */
const struct path_profile *setup_paths_of(
    const struct sim *sim, const struct engine_flow *flow, bool is_back)
{
    if (sim->topology->graph)
        return &sim->paths[2 * (first_of_pair(sim, flow) - sim->flows) + is_back];
    if (sim->config.workloads[flow->workload].ev_count > 0)
        return &sim->paths[FIRST_CROSS_PROFILE + sim->cross_profile_count + flow->workload];
    if (has_weights(sim))
        return &sim->paths[FIRST_CROSS_PROFILE + (first_of_pair(sim, flow) - sim->flows)];
    if (is_local(sim, flow))
        return &sim->paths[LOCAL_PROFILE];
    return &sim->paths[FIRST_CROSS_PROFILE +
                       (uint32_t)(flow - sim->flows) % sim->cross_profile_count];
}

struct path_profile setup_largest_paths(const struct sim *sim, const struct sim_workload *workload)
{
    struct plan_generate generate = paths_across(sim);
    uint32_t count =
        sim->topology->graph ? setup_lists_ev_max(sim) : plan_generate_count(&generate);

    return (struct path_profile){ .entry_count =
                                      workload->ev_count > count ? workload->ev_count : count,
        .plane_count = sim->plane_count };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles of flows over a graph: the shortest paths of each port, of those that are as long
 * any.
 */
#include <assert.h>
#include <stdalign.h>

#include "sim/setup.h"

/* EVs of one port. */
static uint32_t port_share(const struct sim *sim, uint32_t total)
{
    uint32_t share = (total + sim->plane_count / 2) / sim->plane_count;
    uint32_t most = PATH_EV_COUNT_MAX / sim->plane_count;

    if (share > PLAN_PORT_PATHS)
        share = PLAN_PORT_PATHS;
    return share < most ? share : most;
}

static uint32_t active_share(const struct sim *sim)
{
    uint32_t active = (uint32_t)sim->parameters.ev_active;
    uint32_t share = port_share(sim, active ? active : PATH_EV_COUNT_MAX);

    return share > 0 ? share : 1;
}

uint32_t setup_lists_ev_max(const struct sim *sim)
{
    uint32_t both = active_share(sim) + port_share(sim, (uint32_t)sim->parameters.ev_backup);
    uint32_t most = PATH_EV_COUNT_MAX / sim->plane_count;

    return sim->plane_count * (both < most ? both : most);
}

/* Puts the paths of a port into `entries`, which has room for all, in the order of the plan.
 * Returns how many. */
static uint32_t order_paths(const struct sim *sim, const struct lists_pair *pair, uint32_t port,
    struct path_entry *entries, struct prng *prng)
{
    const uint8_t *lengths =
        &sim->lists.switch_counts[pair->first_outer + pair->first_of_port[port]];
    uint32_t count = lists_path_count(pair, port);

    plan_profile_port(sim->fabric, port, lengths, count, entries, prng);
    return count;
}

static void fill(struct sim *sim, const struct lists_pair *pair, struct path_profile *profile,
    struct path_entry *entries, struct prng *prng)
{
    uint32_t each = setup_lists_ev_max(sim) / sim->plane_count;
    uint32_t count = 0;
    bool is_valid;

    for (uint32_t port = 0; port < sim->plane_count; port++) {
        struct path_entry all[PLAN_PORT_PATHS];
        uint32_t found = order_paths(sim, pair, port, all, prng);

        for (uint32_t i = 0; i < found && i < each; i++, count++) {
            entries[count] = all[i];
            lists_describe(&sim->lists, pair, &entries[count]);
        }
    }
    if (count == 0) /* a QP needs one; its packets have no way */
        entries[count++] = (struct path_entry){ .ev = 0 };
    is_valid = path_profile_explicit(profile, entries, count, sim->plane_count);
    assert(is_valid);
    (void)is_valid;
    path_profile_weigh(profile);
    profile->is_ordered = true;
    if (profile->active_per_plane > active_share(sim))
        profile->active_per_plane = active_share(sim);
    if (sim->parameters.ev_min_active)
        profile->min_active = (uint32_t)sim->parameters.ev_min_active;
}

static void complain(struct sim *sim, const struct lists_pair *pair)
{
    struct text text = text_in(sim->violation, sizeof(sim->violation));

    text_fill(&text, "h% has no path to h% in this fabric: place these ranks elsewhere",
        (const uint64_t[]){ pair->from, pair->to });
    sim->status = SIM_VIOLATED;
}

static void add(struct sim *sim, struct arena *arena, uint32_t index, uint32_t from, uint32_t to)
{
    struct path_entry *entries =
        arena_take(arena, setup_lists_ev_max(sim), sizeof(*entries), alignof(struct path_entry));
    struct prng prng = setup_stream(sim, SETUP_STREAM_PROFILES, index);
    const struct lists_pair *pair;

    if (!entries)
        return;
    pair = lists_add(&sim->lists, from, to);
    if (pair->first_of_port[TOPOLOGY_PLANES_MAX] == 0)
        complain(sim, pair);
    fill(sim, pair, &sim->paths[index], entries, &prng);
}

void setup_lists(struct sim *sim, struct arena *arena)
{
    lists_init(&sim->lists, arena, sim->fabric, 2 * sim->flow_count);
    sim->paths = arena_take(arena, 2 * (size_t)sim->flow_count, sizeof(*sim->paths), 64);
    for (uint32_t i = 0; i < sim->flow_count; i++) {
        uint32_t from = arena->memory ? sim->ranks[sim->flows[i].from].nic : 0;
        uint32_t to = arena->memory ? sim->ranks[sim->flows[i].to].nic : 0;

        add(sim, arena, 2 * i, from, to);
        add(sim, arena, 2 * i + 1, to, from);
    }
}

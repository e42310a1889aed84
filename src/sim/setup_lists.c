/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up EV profiles of flows over a graph. */
#include <assert.h>
#include <stdalign.h>

#include "base/text.h"
#include "sim/setup.h"

static struct plan_profile_size profile_size(const struct sim *sim)
{
    return (struct plan_profile_size){
        .port_count = sim->plane_count,
        .active = (uint32_t)sim->parameters.ev_active,
        .backup = (uint32_t)sim->parameters.ev_backup,
        .min_active = (uint32_t)sim->parameters.ev_min_active,
    };
}

uint32_t setup_lists_ev_max(const struct sim *sim)
{
    struct plan_profile_size size = profile_size(sim);

    return sim->plane_count * plan_profile_per_port(&size);
}

/* Writes the paths of a port to `entries`, which has room for all, in the order of the plan.
 * Returns their number. */
static uint32_t order_paths(const struct sim *sim, const struct lists_pair *pair, uint32_t port,
    struct path_entry *entries, struct prng *prng)
{
    const uint8_t *lengths =
        &sim->lists.switch_counts[pair->first_outer + pair->first_of_port[port]];
    uint32_t count = lists_path_count(pair, port);

    plan_profile_port(sim->fabric, port, lengths, count, entries, prng);
    return count;
}

static void fill_profile(struct sim *sim, const struct lists_pair *pair,
    struct path_profile *profile, struct path_entry *entries, struct prng *prng)
{
    struct plan_profile_size size = profile_size(sim);
    uint32_t each = plan_profile_per_port(&size);
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
    if (count == 0) /* a QP needs one EV; its packets have no path */
        entries[count++] = (struct path_entry){ .ev = 0 };
    is_valid = plan_profile_make(profile, entries, count, &size);
    assert(is_valid);
    (void)is_valid;
}

/* Keeps those of the given EVs that the pair has. Returns their number. */
static uint32_t choose_listed(const struct sim *sim, const struct sim_workload *workload,
    const struct lists_pair *pair, struct path_entry *entries)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < workload->ev_count; i++) {
        struct ev_path path = plan_ev_path(sim->fabric, workload->evs[i]);

        if (path.uplink >= lists_path_count(pair, path.plane))
            continue;
        entries[count] =
            (struct path_entry){ .ev = workload->evs[i], .plane = (uint8_t)path.plane };
        lists_describe(&sim->lists, pair, &entries[count++]);
    }
    return count;
}

/* `what` may use the two NICs, the switches on the shortest way, and the most that a path may
 * have. */
static void set_violation(struct sim *sim, const struct lists_pair *pair, const char *what)
{
    struct text text = text_in(sim->violation, sizeof(sim->violation));
    uint32_t least =
        plan_graph_least(&sim->fabric->graph, pair->from, pair->to, sim->lists.scratch);

    text_fill(&text, what, (const uint64_t[]){ pair->from, pair->to, least, PLAN_SWITCHES_MAX });
    sim->status = SIM_VIOLATED;
}

static void complain_no_path(struct sim *sim, const struct lists_pair *pair)
{
    bool is_too_long = plan_graph_least(&sim->fabric->graph, pair->from, pair->to,
                           sim->lists.scratch) != GRAPH_NONE;

    set_violation(sim, pair,
        is_too_long ? "h% has no path to h%: the shortest passes % switches; an address and an SRH "
                      "have room "
                      "for %"
                    : "h% has no path to h% in this fabric; place these ranks elsewhere");
}

static uint32_t entry_room(const struct sim *sim)
{
    uint32_t room = setup_lists_ev_max(sim);

    for (uint32_t i = 0; i < sim->config.workload_count; i++)
        if (sim->config.workloads[i].ev_count > room)
            room = sim->config.workloads[i].ev_count;
    return room;
}

/* Returns false if the flow may use all paths. */
static bool fill_listed(
    struct sim *sim, const struct lists_pair *pair, uint32_t index, struct path_entry *entries)
{
    const struct sim_workload *workload = &sim->config.workloads[sim->flows[index / 2].workload];
    uint32_t count = choose_listed(sim, workload, pair, entries);
    bool is_back = index % 2 != 0;

    if (is_back || workload->ev_count == 0)
        return false;
    if (count == 0) {
        set_violation(sim, pair, "h% has none of the paths `evs` of its workload to h%");
        return false;
    }
    setup_listed_paths(sim, workload, entries, count, &sim->paths[index]);
    return true;
}

static void add_pair(
    struct sim *sim, struct arena *arena, uint32_t index, uint32_t from, uint32_t to)
{
    struct path_entry *entries =
        arena_take(arena, entry_room(sim), sizeof(*entries), alignof(struct path_entry));
    struct prng prng = setup_stream(sim, SETUP_STREAM_PROFILES, index);
    const struct lists_pair *pair;

    if (!entries)
        return;
    pair = lists_add(&sim->lists, from, to);
    if (pair->first_of_port[TOPOLOGY_PLANES_MAX] == 0)
        complain_no_path(sim, pair);
    if (!fill_listed(sim, pair, index, entries))
        fill_profile(sim, pair, &sim->paths[index], entries, &prng);
}

void setup_lists(struct sim *sim, struct arena *arena)
{
    lists_init(&sim->lists, arena, sim->fabric, 2 * sim->flow_count);
    sim->paths = arena_take(arena, 2 * (size_t)sim->flow_count, sizeof(*sim->paths), 64);
    for (uint32_t i = 0; i < sim->flow_count; i++) {
        uint32_t from = arena->memory ? sim->ranks[sim->flows[i].from].nic : 0;
        uint32_t to = arena->memory ? sim->ranks[sim->flows[i].to].nic : 0;

        add_pair(sim, arena, 2 * i, from, to);
        add_pair(sim, arena, 2 * i + 1, to, from);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds links that wait for each other under PFC.
 *
 * A port that is paused waits for the ports of the next switch that hold packets which came in over
 * its link. Ports that have been paused for long and wait in a circle never continue. */
#include <string.h>

#include "sim/pause.h"
#include "sim/policy_ecmp.h"
#include "sim/roce_world.h"
#include "sim/setup.h"

#define LONG_PS UINT64_C(1000000000)

enum { WALK_UNSEEN, WALK_FIRST }; /* values of roce_walk.cursor; then the next port to look at */

#define WALK_DONE UINT32_MAX

/* A port of a switch, by number in the arrays of struct sim, and its switch. */
struct place {
    uint32_t port;
    uint32_t at;
};

static const struct shard *shard_of(const struct sim *sim, uint32_t switch_index)
{
    return setup_shard_of(sim, sim->nic_count + switch_index);
}

static uint32_t first_port(const struct sim *sim, uint32_t switch_index)
{
    return sim->switches[switch_index].first_port;
}

static bool is_stuck(const struct sim *sim, struct place place)
{
    const struct pfc_watchdog *watchdog =
        &sim->roce->watches[place.at].watchdogs[place.port - first_port(sim, place.at)];

    return sim->ports[place.port].queues[PORT_DATA].count > 0 &&
           pause_holds(shard_of(sim, place.at), place.port, sim->now_ps) &&
           watchdog->paused_ps <= sim->now_ps && sim->now_ps - watchdog->paused_ps >= LONG_PS;
}

/* Returns true if a data packet waits at the port that came into its switch by `way_in`. */
static bool holds_packet(const struct sim *sim, struct place place, uint32_t way_in)
{
    const struct port *port = &sim->ports[place.port];
    const struct port_slot *slots = port->profile->pool->slots;
    uint32_t slot = port->queues[PORT_DATA].head;

    for (uint32_t i = 0; i < port->queues[PORT_DATA].count; i++) {
        uint32_t packet = slots[slot].entry.handle;

        if (policy_ecmp_label(shard_of(sim, place.at), packet).way_in == way_in)
            return true;
        slot = slots[slot].next;
    }
    return false;
}

/* Returns false if the port waits for no other one than those that were looked at. */
static bool next_waited_for(const struct sim *sim, struct place place, struct place *out)
{
    const struct link *link = &sim->links[place.port];
    struct roce_walk *walk = &sim->roce->walks[place.port];
    uint32_t at = link->peer_node - sim->nic_count;

    if (link->peer_node < sim->nic_count)
        return false;
    while (walk->cursor - WALK_FIRST < sim->switches[at].port_count) {
        *out = (struct place){ .port = first_port(sim, at) + walk->cursor - WALK_FIRST, .at = at };
        walk->cursor++;
        if (is_stuck(sim, *out) && holds_packet(sim, *out, link->peer_port))
            return true;
    }
    return false;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static uint32_t switch_of(const struct sim *sim, uint32_t port)
{
    const struct link *link = &sim->links[port];

    return sim->links[sim_engine_ports(sim, link->peer_node).first + link->peer_port].peer_node -
           sim->nic_count;
}

/* The walk went from `first` to `last`, which waits for `first`. */
static void report_circle(
    const struct sim *sim, uint32_t first, uint32_t last, struct sim_deadlock *out)
{
    uint32_t count = 1;
    uint32_t port = last;

    for (uint32_t i = last; i != first; i = sim->roce->walks[i].from)
        count++;
    out->link_count = count;
    for (uint32_t i = count; i-- > 0; port = sim->roce->walks[port].from)
        if (i < SIM_DEADLOCK_LINKS_MAX)
            out->ports[i] = (struct topology_end){ .node = switch_of(sim, port),
                .port = port - first_port(sim, switch_of(sim, port)) };
}

static bool find_from(const struct sim *sim, struct place start, struct sim_deadlock *out)
{
    struct roce_walk *walks = sim->roce->walks;
    struct place here = start;
    struct place next;

    walks[start.port] = (struct roce_walk){ .cursor = WALK_FIRST };
    for (;;) {
        if (!next_waited_for(sim, here, &next)) {
            walks[here.port].cursor = WALK_DONE;
            if (here.port == start.port)
                return false;
            here.port = walks[here.port].from;
            here.at = switch_of(sim, here.port);
        } else if (walks[next.port].cursor == WALK_UNSEEN) {
            walks[next.port] = (struct roce_walk){ .cursor = WALK_FIRST, .from = here.port };
            here = next;
        } else if (walks[next.port].cursor != WALK_DONE) {
            report_circle(sim, next.port, here.port, out);
            return true;
        }
    }
}

bool sim_deadlock(const struct sim *sim, struct sim_deadlock *out)
{
    *out = (struct sim_deadlock){ 0 };
    if (!sim->roce || sim->ib || !sim->config.roce.pfc || sim->group)
        return false;
    memset(sim->roce->walks, 0, sim->port_count * sizeof(*sim->roce->walks));
    for (uint32_t at = 0; at < sim->topology->switch_count; at++)
        for (uint32_t p = 0; p < sim->switches[at].port_count; p++) {
            struct place start = { .port = first_port(sim, at) + p, .at = at };

            if (sim->roce->walks[start.port].cursor == WALK_UNSEEN && is_stuck(sim, start) &&
                find_from(sim, start, out))
                return true;
        }
    return false;
}

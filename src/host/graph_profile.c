/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles over a graph, one for each destination: a NIC has no EVs that lead everywhere. */
#include <errno.h>
#include <stdlib.h>

#include "host/engine.h"
#include "host/ev_profile.h"
#include "host/graph_paths.h"
#include "plan/plan.h"

/* EVs of one port, of so many over all ports; 0: as many as there can be. */
static uint32_t port_share(const struct host_nic *nic, uint32_t total)
{
    uint32_t ports = nic->config.port_count;
    uint32_t most = PATH_EV_COUNT_MAX / ports;
    uint32_t share = total ? (total + ports / 2) / ports : most;

    if (share == 0)
        share = 1;
    return share < most ? share : most;
}

/* Active ones and backups. */
static uint32_t ev_share(const struct host_nic *nic)
{
    const struct parameters *parameters = &nic->config.parameters;
    uint32_t active = (uint32_t)parameters->ev_active;

    return port_share(nic, active ? active + (uint32_t)parameters->ev_backup : 0);
}

static uint32_t fill_in(
    struct host_nic *nic, const struct graph_paths_peer *peer, struct host_ev_profile *profile)
{
    uint32_t share = ev_share(nic);
    uint32_t count = 0;

    for (uint32_t port = 0; port < nic->config.port_count; port++) {
        struct path_entry all[PLAN_PORT_PATHS];
        uint32_t found = graph_paths_entries(nic->graph, peer, port, all, &nic->prng);

        for (uint32_t i = 0; i < found && i < share; i++) {
            profile->theirs[count] = profile->ours[count] = count;
            profile->entries[count++] = all[i];
        }
    }
    return count;
}

static int make_profile(struct host_nic *nic, struct graph_paths_peer *peer)
{
    uint32_t active = port_share(nic, (uint32_t)nic->config.parameters.ev_active);
    struct host_ev_profile *profile = ev_profile_alloc(nic, graph_paths_count(peer));

    if (!profile)
        return -ENOMEM;
    if (!path_profile_explicit(&profile->profile, profile->entries, fill_in(nic, peer, profile),
            nic->config.port_count)) {
        ev_profile_free(profile);
        return -EHOSTUNREACH;
    }
    path_profile_weigh(&profile->profile);
    profile->is_default = true;
    profile->profile.is_ordered = true;
    if (profile->profile.active_per_plane > active)
        profile->profile.active_per_plane = active;
    profile->profile.min_active = (uint32_t)nic->config.parameters.ev_min_active;
    peer->profile = profile;
    return 0;
}

int ev_profile_towards(
    struct host_nic *nic, const struct ipv6_addr *address, struct host_ev_profile **out)
{
    struct graph_paths_peer *peer = nic->graph ? graph_paths_find(nic->graph, address) : NULL;
    int err = 0;

    *out = nic->default_ev;
    if (!peer)
        return 0;
    if (graph_paths_count(peer) == 0)
        return -EHOSTUNREACH;
    if (!peer->profile)
        err = make_profile(nic, peer);
    if (!err)
        *out = peer->profile;
    return err;
}

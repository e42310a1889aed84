/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles for each destination. Over a graph, no EV of a NIC leads to all destinations. */
#include <errno.h>
#include <stdlib.h>

#include "host/engine.h"
#include "host/ev_profile.h"
#include "host/graph_paths.h"
#include "host/uneven_paths.h"
#include "plan/plan.h"

static struct plan_profile_size profile_size(const struct host_nic *nic)
{
    const struct parameters *parameters = &nic->config.parameters;

    return (struct plan_profile_size){
        .port_count = nic->config.port_count,
        .active = (uint32_t)parameters->ev_active,
        .backup = (uint32_t)parameters->ev_backup,
        .min_active = (uint32_t)parameters->ev_min_active,
    };
}

static uint32_t fill_in(
    struct host_nic *nic, const struct graph_paths_peer *peer, struct host_ev_profile *profile)
{
    struct plan_profile_size size = profile_size(nic);
    uint32_t each = plan_profile_per_port(&size);
    uint32_t count = 0;

    for (uint32_t port = 0; port < nic->config.port_count; port++) {
        struct path_entry all[PLAN_PORT_PATHS];
        uint32_t found = graph_paths_entries(nic->graph, peer, port, all, &nic->prng);

        for (uint32_t i = 0; i < found && i < each; i++) {
            profile->theirs[count] = profile->ours[count] = count;
            profile->entries[count++] = all[i];
        }
    }
    return count;
}

static int make_profile(struct host_nic *nic, struct graph_paths_peer *peer)
{
    struct plan_profile_size size = profile_size(nic);
    struct host_ev_profile *profile = ev_profile_alloc(nic, graph_paths_count(peer));

    if (!profile)
        return -ENOMEM;
    if (!plan_profile_make(
            &profile->profile, profile->entries, fill_in(nic, peer, profile), &size)) {
        ev_profile_free(profile);
        return -EHOSTUNREACH;
    }
    profile->is_default = true;
    peer->profile = profile;
    return 0;
}

static int listed_towards(struct host_nic *nic, struct graph_paths_peer *peer)
{
    if (graph_paths_count(peer) == 0)
        return -EHOSTUNREACH;
    return peer->profile ? 0 : make_profile(nic, peer);
}

int ev_profile_towards(
    struct host_nic *nic, const struct ipv6_addr *address, struct host_ev_profile **out)
{
    struct graph_paths_peer *peer = nic->graph ? graph_paths_find(nic->graph, address) : NULL;
    int err = 0;

    *out = nic->default_ev;
    if (nic->uneven)
        return uneven_paths_towards(nic->uneven, nic, address, out);
    if (!peer)
        return 0;
    err = listed_towards(nic, peer);
    if (!err)
        *out = peer->profile;
    return err;
}

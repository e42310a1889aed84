/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles with the weights of the plan, made on the first request for a destination. */
#include "host/uneven_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/engine.h"
#include "host/ev_profile.h"
#include "host/plan_file.h"
#include "plan/plan.h"

struct uneven_paths {
    struct plan plan;
    struct topology_exception *exceptions;
    uint32_t self;
    struct host_ev_profile **profiles; /* by NIC; NULL if not requested yet */
    struct plan_route *routes;
    uint64_t *scratch; /* two numbers per route */
    uint32_t route_max;
    uint32_t *denied;
    uint32_t denied_count;
};

/* ---- the file -------------------------------------------------------------------------------- */

static int take_tables(struct uneven_paths *paths)
{
    const struct topology *topology = &paths->plan.topology;

    paths->route_max = topology->config.plane_count * plan_plane_paths(&paths->plan);
    paths->profiles = calloc(topology->nic_count, sizeof(struct host_ev_profile *));
    paths->routes = calloc(paths->route_max, sizeof(*paths->routes));
    paths->scratch = calloc(paths->route_max, 2 * sizeof(*paths->scratch));
    return paths->profiles && paths->routes && paths->scratch ? 0 : -ENOMEM;
}

static int read_plan(struct uneven_paths *paths, const char *text, const struct ipv6_addr *self)
{
    uint32_t count;

    if (!plan_exceptions_size(text, &count))
        return -EINVAL;
    paths->exceptions = calloc(count + 1, 2 * sizeof(*paths->exceptions));
    if (!paths->exceptions)
        return -ENOMEM;
    if (!plan_exceptions_read(text, paths->exceptions, &paths->plan) ||
        !plan_nic_of(&paths->plan, self, &paths->self))
        return -EINVAL;
    return take_tables(paths);
}

int uneven_paths_open(const char *path, const struct ipv6_addr *self, struct uneven_paths **out)
{
    struct uneven_paths *paths = calloc(1, sizeof(*paths));
    char *text;
    int err;

    if (!paths)
        return -ENOMEM;
    text = plan_file_read(path, &err);
    if (text)
        err = read_plan(paths, text, self);
    free(text);
    if (err)
        uneven_paths_close(paths);
    else
        *out = paths;
    return err;
}

void uneven_paths_close(struct uneven_paths *paths)
{
    if (!paths)
        return;
    for (uint32_t i = 0; paths->profiles && i < paths->plan.topology.nic_count; i++)
        ev_profile_free(paths->profiles[i]);
    free(paths->profiles);
    free(paths->routes);
    free(paths->scratch);
    free(paths->denied);
    free(paths->exceptions);
    free(paths);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void deny_entries(const struct uneven_paths *paths, struct host_ev_profile *profile)
{
    for (uint32_t i = 0; i < paths->denied_count; i++) {
        uint32_t at = path_profile_find(&profile->profile, paths->denied[i]);

        if (at != PATH_NONE)
            profile->entries[at].denied = true;
    }
}

static void fill_profile(struct uneven_paths *paths, struct host_nic *nic, uint32_t to,
    const struct plan_generate *generate, struct host_ev_profile *profile)
{
    uint32_t count =
        plan_pair_routes(&paths->plan, paths->self, to, NULL, paths->routes, paths->route_max);

    plan_generate(&profile->profile, generate, profile->entries, &nic->prng);
    if (!plan_is_local(&paths->plan, paths->self, to))
        plan_profile_leave_out_missing(&paths->plan, paths->self, to, &profile->profile);
    plan_weigh_profile(paths->routes, count, paths->scratch, &profile->profile);
    for (uint32_t i = 0; i < profile->profile.entry_count; i++)
        profile->theirs[i] = profile->ours[i] = i;
    profile->profile.min_active = (uint32_t)nic->config.parameters.ev_min_active;
    profile->is_default = true;
    deny_entries(paths, profile);
}

static struct host_ev_profile *make_profile(
    struct uneven_paths *paths, struct host_nic *nic, uint32_t to)
{
    struct plan_generate generate = plan_paths(&paths->plan, paths->self, to);
    struct host_ev_profile *profile;

    generate.active_count = (uint32_t)nic->config.parameters.ev_active;
    generate.backup_count = (uint32_t)nic->config.parameters.ev_backup;
    profile = ev_profile_alloc(nic, plan_generate_count(&generate));
    if (profile)
        fill_profile(paths, nic, to, &generate, profile);
    return profile;
}

int uneven_paths_towards(struct uneven_paths *paths, struct host_nic *nic,
    const struct ipv6_addr *address, struct host_ev_profile **out)
{
    uint32_t to;

    if (!plan_nic_of(&paths->plan, address, &to))
        return 0;
    if (!paths->profiles[to])
        paths->profiles[to] = make_profile(paths, nic, to);
    if (!paths->profiles[to])
        return -ENOMEM;
    *out = paths->profiles[to];
    return 0;
}

int uneven_paths_deny(struct uneven_paths *paths, const uint32_t *evs, uint32_t ev_count)
{
    uint32_t *copy = calloc(ev_count + 1, sizeof(*copy));

    if (!copy)
        return -ENOMEM;
    if (ev_count > 0)
        memcpy(copy, evs, ev_count * sizeof(*copy));
    free(paths->denied);
    paths->denied = copy;
    paths->denied_count = ev_count;
    return 0;
}

struct host_ev_profile *uneven_paths_next(const struct uneven_paths *paths, uint32_t *at)
{
    while (*at < paths->plan.topology.nic_count) {
        struct host_ev_profile *profile = paths->profiles[(*at)++];

        if (profile)
            return profile;
    }
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* EV profiles and congestion control profiles of a NIC. */
#include <errno.h>
#include <stdlib.h>

#include "host/engine.h"
#include "host/ev_profile.h"
#include "host/uneven_paths.h"
#include "plan/plan.h"

struct host_ev_profile *ev_profile_alloc(struct host_nic *nic, uint32_t count)
{
    struct host_ev_profile *profile = calloc(1, sizeof(*profile));

    if (!profile)
        return NULL;
    profile->nic = nic;
    profile->entries = calloc(count, sizeof(*profile->entries));
    profile->addresses = calloc(count, sizeof(*profile->addresses));
    profile->theirs = calloc(count, sizeof(*profile->theirs));
    profile->ours = calloc(count, sizeof(*profile->ours));
    if (profile->entries && profile->addresses && profile->theirs && profile->ours)
        return profile;
    ev_profile_free(profile);
    return NULL;
}

void ev_profile_free(struct host_ev_profile *profile)
{
    if (!profile)
        return;
    free(profile->entries);
    free(profile->addresses);
    free(profile->theirs);
    free(profile->ours);
    free(profile);
}

/* Chooses EVs by the shape of the fabric if that is known, and random EVs otherwise. */
int ev_profile_create_default(struct host_nic *nic, struct host_ev_profile **out)
{
    enum { DRAWN_EVS = 128 }; /* for unknown paths, if no number is set */
    const struct host_config *config = &nic->config;
    uint32_t active_count = (uint32_t)config->parameters.ev_active;
    struct plan_generate generate =
        plan_generate_all(&config->format, config->port_count, config->uplink_count);
    uint32_t per_plane = (active_count ? active_count : DRAWN_EVS) / config->port_count;
    struct host_ev_profile *profile;
    uint32_t count;

    generate.active_count = active_count;
    generate.backup_count = (uint32_t)config->parameters.ev_backup;
    per_plane = per_plane ? per_plane : 1;
    count = config->uplink_count ? plan_generate_count(&generate) : per_plane * config->port_count;
    profile = ev_profile_alloc(nic, count);
    if (!profile)
        return -ENOMEM;
    if (config->uplink_count)
        plan_generate(&profile->profile, &generate, profile->entries, &nic->prng);
    else
        path_profile_auto(
            &profile->profile, config->port_count, per_plane, profile->entries, &nic->prng);
    for (uint32_t i = 0; i < count; i++)
        profile->theirs[i] = profile->ours[i] = i;
    profile->is_default = true;
    profile->profile.min_active = (uint32_t)config->parameters.ev_min_active;
    *out = profile;
    return 0;
}

/* Sorts by plane and keeps the caller's order within a plane. */
static bool fill_entries(
    struct host_ev_profile *profile, const struct host_ev_profile_config *config)
{
    uint32_t count = 0;

    for (uint32_t plane = 0; plane < profile->nic->config.port_count; plane++)
        for (uint32_t i = 0; i < config->entry_count; i++) {
            const struct host_ev_entry *entry = &config->entries[i];

            if (entry->plane != plane)
                continue;
            profile->entries[count] = (struct path_entry){
                .ev = entry->ev, .plane = entry->plane, .denied = entry->denied
            };
            profile->addresses[count] = entry->addresses;
            profile->theirs[count] = i;
            profile->ours[i] = count++;
        }
    return count == config->entry_count;
}

static bool evs_differ(const struct host_ev_profile *profile)
{
    for (uint32_t i = 0; i < profile->profile.entry_count; i++)
        if (path_profile_find(&profile->profile, profile->entries[i].ev) != i)
            return false;
    return true;
}

int host_ev_profile_create(
    struct host_nic *nic, const struct host_ev_profile_config *config, struct host_ev_profile **out)
{
    struct host_ev_profile *profile;
    int err = -EINVAL;

    if (config->entry_count == 0 || config->entry_count > PATH_EV_COUNT_MAX ||
        config->address_count > 2)
        return -EINVAL;
    profile = ev_profile_alloc(nic, config->entry_count);
    if (!profile)
        return -ENOMEM;
    profile->id = config->id;
    profile->address_count = config->address_count;
    profile->is_plain = config->is_plain;
    profile->event_mask = config->event_mask;
    if (!fill_entries(profile, config) ||
        !path_profile_explicit(
            &profile->profile, profile->entries, config->entry_count, nic->config.port_count) ||
        !evs_differ(profile))
        goto free_profile;
    profile->profile.min_active = config->min_active;
    err = engine_own_all(nic);
    if (err)
        goto free_profile;
    nic->profile_count++;
    nic->listed_count += config->address_count > 0 || config->is_plain;
    engine_release_all(nic);
    *out = profile;
    return 0;

free_profile:
    ev_profile_free(profile);
    return err;
}

int host_ev_profile_destroy(struct host_ev_profile *profile)
{
    struct host_nic *nic = profile->nic;

    if (engine_own_all(nic) == 0) {
        bool is_used = profile->user_count > 0;

        if (!is_used) {
            nic->profile_count--;
            nic->listed_count -= profile->address_count > 0 || profile->is_plain;
        }
        engine_release_all(nic);
        if (is_used)
            return -EBUSY;
    }
    ev_profile_free(profile);
    return 0;
}

/* Returns the next QP of any engine, from index *at on, that uses the profile and sends. */
static struct path_set *next_paths(const struct host_ev_profile *profile, uint32_t *at)
{
    const struct host_nic *nic = profile->nic;
    uint32_t per_engine = nic->config.qp_count_max;

    while (*at < per_engine * nic->engine_count) {
        const struct engine *engine = nic->engines[*at / per_engine];
        const struct host_qp *qp = engine->qps.qps[(*at)++ % per_engine];

        if (qp && qp->config.ev_profile == profile)
            return transport_qp_paths(engine->transport, qp->qpn);
    }
    return NULL;
}

static void report_all(const struct host_nic *nic)
{
    for (uint32_t i = 0; i < nic->engine_count; i++)
        engine_report(nic->engines[i]);
}

int host_ev_profile_deny(struct host_ev_profile *profile, uint32_t index, bool denied)
{
    struct path_set *paths;
    uint32_t at = 0;
    uint32_t ours;
    int err;

    if (index >= profile->profile.entry_count)
        return -ENOENT;
    err = engine_own_all(profile->nic);
    if (err)
        return err;
    ours = profile->ours[index];
    profile->entries[ours].denied = denied;
    while ((paths = next_paths(profile, &at))) {
        if (denied)
            path_deny(paths, ours, host_now_ns());
        else
            path_allow(paths, ours, host_now_ns());
    }
    report_all(profile->nic);
    engine_release_all(profile->nic);
    return 0;
}

static bool is_listed(uint32_t ev, const uint32_t *evs, uint32_t ev_count)
{
    for (uint32_t i = 0; i < ev_count; i++)
        if (evs[i] == ev)
            return true;
    return false;
}

static int deny_listed(struct host_ev_profile *profile, const uint32_t *evs, uint32_t ev_count)
{
    int err = 0;

    for (uint32_t i = 0; i < profile->profile.entry_count && !err; i++) {
        bool denied = is_listed(profile->entries[i].ev, evs, ev_count);

        if (profile->entries[i].denied != denied)
            err = host_ev_profile_deny(profile, i, denied);
    }
    return err;
}

/* Profiles that are made later have the denied EVs from the beginning. */
static int deny_later(struct host_nic *nic, const uint32_t *evs, uint32_t ev_count)
{
    int err = engine_own_all(nic);

    if (err)
        return err;
    err = uneven_paths_deny(nic->uneven, evs, ev_count);
    engine_release_all(nic);
    return err;
}

static struct host_ev_profile *next_uneven(struct host_nic *nic, uint32_t *at)
{
    struct host_ev_profile *profile = NULL;

    if (nic->uneven && engine_own_all(nic) == 0) {
        profile = uneven_paths_next(nic->uneven, at);
        engine_release_all(nic);
    }
    return profile;
}

int host_ev_profile_deny_own(struct host_nic *nic, const uint32_t *evs, uint32_t ev_count)
{
    struct host_ev_profile *profile;
    uint32_t at = 0;
    int err = nic->graph && ev_count > 0 ? -ENOTSUP : 0;

    if (!err && nic->uneven)
        err = deny_later(nic, evs, ev_count);
    if (!err)
        err = deny_listed(nic->default_ev, evs, ev_count);
    while (!err && (profile = next_uneven(nic, &at)) != NULL)
        err = deny_listed(profile, evs, ev_count);
    return err;
}

int host_ev_profile_replace(
    struct host_ev_profile *profile, uint32_t index, const struct host_ev_entry *entry)
{
    struct path_set *paths;
    uint32_t at = 0;
    uint32_t ours;
    uint32_t same;
    int err;

    if (index >= profile->profile.entry_count)
        return -ENOENT;
    err = engine_own_all(profile->nic);
    if (err)
        return err;
    ours = profile->ours[index];
    same = path_profile_find(&profile->profile, entry->ev);
    if (profile->entries[ours].plane != entry->plane || (same != PATH_NONE && same != ours)) {
        engine_release_all(profile->nic);
        return -EINVAL;
    }
    profile->entries[ours].ev = entry->ev;
    profile->entries[ours].denied = entry->denied;
    profile->addresses[ours] = entry->addresses;
    while ((paths = next_paths(profile, &at)))
        path_replaced(paths, ours, host_now_ns());
    report_all(profile->nic);
    engine_release_all(profile->nic);
    return 0;
}

enum path_ev_state host_ev_profile_state(struct host_ev_profile *profile, uint32_t index)
{
    enum path_ev_state worst = EV_GOOD;
    struct path_set *paths;
    uint32_t at = 0;

    if (index >= profile->profile.entry_count || engine_own_all(profile->nic))
        return EV_DENIED;
    if (profile->entries[profile->ours[index]].denied)
        worst = EV_DENIED;
    while ((paths = next_paths(profile, &at))) {
        enum path_ev_state state = path_state_of(paths, profile->ours[index]);

        worst = state > worst ? state : worst;
    }
    engine_release_all(profile->nic);
    return worst;
}

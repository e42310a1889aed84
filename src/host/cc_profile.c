/* SPDX-License-Identifier: Apache-2.0 */
/* Congestion control profiles of a NIC. */
#include <errno.h>
#include <stdlib.h>

#include "host/engine.h"
#include "host/ev_profile.h"

void host_cc_settings(const struct host_nic *nic, struct cc_settings *settings)
{
    transport_cc_settings(&nic->config.parameters, nic->config.port_count, settings);
}

static int create_profile(
    struct host_nic *nic, const struct cc_settings *settings, struct host_cc_profile **out)
{
    struct host_cc_profile *profile = calloc(1, sizeof(*profile));
    struct cc_settings full = *settings;

    if (!profile)
        return -ENOMEM;
    profile->nic = nic;
    if (full.base_rtt_floor_ns == 0)
        full.base_rtt_floor_ns = (uint32_t)nic->config.parameters.base_rtt_floor;
    if (full.target_floor_ns == 0)
        full.target_floor_ns = (uint32_t)nic->config.parameters.target_delay_floor;
    if (full.base_rtt_ns < full.base_rtt_floor_ns)
        full.base_rtt_ns = full.base_rtt_floor_ns;
    if (!cc_profile_init(&profile->profile, &full)) {
        free(profile);
        return -EINVAL;
    }
    *out = profile;
    return 0;
}

int ev_profile_create_default_cc(struct host_nic *nic, struct host_cc_profile **out)
{
    struct cc_settings settings;

    host_cc_settings(nic, &settings);
    return create_profile(nic, &settings, out);
}

int host_cc_profile_create(
    struct host_nic *nic, const struct cc_settings *settings, struct host_cc_profile **out)
{
    int err = create_profile(nic, settings, out);

    if (err)
        return err;
    err = engine_own_all(nic);
    if (err) {
        free(*out);
        return err;
    }
    nic->profile_count++;
    engine_release_all(nic);
    return 0;
}

int host_cc_profile_destroy(struct host_cc_profile *profile)
{
    if (engine_own_all(profile->nic) == 0) {
        bool is_used = profile->user_count > 0;

        profile->nic->profile_count -= !is_used;
        engine_release_all(profile->nic);
        if (is_used)
            return -EBUSY;
    }
    free(profile);
    return 0;
}

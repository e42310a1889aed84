/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of a QP, and the state of its EVs. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/engine.h"
#include "host/ev_profile.h"

static void use_ev_profile(struct host_qp *qp, struct host_ev_profile *profile)
{
    qp->config.ev_profile->user_count--;
    qp->config.ev_profile = profile;
    profile->user_count++;
}

/* Reports pending events first: they refer to the previous EVs. */
static int set_ev_profile(struct host_qp *qp, struct host_ev_profile *profile)
{
    size_t bytes = (transport_paths_bytes(&profile->profile) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    struct status_ev_change *changes =
        calloc(profile->profile.entry_count, sizeof(*qp->ev_changes));
    int err;

    if (!memory || !changes) {
        free(memory);
        free(changes);
        return -ENOMEM;
    }
    memset(memory, 0, bytes);
    engine_report(qp->engine);
    free(qp->ev_changes);
    qp->ev_changes = changes;
    use_ev_profile(qp, profile);
    err = transport_qp_set_paths(
        qp->engine->transport, qp->qpn, &profile->profile, memory, host_now_ns());
    assert(err == 0); /* all profiles of a NIC have its planes */
    free(qp->paths_memory);
    qp->paths_memory = memory;
    return 0;
}

static void set_cc_profile(struct host_qp *qp, struct host_cc_profile *profile)
{
    qp->config.cc_profile->user_count--;
    qp->config.cc_profile = profile;
    profile->user_count++;
    transport_qp_set_cc(qp->engine->transport, qp->qpn, &profile->profile, host_now_ns());
}

int qp_follow_peer(struct host_qp *qp, const struct ipv6_addr *peer)
{
    struct host_ev_profile *profile;
    int err;

    if ((!qp->nic->graph && !qp->nic->uneven) || !qp->config.ev_profile->is_default)
        return 0;
    err = engine_own_all(qp->nic);
    if (err)
        return err;
    err = ev_profile_towards(qp->nic, peer, &profile);
    if (!err && profile != qp->config.ev_profile)
        err = set_ev_profile(qp, profile);
    engine_release_all(qp->nic);
    return err;
}

/* Returns the NIC's choice for this QP. */
static int default_for(const struct host_qp *qp, struct host_ev_profile **out)
{
    struct qp_attributes now;

    *out = qp->nic->default_ev;
    transport_qp_query(qp->engine->transport, qp->qpn, &now);
    return now.state >= QP_RTR ? ev_profile_towards(qp->nic, &now.peer_address, out) : 0;
}

int host_qp_set_profiles(
    struct host_qp *qp, struct host_ev_profile *ev_profile, struct host_cc_profile *cc_profile)
{
    struct host_nic *nic = qp->nic;
    int err = engine_own_all(nic);

    if (err)
        return err;
    if (!ev_profile)
        err = default_for(qp, &ev_profile);
    cc_profile = cc_profile ? cc_profile : nic->default_cc;
    if (!err && ev_profile != qp->config.ev_profile)
        err = set_ev_profile(qp, ev_profile);
    if (!err && cc_profile != qp->config.cc_profile)
        set_cc_profile(qp, cc_profile);
    engine_release_all(nic);
    return err;
}

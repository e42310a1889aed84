/* SPDX-License-Identifier: Apache-2.0 */
/* Which profiles a QP uses, and what it knows of its EVs. */
#include <errno.h>
#include <stdlib.h>

#include "host/engine.h"
#include "host/ev_profile.h"
#include "host/qp_life.h"

/* The transport fixes the profiles of a QP when it is created: so it is created again, with the
 * attributes it had and the receives that were posted. */
static int recreate(struct host_nic *nic, struct host_qp *qp, const struct qp_attributes *before)
{
    void *former = qp->memory;
    int err;

    transport_qp_destroy(nic->transport, qp->qpn);
    err = qp_life_begin(nic, qp);
    if (err)
        return err;
    free(former);
    qp->recv.taken = atomic_load_explicit(&qp->recv.completed, memory_order_relaxed);
    qp_life_announce(qp);
    return transport_qp_modify(nic->transport, qp->qpn, before, QP_ATTR_ALL, host_now_ns());
}

static void count_users(const struct host_qp *qp, uint32_t one)
{
    qp->config.ev_profile->user_count += one;
    qp->config.cc_profile->user_count += one;
}

int host_qp_set_profiles(
    struct host_qp *qp, struct host_ev_profile *ev_profile, struct host_cc_profile *cc_profile)
{
    struct host_nic *nic = qp->nic;
    struct qp_attributes attributes;
    int err = engine_own(nic);

    if (err)
        return err;
    transport_qp_query(nic->transport, qp->qpn, &attributes);
    if (attributes.state > QP_INIT) {
        err = -EBUSY;
        goto release;
    }
    count_users(qp, UINT32_MAX);
    qp->config.ev_profile = ev_profile ? ev_profile : nic->default_ev;
    qp->config.cc_profile = cc_profile ? cc_profile : nic->default_cc;
    count_users(qp, 1);
    err = recreate(nic, qp, &attributes);
release:
    engine_release(nic);
    return err;
}

uint32_t host_qp_evs(struct host_qp *qp, struct host_ev_status *out, uint32_t max)
{
    const struct host_ev_profile *profile = qp->config.ev_profile;
    const struct path_set *paths;
    uint32_t count = 0;

    if (engine_own(qp->nic))
        return 0;
    paths = transport_qp_paths(qp->nic->transport, qp->qpn);
    for (; paths && count < path_ev_count(paths) && count < max; count++)
        out[count] = (struct host_ev_status){ .ev = path_ev_of(paths, count),
            .index = profile->theirs[count],
            .plane = (uint8_t)path_plane_of(paths, count),
            .is_active = path_is_active(paths, count),
            .state = path_state_of(paths, count) };
    engine_release(qp->nic);
    return count;
}

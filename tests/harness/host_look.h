/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the state of QPs of a running NIC, for tests. */
#pragma once

#include "host/engine.h"
#include "spec.h"

static inline struct qp_status host_look_status(const struct host_qp *qp)
{
    struct qp_status status;

    EXPECT_EQ(engine_own(qp->engine), 0);
    EXPECT_EQ(transport_qp_status(qp->engine->transport, qp->qpn, &status), 0);
    engine_release(qp->engine);
    return status;
}

/* Returns the number of EVs in the rotation of the QP. */
static inline uint32_t host_look_active_evs(const struct host_qp *qp)
{
    const struct path_set *paths;
    uint32_t active = 0;

    EXPECT_EQ(engine_own(qp->engine), 0);
    paths = transport_qp_paths(qp->engine->transport, qp->qpn);
    EXPECT(paths);
    for (uint32_t i = 0; i < path_ev_count(paths); i++)
        active += path_is_active(paths, i);
    engine_release(qp->engine);
    return active;
}

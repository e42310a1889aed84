/* SPDX-License-Identifier: Apache-2.0 */
/* A change of the attributes of a QP: checked as a whole, then applied as a whole. */
#pragma once

#include "api/api_objects.h"

/* The change that a call of mrc_modify_qp() requests, in terms of the host. */
struct qp_change {
    uint32_t verbs_mask;
    uint32_t mrc_mask;
    struct qp_attributes host;
    uint32_t host_mask;
    struct ibv_qp_attr verbs; /* values after the change */
    struct mrc_qp_attr mrc;
};

/* Returns 0 or -EINVAL. Only fills `change`. The caller holds the device's mutex. */
int api_qp_change_prepare(const struct mrc_qp *, const struct ibv_qp_attr *, uint32_t verbs_mask,
    const struct mrc_qp_attr *, uint32_t mrc_mask, struct qp_change *);

/* Converts a state of the transport to verbs. */
enum ibv_qp_state api_qp_state_to_verbs(enum qp_state);

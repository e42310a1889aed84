/* SPDX-License-Identifier: Apache-2.0 */
/* A QP's change of attributes: checked as a whole, then done as a whole. */
#pragma once

#include "api/api_objects.h"

/* What a call of mrc_modify_qp() asks for, in the words of the host. */
struct qp_change {
    uint32_t verbs_mask;
    uint32_t mrc_mask;
    struct qp_attributes host;
    uint32_t host_mask;
    struct ibv_qp_attr verbs; /* as they will be */
    struct mrc_qp_attr mrc;
};

/* 0 or -EINVAL. Does nothing but fill `change`. The device's mutex is held. */
int api_qp_change_prepare(const struct mrc_qp *, const struct ibv_qp_attr *, uint32_t verbs_mask,
    const struct mrc_qp_attr *, uint32_t mrc_mask, struct qp_change *);

/* A transport state, as verbs name it. */
enum ibv_qp_state api_qp_state_to_verbs(enum qp_state);

/* SPDX-License-Identifier: Apache-2.0 */
/* What a fabric needs for more GPUs, and whether cables that exist must move. */
#pragma once

#include "study/size.h"

struct size_growth {
    uint64_t gpus;            /* more than now */
    uint64_t free_places;     /* in the leaves that exist */
    uint64_t units;           /* of a plane, to add: leaves, or pods below the highest tier */
    uint64_t free_units;      /* for which the highest tier has free ports */
    bool keeps_cables;        /* the GPUs fit, and no cable moves */
    bool keeps_tiers;         /* `grown` has as many tiers as now */
    bool is_possible;         /* `grown` exists */
    uint64_t cables_to_move;  /* of all planes, in order to become `grown` */
    struct size_fabric grown; /* built anew for all GPUs */
};

void size_growth_find(const struct size_fabric *, uint64_t gpus, struct size_growth *);

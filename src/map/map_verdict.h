/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict: the element that explains lost probes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "map/map_link.h"
#include "topology/topology.h"

#define MAP_NEVER UINT64_MAX

struct map_verdict {
    uint32_t number;                 /* verdicts are numbered from 1 as they are reached */
    struct topology_element element; /* a link, a switch, or a NIC with all its ports */
    struct topology_end lower;       /* of a link: its ends */
    struct topology_end upper;
    enum map_direction direction; /* of a link */
    uint32_t loss_ppm;            /* switch and NIC: the mean of their links that lose */
    uint32_t weight_nats;         /* the logarithm of the odds against a healthy element */
    uint32_t evs_bad;
    uint64_t since;   /* periods: when the losses began, ... */
    uint64_t named;   /* ... when the verdict was reached ... */
    uint64_t cleared; /* ... and when the element had recovered; MAP_NEVER: not yet */
};

static inline bool map_verdict_is_open(const struct map_verdict *verdict)
{
    return verdict->cleared == MAP_NEVER;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Trails: ways of a probe through switches that the prober chooses, which may lead back to its NIC
 * and over a switch or a link twice. */
#pragma once

#include <stdint.h>

#include "topology/topology.h"
#include "wire/ip_address.h"
#include "wire/usid.h"

struct plan;

#define PLAN_TRAIL_SWITCHES_MAX (USID_COUNT_MAX - 1) /* the last uSID is the downlink */

struct plan_trail {
    uint32_t switch_count;
    /* By which the packet leaves each switch, in order; the last one leads to a NIC. */
    struct topology_end ports[PLAN_TRAIL_SWITCHES_MAX];
};

/* Returns the outer destination of a packet that a NIC sends to the first switch. The cables
 * exist. */
struct ipv6_addr plan_trail_outer(const struct plan *, const struct plan_trail *);

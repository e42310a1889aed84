/* SPDX-License-Identifier: Apache-2.0 */
/* How the routes of a subnet avoid links that have failed, and return to those that work again.
 *
 * The subnet manager learns of a failure by a trap, discovers the subnet, computes routes and
 * writes the tables of all switches, one after the other. With SHIELD, a switch next to the link
 * takes another port of the group at once, and tells its neighbours if it has none left.
 *
 * Tables are those of ECMP. What a switch may use is computed when it is needed, from its own table
 * and those of the switches that follow: tables of others do not change, so that switches can be
 * run at the same time. Of each link, the last failure is known. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rival/infiniband/ib_route.h"
#include "rival/infiniband/ib_settings.h"
#include "rival/routing/ecmp.h"

/* The numbers on which the work of the subnet manager depends. */
struct ib_subnet_size {
    uint32_t switch_count;
    uint32_t lid_count;
    uint32_t port_count; /* of all switches */
};

#define IB_SUBNET_US_PS UINT64_C(1000000)

/* opensm: packets of the subnet manager that are under way at once, and their round trip; the
 * entries of a table that one packet writes */
enum {
    IB_SUBNET_OUTSTANDING = 4,
    IB_SUBNET_ROUND_TRIP_US = 50,
    IB_SUBNET_ENTRIES = 64,
    IB_SUBNET_PACKETS_PER_PORT = 2, /* to discover it */
    IB_SUBNET_US_PER_SWITCH = 100,  /* to compute routes */
};

static inline uint64_t ib_subnet_packets_ps(uint64_t count)
{
    return count * IB_SUBNET_ROUND_TRIP_US * IB_SUBNET_US_PS / IB_SUBNET_OUTSTANDING;
}

/* Returns the time to discover a subnet and to compute routes. */
static inline uint64_t ib_subnet_discovery_ps(const struct ib_subnet_size *size)
{
    return ib_subnet_packets_ps((uint64_t)IB_SUBNET_PACKETS_PER_PORT * size->port_count) +
           (uint64_t)size->switch_count * IB_SUBNET_US_PER_SWITCH * IB_SUBNET_US_PS;
}

/* Returns the time to write the tables of all switches. */
static inline uint64_t ib_subnet_writing_ps(const struct ib_subnet_size *size)
{
    uint64_t each = (size->lid_count + IB_SUBNET_ENTRIES - 1) / IB_SUBNET_ENTRIES;

    return ib_subnet_packets_ps(each * size->switch_count);
}

/* The link behind a port of a switch, in the direction away from it. */
struct ib_outage {
    uint32_t switch_index;
    uint32_t port;
    uint32_t down_count; /* faults that hold it down */
    uint64_t down_ps;    /* when it went down last */
    uint64_t up_ps;      /* when it came up after that; UINT64_MAX: not yet */
    uint64_t trap_ps;    /* until the subnet manager learns of it */
};

/* What a switch may use, as long as no change that it learns of comes. */
struct ib_subnet_view {
    uint64_t until_ps;
    uint32_t number;   /* of the view */
    uint32_t *numbers; /* of the view for which the group of each destination was computed */
    uint64_t *groups;
};

struct ib_subnet {
    const struct ecmp *ecmp;
    enum ib_recovery recovery;
    uint64_t seed;
    struct ib_subnet_size size;
    struct ib_subnet_view *views; /* of each switch; NULL: nothing ever fails */
    uint32_t view_count;
    struct ib_outage *outages;
    uint32_t outage_count;
    uint32_t outage_max;
};

struct ib_subnet_config {
    enum ib_recovery recovery;
    uint64_t seed;
    struct ib_subnet_size size; /* planes are subnets of their own */
    uint32_t link_count;        /* that may fail; 0: none ever does */
};

/* With an arena without memory, only measures; `ecmp` need not be filled in then. */
void ib_subnet_init(struct ib_subnet *, struct arena *, const struct ecmp *,
    const struct topology *, const struct ib_subnet_config *);

/* A fault begins or ends to hold down the link behind a port of a switch. Switches must not be
 * run meanwhile. */
void ib_subnet_on_fault(
    struct ib_subnet *, uint32_t switch_index, uint32_t port, bool begins, uint64_t now_ps);

/* Returns the ports by which a packet may leave switch `from` for switch `to`. */
struct ib_ports ib_subnet_ports(struct ib_subnet *, uint32_t from, uint32_t to, uint64_t now_ps);

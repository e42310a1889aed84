/* SPDX-License-Identifier: Apache-2.0 */
/* Equal-cost multipath: every switch knows, for every destination, the ports that begin a shortest
 * path, and a hash of the 5-tuple selects one of them. A flow therefore stays on one path, and
 * several flows may share a link while others are idle.
 *
 * A destination is a port of a NIC: the switch at the other end of its cable, and its port. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "topology/topology.h"

#define ECMP_NO_PORT   UINT32_MAX
#define ECMP_UNREACHED UINT8_MAX

struct ecmp_config {
    uint64_t seed;
    bool is_polarised; /* all switches hash alike, so flows that met once meet again */
};

struct ecmp_switch {
    uint64_t seed;
    uint64_t *groups;   /* bitmaps of ports, one for each destination switch of the plane */
    uint8_t *distances; /* links to each of them; ECMP_UNREACHED */
    uint32_t word_count;
    uint32_t destination; /* its number among the switches of its plane with NICs; ECMP_NO_PORT */
    uint32_t plane;
};

struct ecmp {
    const struct topology *topology;
    struct ecmp_switch *switches;
    uint32_t *destination_counts; /* of each plane */
};

/* The part of a packet that switches read. */
struct ecmp_label {
    uint32_t flow;   /* hash of the 5-tuple */
    uint32_t at;     /* the last switch ... */
    uint16_t port;   /* ... and the port by which the packet leaves it */
    uint16_t way_in; /* of the switch that holds the packet: its ingress port */
    uint32_t lane;   /* InfiniBand: its virtual lane */
};

/* With an arena without memory, only measures. The topology must outlive the tables. */
void ecmp_init(struct ecmp *, struct arena *, const struct topology *, const struct ecmp_config *);

/* Returns the hash of a 5-tuple. The protocol and the destination port are the same for all
 * packets of RoCEv2. */
uint32_t ecmp_flow(uint32_t from_nic, uint32_t to_nic, uint16_t source_port);

/* Returns the number of links of the shortest paths between two switches; ECMP_UNREACHED: there is
 * none. */
uint8_t ecmp_distance(const struct ecmp *, uint32_t from_switch, uint32_t to_switch);

/* Returns the ports of a switch that begin a shortest path to another, as bits: word_count words.
 * NULL: the switches are on different planes. */
const uint64_t *ecmp_group(const struct ecmp *, uint32_t from_switch, uint32_t to_switch);
/* Returns the number of ports of a group, and the port that follows `before` others. */
uint32_t ecmp_group_size(const uint64_t *group, uint32_t word_count);
uint32_t ecmp_group_member(const uint64_t *group, uint32_t before);

/* Returns the hash of a flow at a switch. */
uint64_t ecmp_hash(const struct ecmp *, uint32_t switch_index, uint32_t flow);

/* Returns the port of a group that a hash selects; ECMP_NO_PORT: the group is empty. */
uint32_t ecmp_member(const uint64_t *group, uint32_t word_count, uint64_t hash);

/* Returns the switch behind a port. Returns false if there is none. */
bool ecmp_neighbour(const struct ecmp *, uint32_t switch_index, uint32_t port, uint32_t *neighbour);

/* Returns the port by which a packet leaves a switch; ECMP_NO_PORT: there is no path. */
uint32_t ecmp_forward(const struct ecmp *, uint32_t switch_index, const struct ecmp_label *);

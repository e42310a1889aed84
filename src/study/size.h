/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of fabrics: how many switches, links and ports a number of GPUs needs. Everything is
 * arithmetic; tests compare it with the graphs of topology/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

enum {
    SIZE_TIERS_MAX = GRAPH_TIERS_MAX,
    SIZE_REASON_BYTES = 512,
    SIZE_EVEN = 1000, /* oversubscription of 1 : 1, in thousandths */
};
#define SIZE_GPUS_MAX UINT64_C(100000000)

enum size_kind {
    SIZE_CLOS,           /* planes of two to four tiers, or of single switches */
    SIZE_RAIL_OPTIMISED, /* one plane; a leaf for each rail of a group of servers */
    SIZE_RAIL_ONLY,      /* a network for each rail */
    SIZE_ZCUBE,
    SIZE_INFINIBAND, /* a Clos of one plane with LIDs */
    SIZE_KIND_COUNT,
};
/* "clos", ...; NULL at the end. */
extern const char *const size_kind_words[SIZE_KIND_COUNT + 1];

struct size_request {
    enum size_kind kind;
    uint64_t gpus; /* each has one NIC */
    uint64_t nic_bps;
    uint32_t planes; /* SIZE_CLOS only */
    uint32_t tiers;  /* 0: the fewest; of a ZCube: k */
    uint64_t switch_bps;
    uint64_t lane_bps;         /* a port takes whole lanes */
    uint64_t uplink_bps;       /* of a link between switches; 0: as a port of a NIC */
    uint32_t oversubscription; /* of leaves, in thousandths */
    uint32_t hosts_per_leaf;   /* 0: as many as fit */
    uint32_t rails;            /* GPUs of a server */
};
/* 16,384 GPUs with 800 Gb/s, 8 planes, 51.2 Tb/s, lanes of 100 Gb/s, 8 rails. */
void size_request_init(struct size_request *);

struct size_tier {
    uint64_t switches;   /* of a plane */
    uint64_t host_links; /* of a plane, between NICs and this tier */
    uint64_t up_links;   /* of a plane, to the next tier */
    uint32_t host_ports; /* of a switch that has all its NICs */
    uint32_t down_ports; /* of a switch, to the tier below */
    uint32_t up_ports;
    uint32_t units;    /* Clos: units of the tier below that one of this tier connects */
    uint32_t parallel; /* Clos: links between a switch and one of the tier below */
};

struct size_fabric {
    struct size_request request;
    uint32_t plane_count; /* networks without common switches */
    uint32_t nic_ports;
    uint32_t tier_count;
    uint64_t port_bps;
    uint64_t uplink_bps;
    uint32_t switch_lanes;
    uint32_t port_lanes; /* of a port to a NIC */
    uint32_t uplink_lanes;
    uint64_t places;   /* NICs that fit into the leaves */
    bool is_estimated; /* an existing fabric whose planes differ; counts are rounded up */
    struct size_tier tiers[SIZE_TIERS_MAX];
};

/* Computes the fabric. Returns false with a reason and the nearest requests that are possible. */
bool size_solve(
    const struct size_request *, struct size_fabric *, char reason[static SIZE_REASON_BYTES]);
/* Returns the largest number of GPUs with these tiers; 0: not even one. */
uint64_t size_largest(const struct size_request *, uint32_t tiers);
/* Returns the numbers of the generator that builds a Clos of two tiers or more, or a ZCube. The
 * graph has all `places`. False: no generator builds it. */
bool size_graph(const struct size_fabric *, struct graph_parameters *);
/* Counts an existing fabric, link by link. */
void size_count(const struct topology *, struct size_fabric *);

/* Returns the quotient, rounded up. */
static inline uint64_t size_divide_up(uint64_t whole, uint64_t part)
{
    return (whole + part - 1) / part;
}

/* ---- figures --------------------------------------------------------------------------------- */

uint64_t size_switches(const struct size_fabric *); /* of all planes and tiers */
uint64_t size_links(const struct size_fabric *);
uint64_t size_paths(const struct size_fabric *, uint32_t common_tier); /* 0: NICs of one leaf */
uint32_t size_longest(const struct size_fabric *);                     /* in switches */
/* Returns the most that the rates below any tier exceed those above it; at least 1. */
double size_oversubscription(const struct size_fabric *);
/* Modules of up to 8 lanes in the NICs; in all switches of a tier. */
uint64_t size_nic_modules(const struct size_fabric *);
uint64_t size_tier_modules(const struct size_fabric *, uint32_t number);
uint64_t size_modules(const struct size_fabric *); /* all */

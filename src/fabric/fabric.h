/* SPDX-License-Identifier: Apache-2.0 */
/* A multi-plane two-tier Clos fabric (docs/fabric.md): what it is made of, what everything in it is
 * called and numbered, and where its links go. All of it is arithmetic on a small description;
 * nothing is stored per path, per link or per NIC.
 *
 * NICs are numbered 0 to nic_count - 1: NIC n hangs at downlink n % hosts_per_t0 of T0
 * n / hosts_per_t0, with its port p in plane p. T0 i of a plane has its downlinks as ports 0 to
 * hosts_per_t0 - 1, then an uplink to each T1: port hosts_per_t0 + j leads to T1 j. T1 j has port i
 * to T0 i. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "path/path.h"
#include "wire/ip_address.h"

#define FABRIC_PLANES_MAX   8
#define FABRIC_RADIX_MAX    1024
#define FABRIC_NAME_BYTES   32
#define FABRIC_REASON_BYTES 160

struct fabric_link_kind {
    uint64_t rate_bps;
    uint64_t delay_ps; /* of the cable, each way */
};

/* Egress queues of switches; 0 where a default is said: BDP is of the port, with the fabric's base
 * RTT, and counts as no more than 256 MiB. */
struct fabric_buffers {
    bool trims;
    bool marks;
    uint16_t trimmed_bytes;   /* from the outer header on */
    uint32_t data_bytes;      /* 0: 1 BDP, without trimming 5 */
    uint32_t host_data_bytes; /* ports to hosts. 0: 1.5 BDP, without trimming 5 */
    uint32_t control_bytes;   /* 0: 4 MiB */
    uint32_t red_min_bytes;   /* 0: 0.2 BDP */
    uint32_t red_max_bytes;   /* 0: 0.8 BDP */
};

enum fabric_component {
    FABRIC_NIC,       /* h12 */
    FABRIC_HOST_LINK, /* h12.p3: the NIC's port 3 and its cable */
    FABRIC_PLANE,     /* p3 */
    FABRIC_T0,        /* p3.t0.17 */
    FABRIC_T1,        /* p3.t1.9 */
    FABRIC_UPLINK,    /* p3.t0.17-t1.9 */
    FABRIC_COMPONENT_COUNT,
};

/* Names one component; members that its kind does not need are 0. */
struct fabric_element {
    enum fabric_component kind;
    uint32_t nic;
    uint32_t plane;
    uint32_t t0;
    uint32_t t1;
};

/* A link that differs from its kind. */
struct fabric_exception {
    struct fabric_element link; /* FABRIC_HOST_LINK or FABRIC_UPLINK */
    bool missing;
    uint64_t rate_bps; /* 0: as its kind */
};

/* What fabric.yaml says. */
struct fabric_config {
    char name[FABRIC_NAME_BYTES];
    uint32_t plane_count;
    uint32_t t0_count; /* per plane */
    uint32_t t1_count; /* per plane; 0: T0s alone, of which there may then be only one */
    uint32_t hosts_per_t0;
    uint32_t nic_count; /* 0: t0_count * hosts_per_t0; the last T0 may have fewer */
    uint32_t radix;     /* ports of a switch; 0: as many as needed */
    struct fabric_link_kind host_link;
    struct fabric_link_kind uplink;
    uint64_t switch_latency_ps; /* from a packet's last bit in to its first chance to leave */
    uint64_t nic_latency_ps;    /* between the transport and the wire, each way */
    struct fabric_buffers buffers;
    uint32_t usid_block; /* 32 bits: fc00:0042 */
    bool checks_source;  /* T0s of running fabrics drop what is not from the host of its port */
    const struct fabric_exception *exceptions;
    uint32_t exception_count;
};

/* 400 Gb/s over 4 planes, 8 T0s and 8 T1s each, 64 NICs; 500 ns cables; trims and marks. */
void fabric_config_init(struct fabric_config *);

/* What is wrong with a description: which member, and why, for people. */
struct fabric_problem {
    const char *member; /* as in fabric.yaml, for example "radix" (docs/fabric.md §15) */
    uint32_t exception; /* index, where the member is "exceptions" */
    char reason[FABRIC_REASON_BYTES];
};

struct fabric {
    struct fabric_config config; /* all defaults filled in; exceptions sorted by link */
    uint32_t nic_count;
    uint32_t switch_count; /* T0s of plane 0, T1s of plane 0, T0s of plane 1, ... */
    uint32_t uplink_bits;
    uint64_t base_rtt_ps;   /* longest path, a full packet there and its SACK back, empty network */
    uint64_t lookahead_ps;  /* no packet gets from one node to the next in less */
    uint64_t t0_reciprocal; /* 2^32 / hosts_per_t0, rounded up: numbers without division */
    uint64_t outer_high;    /* of outer addresses: the block, the type of the first uSID */
};

/* Checks the description and completes it. `exceptions` has room for exception_count sorted copies
 * and stays the fabric's. False: `problem` says why it cannot be wired. */
bool fabric_init(struct fabric *, const struct fabric_config *, struct fabric_exception *exceptions,
    struct fabric_problem *problem);

/* ---- names ----------------------------------------------------------------------------------- */

/* Writes the name (see enum fabric_component), always terminated. */
void fabric_name(const struct fabric_element *, char out[static FABRIC_NAME_BYTES]);
/* False, with a reason: no such name, or nothing in this fabric bears it. */
bool fabric_find(const struct fabric *, const char *name, struct fabric_element *,
    char reason[static FABRIC_REASON_BYTES]);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Exact for the up to 2^20 NICs a fabric can have. */
static inline uint32_t fabric_t0_of(const struct fabric *fabric, uint32_t nic)
{
    return (uint32_t)(nic * fabric->t0_reciprocal >> 32);
}

static inline uint32_t fabric_downlink_of(const struct fabric *fabric, uint32_t nic)
{
    return nic - fabric_t0_of(fabric, nic) * fabric->config.hosts_per_t0;
}

uint32_t fabric_switch_index(const struct fabric *, const struct fabric_element *);
/* The T0 or T1 with this index. */
struct fabric_element fabric_switch_at(const struct fabric *, uint32_t switch_index);
uint32_t fabric_port_count(const struct fabric *, uint32_t switch_index);
bool fabric_port_faces_host(const struct fabric *, uint32_t switch_index, uint32_t port);

struct fabric_end {
    bool is_nic;
    uint32_t node; /* NIC or switch index */
    uint32_t port;
};

/* Where the cable of a port ends. False: no cable (missing, or no such NIC). */
bool fabric_peer(const struct fabric *, struct fabric_end, struct fabric_end *peer);
/* The link at a port, its rate (exceptions included) and delay; false: no cable. */
bool fabric_link_at(const struct fabric *, struct fabric_end, struct fabric_element *link,
    struct fabric_link_kind *kind);

/* What a full packet takes from one NIC to another through the empty fabric, exceptions aside. */
uint64_t fabric_one_way_ps(const struct fabric *, uint32_t from, uint32_t to);

/* ---- addresses and routes -------------------------------------------------------------------- */

/* 2001:db8:T0:downlink::1, the same on all planes. */
struct ipv6_addr fabric_nic_address(const struct fabric *, uint32_t nic);
/* False: not an address of this fabric. */
bool fabric_nic_of(const struct fabric *, const struct ipv6_addr *, uint32_t *nic);

/* A uSID is plane(3) | type(3) | index(10). */
enum fabric_usid_type {
    FABRIC_USID_T0 = 1,
    FABRIC_USID_T1,
    FABRIC_USID_HOST, /* a downlink, in the eyes of its T0 */
    FABRIC_USID_SERVICE,
};
#define FABRIC_USID_PLANE_SHIFT 13
#define FABRIC_USID_TYPE_SHIFT  10

uint16_t fabric_usid(const struct fabric *, const struct fabric_element *); /* T0, T1, host link */

static inline struct ev_path fabric_ev_path(const struct fabric *fabric, uint32_t ev)
{
    return (struct ev_path){ .plane = ev >> fabric->uplink_bits,
        .uplink = ev & ((UINT32_C(1) << fabric->uplink_bits) - 1) };
}

static inline uint32_t fabric_ev(const struct fabric *fabric, struct ev_path path)
{
    return path.plane << fabric->uplink_bits | path.uplink;
}

#define FABRIC_LINKS_MAX 4
/* The links of a path, in their order; returns the number: 2 within a T0, else 4. */
uint32_t fabric_links(const struct fabric *, uint32_t from, uint32_t to, uint32_t ev,
    struct fabric_element out[static FABRIC_LINKS_MAX]);

/* How an EV of a QP from `from` to `to` looks on the wire. */
void fabric_template(const struct fabric *, uint32_t from, uint32_t to, struct path_template *);

/* The same at once: the outer destination of a packet, block : T0 : T1 : T0 : host, within a T0
 * block : T0 : host. */
static inline struct ipv6_addr fabric_outer(
    const struct fabric *fabric, uint32_t from, uint32_t to, uint32_t ev)
{
    const uint64_t t0_type = FABRIC_USID_T0 << FABRIC_USID_TYPE_SHIFT;
    const uint64_t t1_type = FABRIC_USID_T1 << FABRIC_USID_TYPE_SHIFT;
    const uint64_t host_type = FABRIC_USID_HOST << FABRIC_USID_TYPE_SHIFT;
    const uint64_t plane_twice = UINT64_C(0x10001) << FABRIC_USID_PLANE_SHIFT;
    struct ev_path path = fabric_ev_path(fabric, ev);
    uint64_t from_t0 = fabric_t0_of(fabric, from);
    uint64_t to_t0 = fabric_t0_of(fabric, to);
    uint64_t downlink = to - to_t0 * fabric->config.hosts_per_t0;
    uint64_t planes = path.plane * plane_twice;
    uint64_t high = fabric->outer_high + (from_t0 << 16) + planes;
    uint32_t low = 0;
    struct ipv6_addr outer;

    if (from_t0 == to_t0) {
        high += host_type + downlink;
    } else {
        high += t1_type + path.uplink;
        low = (uint32_t)(planes + (t0_type << 16 | host_type) + (to_t0 << 16) + downlink);
    }
    bytes_put_be64(outer.octets, high);
    bytes_put_be32(outer.octets + 8, low);
    bytes_put_be32(outer.octets + 12, 0);
    return outer;
}

/* EVs for a QP from `from` to `to`: a T0-local pair has one path per plane. */
struct path_generate fabric_paths(const struct fabric *, uint32_t from, uint32_t to);

/* What packets from one NIC to another take in an empty fabric, links that are exceptions included;
 * of several planes the fastest counts. */
struct fabric_rtt {
    uint64_t fixed_ps; /* there and its SACK back, for a packet of no bytes but its outer header */
    uint64_t per_kib_ps; /* and for each KiB */
    uint64_t port_bps;   /* of the receiver's ports */
};
struct fabric_rtt fabric_rtt(const struct fabric *, uint32_t from, uint32_t to);

/* Forwarding of a switch: uSIDs [first, last] leave by ports first_port, first_port + 1, ... */
struct fabric_range {
    uint16_t first_usid;
    uint16_t last_usid;
    uint16_t first_port;
};

#define FABRIC_RANGES_MAX 2
/* The static routes of a switch, ascending; returns the number. Missing links are not cut out:
 * their ports have no cable. */
uint32_t fabric_routes(
    const struct fabric *, uint32_t switch_index, struct fabric_range out[FABRIC_RANGES_MAX]);

/* SPDX-License-Identifier: Apache-2.0 */
/* Ports by their address, as configuration files have it:
 *
 *     shm:PATH              the rings of whoever listens at the Unix socket PATH
 *     shm-listen:PATH       the same, but listens itself, for one peer
 *     udp:LOCAL,REMOTE      frames in UDP datagrams; each HOST:PORT or [IPV6]:PORT
 *     raw:INTERFACE         AF_PACKET
 *     xdp:INTERFACE         AF_XDP
 *
 * followed by options, "?mtu=2300&slots=512&rate=10000000000&peer=02:00:00:00:00:01&queue=0". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pktio_port;

/* Tells the other end which port of which NIC it is, and which engine of that. */
struct pktio_self {
    const char *device;
    uint32_t index;
    uint32_t engine;
    uint32_t engine_count; /* 0: one */
};

/* 0 or a negative errno: -EINVAL for an address that says nothing. */
int pktio_open(const char *address, const struct pktio_self *, struct pktio_port **);

/* Whether the other end of such a port tells frames for one engine from those for another. If not,
 * a NIC with this port has one engine. */
bool pktio_open_tells_engines(const char *address);

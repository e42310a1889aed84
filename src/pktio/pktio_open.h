/* SPDX-License-Identifier: Apache-2.0 */
/* Opens ports by their address, as configuration files give it:
 *
 *     shm:PATH              the rings of the process that listens at the Unix socket PATH
 *     shm-listen:PATH       listens at the Unix socket PATH for one peer
 *     udp:LOCAL,REMOTE      frames in UDP datagrams; each HOST:PORT or [IPV6]:PORT
 *     raw:INTERFACE         AF_PACKET
 *     xdp:INTERFACE         AF_XDP
 *
 * followed by options, "?mtu=2300&slots=512&rate=10000000000&peer=02:00:00:00:00:01&queue=0". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pktio_port;

/* Tells the other end which port of which NIC this is, and which engine of the NIC. */
struct pktio_self {
    const char *device;
    uint32_t index;
    uint32_t engine;
    uint32_t engine_count; /* 0: one engine */
};

/* Returns 0 or a negative errno: -EINVAL if the address is not valid. */
int pktio_open(const char *address, const struct pktio_self *, struct pktio_port **);

/* Returns whether the other end of such a port separates the frames of different engines. If not, a
 * NIC with this port has one engine. */
bool pktio_open_tells_engines(const char *address);

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

#include <stdint.h>

struct pktio_port;

/* `device` and `index` tell the other end which port of which NIC it is. 0 or a negative errno:
 * -EINVAL for an address that says nothing. */
int pktio_open(const char *address, const char *device, uint32_t index, struct pktio_port **);

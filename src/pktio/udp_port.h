/* SPDX-License-Identifier: Apache-2.0 */
/* Ports over UDP: the payload of a datagram is one frame, which begins with its first IP header.
 * Such a port needs no privileges and works over any IP network. */
#pragma once

#include <stdint.h>

struct pktio_port;

struct udp_port_config {
    const char *local;     /* HOST:PORT or [IPV6]:PORT */
    const char *remote;    /* the only peer: frames of others are ignored */
    uint32_t mtu_bytes;    /* 0: room for 4096 bytes of payload */
    uint32_t buffer_bytes; /* of the socket, per direction; 0: 4 MiB, or what the system allows */
    uint64_t rate_bps;     /* reported rate; 0: unknown */
};

int udp_port_open(const struct udp_port_config *, struct pktio_port **);

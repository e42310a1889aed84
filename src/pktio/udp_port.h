/* SPDX-License-Identifier: Apache-2.0 */
/* Ports over UDP: a frame, from its first IP header on, is the payload of a datagram. Needs no
 * privilege and crosses any IP network. */
#pragma once

#include <stdint.h>

struct pktio_port;

struct udp_port_config {
    const char *local;     /* HOST:PORT or [IPV6]:PORT */
    const char *remote;    /* the only one that is sent to and heard */
    uint32_t mtu_bytes;    /* 0: room for 4096 bytes of payload */
    uint32_t buffer_bytes; /* of the socket, each way; 0: 4 MiB, or what the system allows */
    uint64_t rate_bps;     /* what is said of it; 0: not known */
};

int udp_port_open(const struct udp_port_config *, struct pktio_port **);

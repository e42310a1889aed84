/* SPDX-License-Identifier: Apache-2.0 */
/* Ports on a network interface through a packet socket (AF_PACKET). Needs CAP_NET_RAW. */
#pragma once

#include <stdint.h>

struct pktio_port;

struct raw_port_config {
    const char *interface;
    const char *peer;   /* MAC address of the other end, as 02:00:00:00:00:01; NULL or "": learned
                           from its frames, broadcast until then */
    uint32_t mtu_bytes; /* 0: that of the interface */
    uint32_t buffer_bytes; /* of the socket, per direction; 0: 4 MiB, or what the system allows */
    uint64_t rate_bps;
};

int raw_port_open(const struct raw_port_config *, struct pktio_port **);

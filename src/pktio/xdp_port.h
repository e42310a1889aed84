/* SPDX-License-Identifier: Apache-2.0 */
/* Ports on a network interface through AF_XDP, with libxdp, which is loaded when the first port is
 * opened. Such a port takes all frames of one queue of the interface from the kernel. */
#pragma once

#include <stdint.h>

struct pktio_port;

struct xdp_port_config {
    const char *interface;
    const char *peer;   /* as in struct raw_port_config */
    uint32_t queue;     /* queue of the interface */
    uint32_t mtu_bytes; /* 0: that of the interface, but at most what a buffer holds */
    uint64_t rate_bps;
};

/* Returns -ENOTSUP if there is no libxdp, or there was none when this was built. */
int xdp_port_open(const struct xdp_port_config *, struct pktio_port **);

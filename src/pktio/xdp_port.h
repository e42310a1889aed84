/* SPDX-License-Identifier: Apache-2.0 */
/* Ports on a network interface through AF_XDP, with libxdp, which is loaded when the first one is
 * opened. Takes all that arrives at one queue of the interface; the kernel sees none of it. */
#pragma once

#include <stdint.h>

struct pktio_port;

struct xdp_port_config {
    const char *interface;
    const char *peer;   /* as in struct raw_port_config */
    uint32_t queue;     /* of the interface */
    uint32_t mtu_bytes; /* 0: the interface's, but no more than a buffer holds */
    uint64_t rate_bps;
};

/* -ENOTSUP: no libxdp here, or it was not there when this was built. */
int xdp_port_open(const struct xdp_port_config *, struct pktio_port **);

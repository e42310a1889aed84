/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces xdp_port.c if the headers of libxdp are missing. */
#include <errno.h>

#include "pktio/xdp_port.h"

int xdp_port_open(const struct xdp_port_config *config, struct pktio_port **out)
{
    (void)config;
    (void)out;
    return -ENOTSUP;
}

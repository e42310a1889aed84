/* SPDX-License-Identifier: Apache-2.0 */
/* A network of our devices for one run of the kit, without privileges: a folder with the
 * descriptions of devices whose ports are UDP sockets of an address of this machine that only this
 * process uses.
 *
 * mrc0 and mrc1 are connected by two planes. mrc2 and mrc3 are too, but the second plane loses all
 * packets, retries end soon, and they have few QPs. */
#pragma once

#include <limits.h>

struct api_private {
    char folder[64];
    char config[80];
    int sinks[2]; /* sockets that take the packets of the second plane */
};

/* Returns 0 or a negative errno. */
int api_private_open(struct api_private *);
void api_private_close(struct api_private *);

/* Makes devices of this process those of the network. */
void api_private_enter(const struct api_private *);

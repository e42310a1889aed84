/* SPDX-License-Identifier: Apache-2.0 */
/* The ports of a kit: opened by name, waited for together, and checked for having disappeared. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pktio/pktio.h"

#define CONFORM_PORT_NAME_BYTES 128

struct conform_port {
    struct pktio_port *io;
    char name[CONFORM_PORT_NAME_BYTES];
    int promiscuous_fd; /* keeps the interface promiscuous while it is open; or -1 */
};

/* Opens an address of pktio_open(). A name without a colon is an interface: raw:NAME. Interfaces
 * receive frames to any MAC address while the port is open. Waits a little for the link. Returns 0
 * or a negative errno: -ENETDOWN if the link is down. */
int conform_port_open(struct conform_port *, const char *address, const struct pktio_self *);
void conform_port_close(struct conform_port *);

/* Returns whether its link is down, or its interface no longer exists. */
bool conform_port_is_gone(struct conform_port *);

/* Words why a port does not work: its link is down, or it takes no more frames. */
const char *conform_port_trouble(struct conform_port *);

/* Monotonic time. */
uint64_t conform_port_now_ns(void);

/* Waits until a frame waits at one of the ports, or until this time. */
void conform_port_wait(struct conform_port *, uint32_t count, uint64_t until_ns);

/* The same, or until this descriptor is readable; -1: none. */
void conform_port_wait_also(struct conform_port *, uint32_t count, int fd, uint64_t until_ns);

/* Calls `take` for each frame that waits at one of the ports, with the index of the port. Returns
 * whether there was one. */
bool conform_port_receive(struct conform_port *, uint32_t count,
    void (*take)(void *context, uint32_t port, const uint8_t *bytes, uint32_t length),
    void *context);

/* Sends all frames, in order. Waits for room, but not longer than until this time and not after
 * the port has disappeared. Returns the number of frames that were sent. */
uint32_t conform_port_send(
    struct conform_port *, const struct pktio_frame *, uint32_t count, uint64_t until_ns);

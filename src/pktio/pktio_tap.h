/* SPDX-License-Identifier: Apache-2.0 */
/* Captures all frames of the ports of a NIC in one pcapng file. */
#pragma once

#include <stdint.h>

struct pktio_port;
struct pktio_frame;
struct pktio_received;
struct pktio_tap;

/* In the path, "%p" becomes the process ID and "%d" the name of the device. Returns 0 or a negative
 * errno. */
int pktio_tap_open(const char *path, const char *device, struct pktio_tap **);
void pktio_tap_close(struct pktio_tap *);

/* Captures the frames of a port from now on, under the name DEVICE.pINDEX. */
int pktio_tap_attach(struct pktio_tap *, struct pktio_port *, uint32_t index);

void pktio_tap_sent(struct pktio_tap *, uint32_t port, const struct pktio_frame *);
void pktio_tap_received(struct pktio_tap *, uint32_t port, const struct pktio_received *);

/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of ports share: counters, captures, descriptors. */
#include "pktio/pktio_port.h"

#include <assert.h>
#include <unistd.h>

#include "pktio/pktio_tap.h"

static void send_checked(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    if (count == 0)
        return;
    port->frames_sent += count;
    for (uint32_t i = 0; i < count; i++)
        port->bytes_sent += frames[i].length_bytes;
    if (port->tap)
        for (uint32_t i = 0; i < count; i++)
            pktio_tap_sent(port->tap, port->tap_interface, &frames[i]);
    port->ops->send(port, frames, count);
}

/* Frames may come from neighbours, so their lengths are checked. */
void pktio_port_send(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    struct pktio_frame fitting[PKTIO_BATCH_MAX];
    uint32_t fitting_count = 0;
    uint32_t first_long = 0;

    assert(count <= PKTIO_BATCH_MAX);
    while (first_long < count && frames[first_long].length_bytes <= port->mtu_bytes)
        first_long++;
    if (first_long == count) {
        send_checked(port, frames, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (frames[i].length_bytes <= port->mtu_bytes)
            fitting[fitting_count++] = frames[i];
    port->send_drops += count - fitting_count;
    send_checked(port, fitting, fitting_count);
}

uint32_t pktio_port_receive(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    uint32_t count =
        port->ops->receive(port, frames, max < PKTIO_BATCH_MAX ? max : PKTIO_BATCH_MAX);

    port->frames_received += count;
    for (uint32_t i = 0; i < count; i++) {
        if (frames[i].length_bytes > port->mtu_bytes)
            frames[i].length_bytes = 0;
        port->bytes_received += frames[i].length_bytes;
    }
    if (port->tap)
        for (uint32_t i = 0; i < count; i++)
            pktio_tap_received(port->tap, port->tap_interface, &frames[i]);
    return count;
}

int pktio_port_keep(struct pktio_port *port, int descriptor)
{
    assert(port->descriptor_count < PKTIO_DESCRIPTORS_MAX);
    port->descriptors[port->descriptor_count++] = descriptor;
    return descriptor;
}

void pktio_port_abandon(struct pktio_port *port)
{
    for (uint32_t i = 0; i < port->descriptor_count; i++)
        if (port->descriptors[i] >= 0)
            close(port->descriptors[i]);
    port->descriptor_count = 0;
    port->data_fd = -1;
    port->link_fd = -1;
}

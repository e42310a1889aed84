/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of ports share: counting, capturing, descriptors. */
#include "pktio/pktio_port.h"

#include <assert.h>
#include <unistd.h>

#include "pktio/pktio_tap.h"

void pktio_port_send(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    assert(count <= PKTIO_BATCH_MAX);
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

uint32_t pktio_port_receive(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    uint32_t count =
        port->ops->receive(port, frames, max < PKTIO_BATCH_MAX ? max : PKTIO_BATCH_MAX);

    port->frames_received += count;
    for (uint32_t i = 0; i < count; i++)
        port->bytes_received += frames[i].length_bytes;
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
        close(port->descriptors[i]);
    port->descriptor_count = 0;
    port->data_fd = -1;
    port->link_fd = -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the ports of a kit and waits for them. */
#include "conform/conform_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORTS_MAX = 64, NS_PER_MS = 1000000, LOOK_MS = 10, PATIENCE_MS = 3000 };

/* ---- open and close -------------------------------------------------------------------------- */

/* The kernel ends promiscuous mode when the descriptor is closed, even if this process crashes. */
static int open_promiscuous(const char *address)
{
    struct packet_mreq request = { .mr_type = PACKET_MR_PROMISC };
    char interface[IF_NAMESIZE] = "";
    int fd;

    if (sscanf(address, "raw:%15[^?]", interface) != 1 &&
        sscanf(address, "xdp:%15[^?]", interface) != 1)
        return -1;
    request.mr_ifindex = (int)if_nametoindex(interface);
    fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0); /* protocol 0: it receives nothing */
    if (fd >= 0)
        setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof(request));
    return fd;
}

/* The link of an interface that was just set up comes up a little later. */
static bool comes_up(struct conform_port *port)
{
    struct timespec nap = { .tv_nsec = (long)LOOK_MS * NS_PER_MS };

    for (uint32_t waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += LOOK_MS) {
        if (!conform_port_is_gone(port))
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

int conform_port_open(struct conform_port *port, const char *address, const struct pktio_self *self)
{
    char full[CONFORM_PORT_NAME_BYTES + 8];
    int err;

    snprintf(full, sizeof(full), "%s%s", strchr(address, ':') ? "" : "raw:", address);
    *port = (struct conform_port){ .promiscuous_fd = -1 };
    snprintf(port->name, sizeof(port->name), "%s", address);
    err = pktio_open(full, self, &port->io);
    if (err)
        return err;
    port->promiscuous_fd = open_promiscuous(full);
    if (comes_up(port))
        return 0;
    conform_port_close(port);
    return -ENETDOWN;
}

void conform_port_close(struct conform_port *port)
{
    if (!port->io)
        return;
    pktio_port_close(port->io);
    if (port->promiscuous_fd >= 0)
        close(port->promiscuous_fd);
    port->io = NULL;
}

bool conform_port_is_gone(struct conform_port *port)
{
    pktio_port_update_link(port->io);
    return !pktio_port_link_up(port->io);
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t conform_port_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void sleep_on(struct pollfd *fds, uint32_t count, uint64_t until_ns)
{
    uint64_t now_ns = conform_port_now_ns();
    struct timespec nap = { 0 };

    if (until_ns <= now_ns)
        return;
    nap.tv_sec = (time_t)((until_ns - now_ns) / UINT64_C(1000000000));
    nap.tv_nsec = (long)((until_ns - now_ns) % UINT64_C(1000000000));
    ppoll(fds, count, &nap, NULL);
}

void conform_port_wait(struct conform_port *ports, uint32_t count, uint64_t until_ns)
{
    conform_port_wait_also(ports, count, -1, until_ns);
}

void conform_port_wait_also(struct conform_port *ports, uint32_t count, int fd, uint64_t until_ns)
{
    struct pollfd fds[PORTS_MAX + 1] = { { 0 } };
    bool is_armed = true;

    for (uint32_t i = 0; i < count; i++)
        is_armed &= pktio_port_arm(ports[i].io, false);
    for (uint32_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){ .fd = ports[i].io->data_fd, .events = ports[i].io->events };
    fds[count] = (struct pollfd){ .fd = fd, .events = POLLIN };
    if (is_armed)
        sleep_on(fds, count + 1, until_ns);
    for (uint32_t i = 0; i < count; i++)
        pktio_port_disarm(ports[i].io, fds[i].revents != 0);
}

/* ---- receiving ------------------------------------------------------------------------------- */

const char *conform_port_trouble(struct conform_port *port)
{
    return conform_port_is_gone(port) ? "the link is down, or the interface is gone"
                                      : "it takes no more frames";
}

bool conform_port_receive(struct conform_port *ports, uint32_t count,
    void (*take)(void *context, uint32_t port, const uint8_t *bytes, uint32_t length),
    void *context)
{
    struct pktio_received frames[PKTIO_BATCH_MAX];
    bool has_some = false;

    for (uint32_t port = 0; port < count; port++) {
        uint32_t received = pktio_port_receive(ports[port].io, frames, PKTIO_BATCH_MAX);

        for (uint32_t i = 0; i < received; i++)
            take(context, port, frames[i].bytes, frames[i].length_bytes);
        has_some |= received > 0;
    }
    return has_some;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void wait_for_room(struct conform_port *port, uint64_t until_ns)
{
    struct pollfd fd = { .fd = -1 };
    uint64_t soon_ns = conform_port_now_ns() + NS_PER_MS;
    bool is_armed = pktio_port_arm(port->io, true);

    fd.fd = port->io->data_fd;
    fd.events = (short)(port->io->events & ~POLLIN);
    if (is_armed)
        sleep_on(&fd, 1, soon_ns < until_ns ? soon_ns : until_ns);
    pktio_port_disarm(port->io, fd.revents != 0);
}

uint32_t conform_port_send(
    struct conform_port *port, const struct pktio_frame *frames, uint32_t count, uint64_t until_ns)
{
    uint32_t sent = 0;

    while (sent < count) {
        uint32_t room = pktio_port_room(port->io);
        uint32_t batch = count - sent;

        if (room == 0) {
            if (conform_port_now_ns() >= until_ns || conform_port_is_gone(port))
                break;
            wait_for_room(port, until_ns);
            continue;
        }
        batch = batch < room ? batch : room;
        batch = batch < PKTIO_BATCH_MAX ? batch : PKTIO_BATCH_MAX;
        pktio_port_send(port->io, frames + sent, batch);
        sent += batch;
    }
    return sent;
}

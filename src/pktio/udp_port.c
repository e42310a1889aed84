/* SPDX-License-Identifier: Apache-2.0 */
/* Ports over UDP. */
#include "pktio/udp_port.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pktio/pktio_port.h"
#include "pktio/udp_batch.h"

enum {
    DEFAULT_MTU = 4352,
    DEFAULT_BUFFER = 4 << 20,
};

struct udp_port {
    struct pktio_port port; /* data_fd: the socket */
    struct udp_batch batch;
};

static struct udp_port *udp_of(struct pktio_port *port)
{
    return (struct udp_port *)port;
}

static uint32_t room(struct pktio_port *port)
{
    return udp_batch_room(&udp_of(port)->batch);
}

static bool is_sent(struct pktio_port *port)
{
    return room(port) > 0;
}

static void send_frames(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    udp_batch_send(&udp_of(port)->batch, frames, count);
    port->send_drops += udp_of(port)->batch.refused;
    udp_of(port)->batch.refused = 0;
}

static uint32_t receive_frames(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    return udp_batch_receive(&udp_of(port)->batch, frames, max);
}

/* Polling the socket is enough. */
static bool arm_port(struct pktio_port *port, bool wants_room)
{
    bool waits = frame_backlog_count(&udp_of(port)->batch.backlog) > 0;

    port->events = waits ? POLLIN | POLLOUT : POLLIN;
    return !udp_batch_holds_some(&udp_of(port)->batch) && (waits || !wants_room);
}

static void disarm_port(struct pktio_port *port, bool was_called)
{
    (void)port;
    (void)was_called;
}

static void close_udp(struct pktio_port *port)
{
    udp_batch_fini(&udp_of(port)->batch);
    pktio_port_abandon(port);
    free(port);
}

static const struct pktio_ops udp_ops = {
    .kind = "udp",
    .room = room,
    .send = send_frames,
    .receive = receive_frames,
    .arm = arm_port,
    .disarm = disarm_port,
    .is_sent = is_sent,
    .close = close_udp,
};

/* Resolves HOST:PORT or [HOST]:PORT. */
static int resolve_address(const char *text, struct addrinfo **out)
{
    struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV };
    char host[256];
    const char *colon = strrchr(text, ':');
    size_t length;

    if (!colon || (size_t)(colon - text) >= sizeof(host))
        return -EINVAL;
    length = (size_t)(colon - text);
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    memcpy(host, text, length);
    host[length] = '\0';
    return getaddrinfo(host, colon + 1, &hints, out) == 0 ? 0 : -EADDRNOTAVAIL;
}

static void set_buffer(int fd, int option, int forced, int bytes)
{
    if (setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof(bytes)) < 0)
        setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof(bytes));
}

static int open_socket(const struct udp_port_config *config, int *out)
{
    int buffer = (int)(config->buffer_bytes ? config->buffer_bytes : DEFAULT_BUFFER);
    struct addrinfo *local = NULL;
    struct addrinfo *remote = NULL;
    int err = resolve_address(config->local, &local);
    int fd;

    if (!err)
        err = resolve_address(config->remote, &remote);
    if (err)
        goto free_addresses;
    fd = socket(local->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, local->ai_addr, local->ai_addrlen) < 0 ||
        connect(fd, remote->ai_addr, remote->ai_addrlen) < 0) {
        err = -errno;
        if (fd >= 0)
            close(fd);
        goto free_addresses;
    }
    set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, buffer);
    set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, buffer);
    *out = fd;
free_addresses:
    if (local)
        freeaddrinfo(local);
    if (remote)
        freeaddrinfo(remote);
    return err;
}

int udp_port_open(const struct udp_port_config *config, struct pktio_port **out)
{
    struct udp_port *udp = calloc(1, sizeof(*udp));
    uint32_t mtu_bytes = config->mtu_bytes ? config->mtu_bytes : DEFAULT_MTU;
    int fd = -1;
    int err = -ENOMEM;

    if (!udp)
        return err;
    err = open_socket(config, &fd);
    if (err)
        goto free_port;
    err = udp_batch_init(&udp->batch, fd, mtu_bytes);
    if (err)
        goto close_socket;
    udp->port = (struct pktio_port){ .ops = &udp_ops,
        .mtu_bytes = mtu_bytes,
        .rate_bps = config->rate_bps,
        .data_fd = fd,
        .link_fd = -1,
        .events = POLLIN };
    atomic_init(&udp->port.link_up, true);
    pktio_port_keep(&udp->port, fd);
    *out = &udp->port;
    return 0;

close_socket:
    close(fd);
free_port:
    free(udp);
    return err;
}

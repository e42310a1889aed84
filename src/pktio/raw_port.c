/* SPDX-License-Identifier: Apache-2.0 */
/* Ports on packet sockets: Ethernet frames, whose header is added and removed here. */
#include "pktio/raw_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pktio/interface.h"
#include "pktio/link_header.h"
#include "pktio/pktio_port.h"
#include "pktio/socket_batch.h"

enum {
    DEFAULT_BUFFER = 4 << 20,
    MTU_MAX = 16384,
};

struct raw_port {
    struct pktio_port port; /* data_fd: the socket */
    struct socket_batch batch;
    struct interface interface;
    struct link_header link;
};

static struct raw_port *raw_of(struct pktio_port *port)
{
    return (struct raw_port *)port;
}

static uint32_t room(struct pktio_port *port)
{
    return socket_batch_room(&raw_of(port)->batch);
}

static bool is_sent(struct pktio_port *port)
{
    return room(port) > 0;
}

static void send_frames(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    socket_batch_send(&raw_of(port)->batch, frames, count);
    port->send_drops += raw_of(port)->batch.refused;
    raw_of(port)->batch.refused = 0;
}

static uint32_t receive_frames(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    struct raw_port *raw = raw_of(port);
    uint32_t count = socket_batch_receive(&raw->batch, frames, max);

    link_header_strip(&raw->link, frames, count);
    return count;
}

/* Polling the socket is enough. */
static bool arm_port(struct pktio_port *port, bool wants_room)
{
    bool waits = frame_backlog_count(&raw_of(port)->batch.backlog) > 0;

    port->events = waits ? POLLIN | POLLOUT : POLLIN;
    return waits || !wants_room;
}

static void disarm_port(struct pktio_port *port, bool was_called)
{
    (void)port;
    (void)was_called;
}

static void update_link(struct pktio_port *port)
{
    atomic_store_explicit(
        &port->link_up, interface_update(&raw_of(port)->interface), memory_order_release);
}

static void close_raw(struct pktio_port *port)
{
    socket_batch_fini(&raw_of(port)->batch);
    pktio_port_abandon(port);
    free(port);
}

static const struct pktio_ops raw_ops = {
    .kind = "raw",
    .room = room,
    .send = send_frames,
    .receive = receive_frames,
    .arm = arm_port,
    .disarm = disarm_port,
    .is_sent = is_sent,
    .update_link = update_link,
    .close = close_raw,
};

/* Accepts only IP packets that can be MRC: UDP or a tunnel. The others are for the kernel. */
static int attach_filter(int fd)
{
    enum { TYPE_AT = 12, V4_PROTOCOL_AT = ETH_HLEN + 9, V6_NEXT_AT = ETH_HLEN + 6 };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, TYPE_AT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 8),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, V4_PROTOCOL_AT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 5, 6),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, V6_NEXT_AT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 41, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 43, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

    _Static_assert(sizeof(code) / sizeof(code[0]) == 12, "the offsets of the jumps depend on it");
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

static void set_buffer(int fd, int option, int forced, int bytes)
{
    if (setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof(bytes)) < 0)
        setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof(bytes));
}

static int open_socket(const struct raw_port_config *config, const struct interface *interface)
{
    int buffer = (int)(config->buffer_bytes ? config->buffer_bytes : DEFAULT_BUFFER);
    struct sockaddr_ll address = { .sll_family = AF_PACKET,
        .sll_protocol = htons(ETH_P_ALL),
        .sll_ifindex = (int)interface->index };
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int one = 1;
    int err;

    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one));
    set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, buffer);
    set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, buffer);
    err = attach_filter(fd);
    if (!err && bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        err = -errno;
    if (err) {
        close(fd);
        return err;
    }
    return fd;
}

int raw_port_open(const struct raw_port_config *config, struct pktio_port **out)
{
    struct raw_port *raw = calloc(1, sizeof(*raw));
    int err = -ENOMEM;
    int fd;

    if (!raw)
        return err;
    err = interface_open(&raw->interface, config->interface);
    if (err)
        goto free_port;
    fd = open_socket(config, &raw->interface);
    if (fd < 0) {
        err = fd;
        goto close_link;
    }
    raw->port = (struct pktio_port){ .ops = &raw_ops,
        .mtu_bytes = config->mtu_bytes ? config->mtu_bytes : raw->interface.mtu_bytes,
        .rate_bps = config->rate_bps,
        .data_fd = fd,
        .link_fd = raw->interface.link_fd,
        .events = POLLIN };
    if (raw->port.mtu_bytes > MTU_MAX)
        raw->port.mtu_bytes = MTU_MAX;
    err = socket_batch_init(&raw->batch, fd, raw->port.mtu_bytes);
    if (err)
        goto close_socket;
    if (!link_header_init(&raw->link, raw->interface.mac, config->peer)) {
        err = -EINVAL;
        goto free_batch;
    }
    raw->batch.link = &raw->link;
    atomic_init(&raw->port.link_up, interface_is_up(&raw->interface));
    pktio_port_keep(&raw->port, fd);
    pktio_port_keep(&raw->port, raw->interface.link_fd);
    *out = &raw->port;
    return 0;

free_batch:
    socket_batch_fini(&raw->batch);
close_socket:
    close(fd);
close_link:
    close(raw->interface.link_fd);
free_port:
    free(raw);
    return err;
}

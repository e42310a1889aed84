/* SPDX-License-Identifier: Apache-2.0 */
/* Ports on AF_XDP. There is one area of buffers: the kernel receives into the first half; frames
 * are sent from the second half. Copy mode is used unless the driver supports zero copy. */
#include "pktio/xdp_port.h"

#include <errno.h>
#include <linux/if_link.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "pktio/interface.h"
#include "pktio/link_header.h"
#include "pktio/pktio_port.h"
#include "pktio/xdp_library.h"

enum {
    BUFFER_BYTES = 4096,
    BUFFERS = 1024, /* per direction */
    /* The kernel reserves 256 bytes in front of received frames, and veth about 320 bytes after
     * them. */
    MTU_MAX = 3498,
    BUSY_TRIES = 100,
    BUSY_WAIT_NS = 10 * 1000 * 1000,
};

struct xdp_port {
    struct pktio_port port; /* data_fd: the socket */
    const struct xdp_library *library;
    struct interface interface;
    struct link_header link;
    uint8_t *area;
    struct xsk_umem *umem;
    struct xsk_socket *socket;
    struct xsk_ring_prod fill;
    struct xsk_ring_cons completion;
    struct xsk_ring_cons rx;
    struct xsk_ring_prod tx;
    uint64_t free_buffers[BUFFERS]; /* to send from */
    uint32_t free_count;
    uint64_t lent[PKTIO_BATCH_MAX];
    uint32_t lent_count;
};

static struct xdp_port *xdp_of(struct pktio_port *port)
{
    return (struct xdp_port *)port;
}

/* ---- sending ----------------------------------------------------------------------------------
 */

static void take_back(struct xdp_port *xdp)
{
    uint32_t at;
    uint32_t count = xsk_ring_cons__peek(&xdp->completion, BUFFERS, &at);

    for (uint32_t i = 0; i < count; i++)
        xdp->free_buffers[xdp->free_count++] = *xsk_ring_cons__comp_addr(&xdp->completion, at + i);
    if (count)
        xsk_ring_cons__release(&xdp->completion, count);
}

/* In copy mode the kernel sends only when told to. */
static void call_kernel(struct xdp_port *xdp)
{
    if (xsk_ring_prod__needs_wakeup(&xdp->tx) &&
        sendto(xdp->port.data_fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0)
        return;
}

/* Takes buffers back as early as possible: those used last are still in the cache. */
static uint32_t room(struct pktio_port *port)
{
    struct xdp_port *xdp = xdp_of(port);

    take_back(xdp);
    if (xdp->free_count < PKTIO_BATCH_MAX)
        call_kernel(xdp);
    return xdp->free_count;
}

static uint32_t copy_frame(struct xdp_port *xdp, uint64_t buffer, const struct pktio_frame *frame)
{
    uint8_t *start = xdp->area + buffer;
    uint8_t *at = start + LINK_HEADER_BYTES;

    memcpy(start, link_header_of(&xdp->link, frame->pieces[0].iov_base), LINK_HEADER_BYTES);
    for (uint32_t i = 0; i < frame->piece_count; i++) {
        memcpy(at, frame->pieces[i].iov_base, frame->pieces[i].iov_len);
        at += frame->pieces[i].iov_len;
    }
    return (uint32_t)(at - start);
}

static void send_frames(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    struct xdp_port *xdp = xdp_of(port);
    uint32_t at;

    if (xsk_ring_prod__reserve(&xdp->tx, count, &at) != count) {
        port->send_drops += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct xdp_desc *desc = xsk_ring_prod__tx_desc(&xdp->tx, at + i);
        uint64_t buffer = xdp->free_buffers[--xdp->free_count];

        *desc = (struct xdp_desc){ .addr = buffer, .len = copy_frame(xdp, buffer, &frames[i]) };
    }
    xsk_ring_prod__submit(&xdp->tx, count);
    call_kernel(xdp);
}

static bool is_ring_empty(const struct xdp_port *xdp)
{
    return __atomic_load_n(xdp->tx.consumer, __ATOMIC_RELAXED) == xdp->tx.cached_prod;
}

/* Sends the frames that are still in the ring because the kernel had no memory in copy mode. */
static void send_rest(struct xdp_port *xdp)
{
    if (!is_ring_empty(xdp))
        call_kernel(xdp);
}

static bool is_sent(struct pktio_port *port)
{
    send_rest(xdp_of(port));
    return is_ring_empty(xdp_of(port));
}

/* ---- receiving --------------------------------------------------------------------------------
 */

static void give_back(struct xdp_port *xdp)
{
    uint32_t at;

    if (xdp->lent_count == 0 ||
        xsk_ring_prod__reserve(&xdp->fill, xdp->lent_count, &at) != xdp->lent_count)
        return;
    for (uint32_t i = 0; i < xdp->lent_count; i++)
        *xsk_ring_prod__fill_addr(&xdp->fill, at + i) = xdp->lent[i];
    xsk_ring_prod__submit(&xdp->fill, xdp->lent_count);
    xdp->lent_count = 0;
}

static uint32_t receive_frames(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    struct xdp_port *xdp = xdp_of(port);
    uint32_t at;
    uint32_t count;

    give_back(xdp);
    send_rest(xdp);
    count = xsk_ring_cons__peek(&xdp->rx, max, &at);
    for (uint32_t i = 0; i < count; i++) {
        const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&xdp->rx, at + i);

        frames[i] =
            (struct pktio_received){ .bytes = xdp->area + desc->addr, .length_bytes = desc->len };
        xdp->lent[i] = desc->addr & ~(uint64_t)(BUFFER_BYTES - 1);
    }
    if (count)
        xsk_ring_cons__release(&xdp->rx, count);
    xdp->lent_count = count;
    link_header_strip(&xdp->link, frames, count);
    return count;
}

/* ---- open and close -------------------------------------------------------------------------- */

static bool arm_port(struct pktio_port *port, bool wants_room)
{
    port->events = wants_room ? POLLIN | POLLOUT : POLLIN;
    return true;
}

static void disarm_port(struct pktio_port *port, bool was_called)
{
    (void)port;
    (void)was_called;
}

static void update_link(struct pktio_port *port)
{
    atomic_store_explicit(
        &port->link_up, interface_update(&xdp_of(port)->interface), memory_order_release);
}

static void close_xdp(struct pktio_port *port)
{
    struct xdp_port *xdp = xdp_of(port);

    if (port->descriptor_count > 0) { /* else the descriptors belong to the parent of a fork */
        xdp->library->socket_delete(xdp->socket);
        xdp->library->umem_delete(xdp->umem);
    }
    pktio_port_abandon(port);
    munmap(xdp->area, (size_t)2 * BUFFERS * BUFFER_BYTES);
    free(xdp);
}

static const struct pktio_ops xdp_ops = {
    .kind = "xdp",
    .room = room,
    .send = send_frames,
    .receive = receive_frames,
    .arm = arm_port,
    .disarm = disarm_port,
    .is_sent = is_sent,
    .update_link = update_link,
    .close = close_xdp,
};

static int make_umem(struct xdp_port *xdp)
{
    size_t bytes = (size_t)2 * BUFFERS * BUFFER_BYTES;
    struct xsk_umem_config config = {
        .fill_size = BUFFERS, .comp_size = BUFFERS, .frame_size = BUFFER_BYTES
    };
    int err;

    xdp->area = mmap(
        NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (xdp->area == MAP_FAILED)
        return -errno;
    err = xdp->library->umem_create(
        &xdp->umem, xdp->area, bytes, &xdp->fill, &xdp->completion, &config);
    if (err)
        munmap(xdp->area, bytes);
    return err;
}

static int make_socket(struct xdp_port *xdp, const struct xdp_port_config *config)
{
    struct xsk_socket_config wish = {
        .rx_size = BUFFERS, .tx_size = BUFFERS, .bind_flags = XDP_USE_NEED_WAKEUP
    };
    int send_bytes = 2 * BUFFERS * BUFFER_BYTES; /* for the kernel's copies of a full ring */
    int err;

    /* veth has no zero copy, and its native XDP allocates a page for every frame. */
    if (interface_is_driven_by(&xdp->interface, "veth"))
        wish.xdp_flags = XDP_FLAGS_SKB_MODE;
    err = xdp->library->socket_create(
        &xdp->socket, config->interface, config->queue, xdp->umem, &xdp->rx, &xdp->tx, &wish);
    if (!err)
        setsockopt(xdp->library->socket_fd(xdp->socket), SOL_SOCKET, SO_SNDBUFFORCE, &send_bytes,
            sizeof(send_bytes));
    return err;
}

static int prime_buffers(struct xdp_port *xdp)
{
    uint32_t at;

    if (xsk_ring_prod__reserve(&xdp->fill, BUFFERS, &at) != BUFFERS)
        return -ENOBUFS;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        *xsk_ring_prod__fill_addr(&xdp->fill, at + i) = (uint64_t)i * BUFFER_BYTES;
        xdp->free_buffers[i] = (uint64_t)(BUFFERS + i) * BUFFER_BYTES;
    }
    xsk_ring_prod__submit(&xdp->fill, BUFFERS);
    xdp->free_count = BUFFERS;
    return 0;
}

static void fill_port(struct xdp_port *xdp, const struct xdp_port_config *config)
{
    uint32_t mtu_bytes = config->mtu_bytes ? config->mtu_bytes : xdp->interface.mtu_bytes;

    xdp->port = (struct pktio_port){ .ops = &xdp_ops,
        .mtu_bytes = mtu_bytes < MTU_MAX ? mtu_bytes : MTU_MAX,
        .rate_bps = config->rate_bps,
        .data_fd = xdp->library->socket_fd(xdp->socket),
        .link_fd = xdp->interface.link_fd,
        .events = POLLIN };
    atomic_init(&xdp->port.link_up, interface_is_up(&xdp->interface));
    pktio_port_keep(&xdp->port, xdp->interface.link_fd);
}

static int open_once(const struct xdp_library *library, const struct xdp_port_config *config,
    struct pktio_port **out)
{
    struct xdp_port *xdp;
    int err;

    xdp = calloc(1, sizeof(*xdp));
    if (!xdp)
        return -ENOMEM;
    xdp->library = library;
    err = interface_open(&xdp->interface, config->interface);
    if (err)
        goto free_port;
    err = link_header_init(&xdp->link, xdp->interface.mac, config->peer) ? make_umem(xdp) : -EINVAL;
    if (err)
        goto close_link;
    err = make_socket(xdp, config);
    if (err)
        goto delete_umem;
    err = prime_buffers(xdp);
    if (err)
        goto delete_socket;
    fill_port(xdp, config);
    *out = &xdp->port;
    return 0;

delete_socket:
    library->socket_delete(xdp->socket);
delete_umem:
    library->umem_delete(xdp->umem);
    munmap(xdp->area, (size_t)2 * BUFFERS * BUFFER_BYTES);
close_link:
    close(xdp->interface.link_fd);
free_port:
    free(xdp);
    return err;
}

/* Tries again: the kernel frees the queue of a closed socket with a delay. */
int xdp_port_open(const struct xdp_port_config *config, struct pktio_port **out)
{
    const struct xdp_library *library = xdp_library();
    int err;

    if (!library)
        return -ENOTSUP;
    err = open_once(library, config, out);
    for (uint32_t i = 0; err == -EBUSY && i < BUSY_TRIES; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = BUSY_WAIT_NS }, NULL);
        err = open_once(library, config, out);
    }
    return err;
}

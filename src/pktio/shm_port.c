/* SPDX-License-Identifier: Apache-2.0 */
/* Shared-memory ports after both ends have connected, which shm_serve.c and shm_attach.c do. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pktio/doorbell.h"
#include "pktio/shm_meet.h"

enum { MESSAGES_MAX = 64 }; /* read at once: the other end may send without limit */

static struct shm_port *shm_of(struct pktio_port *port)
{
    return (struct shm_port *)port;
}

/* A server has returned, and its rings are not adopted yet. */
static bool has_next(const struct shm_port *shm)
{
    return atomic_load_explicit(&shm->next, memory_order_relaxed) != NULL;
}

/* Adopts new rings if there are any. Only for calls that end the loan of received frames. */
static struct shm_rings *current(struct pktio_port *port)
{
    if (has_next(shm_of(port)))
        shm_attach_adopt(shm_of(port));
    return &shm_of(port)->rings;
}

static uint32_t room(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);

    return has_next(shm) ? 0 : frame_ring_room(&shm->rings.out);
}

static void publish_frames(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);

    frame_ring_publish(&shm->rings.out);
    shm->owes_call = true;
    if (!shm->defers_calls)
        shm_port_call(port);
}

static void send_frames(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    struct shm_port *shm = shm_of(port);

    if (!pktio_port_link_up(port) || has_next(shm)) {
        port->send_drops += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        frame_ring_put(&shm->rings.out, &frames[i]);
    if (shm->holds)
        frame_ring_hold(&shm->rings.out);
    else
        publish_frames(port);
}

static bool hold_frames(struct pktio_port *port, bool holds)
{
    shm_of(port)->holds = holds;
    if (!holds && frame_ring_is_holding(&shm_of(port)->rings.out))
        publish_frames(port);
    return true;
}

static void take_down(struct pktio_port *port)
{
    atomic_store_explicit(&port->link_up, false, memory_order_release);
}

/* The other end violates the protocol: shut the socket down, so that both ends see it. */
static void break_off(struct shm_port *shm)
{
    take_down(&shm->port);
    shutdown(shm->port.link_fd, SHUT_RDWR);
}

static uint32_t receive_frames(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    struct shm_rings *rings = current(port);
    uint32_t count = frame_ring_take(&rings->in, frames, max);

    if ((rings->in.is_broken || rings->out.is_broken) && pktio_port_link_up(port))
        break_off(shm_of(port));
    return count;
}

static bool arm_port(struct pktio_port *port, bool wants_room)
{
    struct shm_rings *rings = current(port);
    bool sleeps = frame_ring_sleep(&rings->in);

    if (!pktio_port_link_up(port))
        return true;
    return sleeps && (!wants_room || frame_ring_wait_for_room(&rings->out));
}

static void disarm_port(struct pktio_port *port, bool was_called)
{
    frame_ring_awake(&shm_of(port)->rings.in);
    if (was_called)
        doorbell_answer(port->data_fd);
}

/* ---- the link -------------------------------------------------------------------------------- */

/* Ignores what a client sends after its hello. */
static bool has_left(int sock)
{
    char bytes[16];
    ssize_t length = 1;

    for (uint32_t i = 0; i < MESSAGES_MAX && length > 0; i++)
        length = recv(sock, bytes, sizeof(bytes), MSG_DONTWAIT);
    return length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
}

/* Sends the state of the link until the client has received it. */
static int tell_link(struct shm_port *shm)
{
    struct shm_link link = { .link_up = shm->link_wanted };

    if (shm->link_told == shm->link_wanted)
        return 0;
    if (send(shm->port.link_fd, &link, sizeof(link), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return -errno;
    shm->link_told = shm->link_wanted;
    return 0;
}

static void update_link(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);

    if (shm->client) {
        shm_attach_update(shm);
        return;
    }
    if (shm->peer_is_gone)
        return;
    if (!has_left(port->link_fd)) {
        tell_link(shm);
        return;
    }
    shm->peer_is_gone = true;
    frame_ring_outlive(&shm->rings.in);
    port->link_fd = -1;
    take_down(port);
}

int shm_port_set_link(struct pktio_port *port, bool up)
{
    struct shm_port *shm = shm_of(port);

    if (shm->peer_is_gone)
        return -EPIPE;
    shm->link_wanted = up;
    atomic_store_explicit(&port->link_up, up, memory_order_release);
    return tell_link(shm);
}

/* ---- for fabrics ----------------------------------------------------------------------------- */

void shm_port_defer_calls(struct pktio_port *port)
{
    shm_of(port)->defers_calls = true;
}

void shm_port_call(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);

    if (shm->owes_call)
        frame_ring_call(&shm->rings.out);
    shm->owes_call = false;
}

static uint32_t unread(const struct pktio_port *port)
{
    return frame_ring_unread(&((const struct shm_port *)port)->rings.out);
}

uint32_t shm_port_slot_count(const struct pktio_port *port)
{
    return ((const struct shm_port *)port)->rings.in.slot_count;
}

void shm_port_keep_frames(struct pktio_port *port)
{
    shm_of(port)->rings.in.keeps = true;
}

void shm_port_give_back(struct pktio_port *port, uint32_t count)
{
    frame_ring_give_back(&shm_of(port)->rings.in, count);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void close_shm(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);

    if (shm->client)
        shm_attach_close(shm);
    shm_meet_unmap(&shm->rings);
    pktio_port_abandon(port);
    free(shm);
}

static const struct pktio_ops shm_ops = {
    .kind = "shm",
    .room = room,
    .send = send_frames,
    .receive = receive_frames,
    .arm = arm_port,
    .disarm = disarm_port,
    .unread = unread,
    .hold = hold_frames,
    .update_link = update_link,
    .close = close_shm,
};

struct shm_port *shm_port_make(const struct shm_rings *rings, int sock, bool link_up)
{
    struct shm_port *shm = calloc(1, sizeof(*shm));

    if (!shm)
        return NULL;
    shm->rings = *rings;
    shm->link_wanted = shm->link_told = link_up;
    shm->port = (struct pktio_port){ .ops = &shm_ops,
        .mtu_bytes = rings->mtu_bytes,
        .rate_bps = rings->rate_bps,
        .data_fd = rings->own_bell,
        .link_fd = sock,
        .events = POLLIN };
    atomic_init(&shm->port.link_up, link_up);
    pktio_port_keep(&shm->port, sock);
    pktio_port_keep(&shm->port, rings->own_bell);
    pktio_port_keep(&shm->port, rings->peer_bell);
    return shm;
}

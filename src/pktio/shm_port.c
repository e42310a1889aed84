/* SPDX-License-Identifier: Apache-2.0 */
/* Shared-memory ports once both ends have met; shm_meet.c is how they do. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pktio/shm_meet.h"

static struct shm_port *shm_of(struct pktio_port *port)
{
    return (struct shm_port *)port;
}

static uint32_t room(struct pktio_port *port)
{
    return frame_ring_room(&shm_of(port)->out);
}

static void send_frames(struct pktio_port *port, const struct pktio_frame *frames, uint32_t count)
{
    struct shm_port *shm = shm_of(port);

    if (!pktio_port_link_up(port)) {
        port->send_drops += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        frame_ring_put(&shm->out, &frames[i]);
    frame_ring_publish(&shm->out);
    shm->owes_call = true;
    if (!shm->defers_calls)
        shm_port_call(port);
}

static void take_down(struct pktio_port *port)
{
    atomic_store_explicit(&port->link_up, false, memory_order_release);
}

static uint32_t receive_frames(struct pktio_port *port, struct pktio_received *frames, uint32_t max)
{
    struct shm_port *shm = shm_of(port);
    uint32_t count = frame_ring_take(&shm->in, frames, max);

    if (shm->in.is_broken || shm->out.is_broken)
        take_down(port);
    return count;
}

static bool arm(struct pktio_port *port, bool wants_room)
{
    bool sleeps = frame_ring_sleep(&shm_of(port)->in);

    if (!pktio_port_link_up(port))
        return true;
    return sleeps && (!wants_room || frame_ring_wait_for_room(&shm_of(port)->out));
}

static void disarm(struct pktio_port *port)
{
    uint64_t count;

    frame_ring_awake(&shm_of(port)->in);
    while (read(port->data_fd, &count, sizeof(count)) > 0)
        ;
}

/* What the other end says about the cable; its silence for ever when it is gone. */
static void update_link(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);
    struct shm_link link;
    ssize_t length;

    if (shm->peer_is_gone)
        return;
    while ((length = recv(port->link_fd, &link, sizeof(link), MSG_DONTWAIT)) > 0)
        if (length == sizeof(link) && !shm->is_server)
            atomic_store_explicit(&port->link_up, link.link_up != 0, memory_order_release);
    if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        shm->peer_is_gone = true;
        port->link_fd = -1;
        take_down(port);
    }
}

int shm_port_set_link(struct pktio_port *port, bool up)
{
    struct shm_link link = { .link_up = up };

    if (shm_of(port)->peer_is_gone)
        return -EPIPE;
    atomic_store_explicit(&port->link_up, up, memory_order_release);
    return send(port->link_fd, &link, sizeof(link), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void shm_port_defer_calls(struct pktio_port *port)
{
    shm_of(port)->defers_calls = true;
}

void shm_port_call(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);

    if (shm->owes_call)
        frame_ring_call(&shm->out);
    shm->owes_call = false;
}

static uint32_t unread(const struct pktio_port *port)
{
    return frame_ring_unread(&((const struct shm_port *)port)->out);
}

uint32_t shm_port_slot_count(const struct pktio_port *port)
{
    return ((const struct shm_port *)port)->in.slot_count;
}

void shm_port_keep_frames(struct pktio_port *port)
{
    shm_of(port)->in.keeps = true;
}

void shm_port_give_back(struct pktio_port *port, uint32_t count)
{
    frame_ring_give_back(&shm_of(port)->in, count);
}

static void close_shm(struct pktio_port *port)
{
    struct shm_port *shm = shm_of(port);

    munmap(shm->memory, shm->memory_bytes);
    pktio_port_abandon(port);
    free(shm);
}

const struct pktio_ops shm_ops = {
    .kind = "shm",
    .room = room,
    .send = send_frames,
    .receive = receive_frames,
    .arm = arm,
    .disarm = disarm,
    .unread = unread,
    .update_link = update_link,
    .close = close_shm,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* A port: frames out, frames in, a link that is up or down. One interface for all kinds.
 *
 * A frame begins with its first IP header; a kind that travels on Ethernet adds and removes that
 * header itself. One thread at a time may call a port, but for pktio_port_update_link(), which may
 * be another one. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define PKTIO_DESCRIPTORS_MAX 4
#define PKTIO_BATCH_MAX       64 /* frames that a port takes or gives at once */

/* To be sent: pieces that make up one frame. */
struct pktio_frame {
    const struct iovec *pieces;
    uint32_t piece_count;
    uint32_t length_bytes; /* the sum of them */
};

/* Received: lent until the next pktio_port_receive() on this port. */
struct pktio_received {
    const uint8_t *bytes;
    uint32_t length_bytes;
};

struct pktio_port;
struct pktio_tap;

struct pktio_ops {
    const char *kind; /* "shm" */
    uint32_t (*room)(struct pktio_port *);
    void (*send)(struct pktio_port *, const struct pktio_frame *, uint32_t count);
    uint32_t (*receive)(struct pktio_port *, struct pktio_received *, uint32_t max);
    bool (*arm)(struct pktio_port *, bool wants_room);
    void (*disarm)(struct pktio_port *, bool was_called);
    uint32_t (*unread)(const struct pktio_port *); /* NULL: nobody knows */
    bool (*is_sent)(struct pktio_port *);          /* NULL: at once */
    bool (*hold)(struct pktio_port *, bool holds); /* NULL: it cannot */
    void (*update_link)(struct pktio_port *);      /* NULL: the link never changes */
    void (*close)(struct pktio_port *);            /* frees the port, too */
};

struct pktio_port {
    const struct pktio_ops *ops;
    struct pktio_tap *tap; /* NULL: nobody captures */
    uint32_t tap_interface;
    uint32_t mtu_bytes; /* largest frame */
    uint64_t rate_bps;  /* 0: not known */
    _Atomic bool link_up;
    int data_fd;  /* readable when frames wait, once armed; or -1 */
    int link_fd;  /* readable when pktio_port_update_link() has something to learn; or -1 */
    short events; /* what to poll data_fd for, once armed */
    int descriptors[PKTIO_DESCRIPTORS_MAX]; /* all it holds, or -1, for pktio_port_abandon() */
    uint32_t descriptor_count;
    uint64_t frames_sent;
    uint64_t bytes_sent;
    uint64_t frames_received;
    uint64_t bytes_received;
    uint64_t send_drops; /* frames that the system refused, and frames longer than mtu_bytes */
};

/* How many frames it takes for certain, in one send or several. */
static inline uint32_t pktio_port_room(struct pktio_port *port)
{
    return port->ops->room(port);
}

/* At most PKTIO_BATCH_MAX, at most pktio_port_room(). Frames longer than mtu_bytes are dropped. */
void pktio_port_send(struct pktio_port *, const struct pktio_frame *, uint32_t count);

/* Returns the number of frames, up to `max` and PKTIO_BATCH_MAX; gives back those lent before. A
 * frame that is longer than mtu_bytes, or damaged, has the length 0. */
uint32_t pktio_port_receive(struct pktio_port *, struct pktio_received *, uint32_t max);

/* The caller is about to sleep on data_fd until frames come or, with `wants_room`, until there is
 * room again. False: there is something already. */
static inline bool pktio_port_arm(struct pktio_port *port, bool wants_room)
{
    return port->ops->arm(port, wants_room);
}

/* It is awake, and will look by itself: nobody need call. `was_called`: data_fd is readable, which
 * lasts until this is said. */
static inline void pktio_port_disarm(struct pktio_port *port, bool was_called)
{
    port->ops->disarm(port, was_called);
}

/* How many of the frames sent the other end has not finished with, as far as is known. If it does
 * not get to them, it may be waiting for a processor. */
static inline uint32_t pktio_port_unread(const struct pktio_port *port)
{
    return port->ops->unread ? port->ops->unread(port) : 0;
}

/* All frames sent are where the end of this process does not stop them: with the kernel, or in
 * memory that the other end shares. Tries to get them there. */
static inline bool pktio_port_is_sent(struct pktio_port *port)
{
    return !port->ops->is_sent || port->ops->is_sent(port);
}

/* From now on, the other end does not see frames that are sent, unless this process ends. False: a
 * port of this kind cannot hold frames back. */
static inline bool pktio_port_hold(struct pktio_port *port)
{
    return port->ops->hold && port->ops->hold(port, true);
}

/* The other end sees the frames that were held. */
static inline void pktio_port_release(struct pktio_port *port)
{
    if (port->ops->hold)
        port->ops->hold(port, false);
}

static inline bool pktio_port_link_up(const struct pktio_port *port)
{
    return atomic_load_explicit(&port->link_up, memory_order_acquire);
}

static inline void pktio_port_update_link(struct pktio_port *port)
{
    if (port->ops->update_link)
        port->ops->update_link(port);
}

static inline void pktio_port_close(struct pktio_port *port)
{
    port->ops->close(port);
}

/* In the child of a fork: lets go of the descriptors, so that the other end learns when the parent
 * goes. Nothing but pktio_port_close() may follow. */
void pktio_port_abandon(struct pktio_port *);

/* For the kinds themselves: remembers a descriptor, closes all. */
int pktio_port_keep(struct pktio_port *, int descriptor);

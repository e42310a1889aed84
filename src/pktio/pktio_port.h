/* SPDX-License-Identifier: Apache-2.0 */
/* A port sends frames, receives frames and has a link that is up or down. All kinds of ports have
 * this interface.
 *
 * A frame begins with its first IP header. Ports on Ethernet add and remove the Ethernet header. A
 * port may be called by one thread at a time, except for pktio_port_update_link(), which another
 * thread may call at the same time. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define PKTIO_DESCRIPTORS_MAX 4
#define PKTIO_BATCH_MAX       64 /* frames that a port sends or receives at once */

/* A frame to send, in pieces. */
struct pktio_frame {
    const struct iovec *pieces;
    uint32_t piece_count;
    uint32_t length_bytes; /* sum of the pieces */
};

/* A received frame, lent until the next pktio_port_receive() on this port. */
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
    uint32_t (*unread)(const struct pktio_port *); /* NULL if unknown */
    bool (*is_sent)(struct pktio_port *);          /* NULL if sending is immediate */
    bool (*hold)(struct pktio_port *, bool holds); /* NULL if the port cannot hold frames */
    void (*update_link)(struct pktio_port *);      /* NULL if the link never changes */
    void (*close)(struct pktio_port *);            /* also frees the port */
};

struct pktio_port {
    const struct pktio_ops *ops;
    struct pktio_tap *tap; /* NULL if there is no capture */
    uint32_t tap_interface;
    uint32_t mtu_bytes; /* largest frame */
    uint64_t rate_bps;  /* 0 if unknown */
    _Atomic bool link_up;
    int data_fd;  /* readable when frames wait, after arming; or -1 */
    int link_fd;  /* readable when pktio_port_update_link() has something to do; or -1 */
    short events; /* to poll data_fd for, after arming */
    int descriptors[PKTIO_DESCRIPTORS_MAX]; /* open descriptors, or -1 */
    uint32_t descriptor_count;
    uint64_t frames_sent;
    uint64_t bytes_sent;
    uint64_t frames_received;
    uint64_t bytes_received;
    uint64_t send_drops; /* frames that the system refused, or that are longer than mtu_bytes */
};

/* Returns the number of frames that the port takes for certain, in one call or several. */
static inline uint32_t pktio_port_room(struct pktio_port *port)
{
    return port->ops->room(port);
}

/* Sends at most PKTIO_BATCH_MAX and at most pktio_port_room() frames. Drops frames longer than
 * mtu_bytes. */
void pktio_port_send(struct pktio_port *, const struct pktio_frame *, uint32_t count);

/* Returns the number of frames, up to `max` and PKTIO_BATCH_MAX. Releases the frames lent before. A
 * frame that is longer than mtu_bytes, or damaged, has length 0. */
uint32_t pktio_port_receive(struct pktio_port *, struct pktio_received *, uint32_t max);

/* Prepares to sleep on data_fd until frames arrive or, with `wants_room`, until there is room
 * again. Returns false if there is no need to sleep. */
static inline bool pktio_port_arm(struct pktio_port *port, bool wants_room)
{
    return port->ops->arm(port, wants_room);
}

/* The caller is awake and polls the port, so the other end need not ring. `was_called`: data_fd is
 * readable, and stays so until this call. */
static inline void pktio_port_disarm(struct pktio_port *port, bool was_called)
{
    port->ops->disarm(port, was_called);
}

/* Returns the number of sent frames that the other end has not finished with, as far as known. If
 * it stays high, the other end may be waiting for a processor. */
static inline uint32_t pktio_port_unread(const struct pktio_port *port)
{
    return port->ops->unread ? port->ops->unread(port) : 0;
}

/* Returns whether all sent frames reach the other end even if this process ends: they are in the
 * kernel, or in memory that the other end shares. Tries to send those that are not. */
static inline bool pktio_port_is_sent(struct pktio_port *port)
{
    return !port->ops->is_sent || port->ops->is_sent(port);
}

/* Holds the frames that are sent from now on: the other end does not see them unless this process
 * ends. Returns false if the port cannot hold frames. */
static inline bool pktio_port_hold(struct pktio_port *port)
{
    return port->ops->hold && port->ops->hold(port, true);
}

/* Makes the held frames visible to the other end. */
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

/* In the child of a fork: closes the descriptors, so that the other end notices when the parent
 * ends. Only pktio_port_close() may follow. */
void pktio_port_abandon(struct pktio_port *);

/* For the kinds of ports: records a descriptor; closes all of them. */
int pktio_port_keep(struct pktio_port *, int descriptor);

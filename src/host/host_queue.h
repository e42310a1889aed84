/* SPDX-License-Identifier: Apache-2.0 */
/* Objects on which an application waits: completion queues, channels with a file descriptor,
 * asynchronous events, EV events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

struct host_nic;
struct host_cq;
struct host_channel;
struct host_qp;

/* ---- completion queues ------------------------------------------------------------------------
 */

struct host_completion {
    uint64_t id;
    void *qp_user; /* host_qp_config.user */
    uint32_t qpn;
    enum completion_status status;
    uint32_t length_bytes;
    uint32_t immediate; /* a number, in host order */
    bool is_recv;       /* a write with immediate arrived; otherwise a send completed */
};

/* Creates a queue with room for at least `depth` completions. `channel` may be NULL. An overrun
 * causes HOST_ASYNC_CQ_ERROR. */
int host_cq_create(
    struct host_nic *, uint32_t depth, struct host_channel *, void *user, struct host_cq **);
int host_cq_destroy(struct host_cq *); /* -EBUSY if QPs use it */
void *host_cq_user(const struct host_cq *);

/* Drives the engine if no completion waits. Writes up to `max` completions and returns their
 * number, or a negative errno: -EIO after an overrun, -ENODEV. */
int host_cq_poll(struct host_cq *, struct host_completion *, uint32_t max);

/* The next completion (or the next solicited or failed one) puts one event into the channel. The
 * progress thread takes over at once, because the caller is going to sleep. */
int host_cq_arm(struct host_cq *, bool solicited_only);

/* ---- channels ---------------------------------------------------------------------------------
 */

int host_channel_create(struct host_nic *, struct host_channel **);
int host_channel_destroy(struct host_channel *);  /* -EBUSY if queues use it */
int host_channel_fd(const struct host_channel *); /* readable while events wait; never read */
/* Waits for an event and returns its queue (completion or EV queue). Returns -EAGAIN if the
 * descriptor is non-blocking and no event waits; -EINTR. */
int host_channel_next(struct host_channel *, struct host_cq **);

/* ---- asynchronous events ----------------------------------------------------------------------
 */

enum host_async_kind {
    HOST_ASYNC_CQ_ERROR,
    HOST_ASYNC_QP_FATAL,
    HOST_ASYNC_QP_REQUEST_ERROR,
    HOST_ASYNC_QP_ACCESS_ERROR,
    HOST_ASYNC_PORT_UP,
    HOST_ASYNC_PORT_DOWN,
    HOST_ASYNC_DEVICE_FATAL,
};

struct host_async {
    enum host_async_kind kind;
    void *user; /* of the queue or QP */
    uint32_t qpn;
    uint32_t port; /* from 0 */
};

int host_async_fd(const struct host_nic *); /* readable while events wait; do not read from it */
int host_async_next(struct host_nic *, struct host_async *); /* as host_channel_next() */

/* ---- EV events --------------------------------------------------------------------------------
 */

struct host_ev_event {
    uint64_t profile_id;
    uint32_t qpn;
    uint32_t ev;
    uint32_t index; /* index in the caller's profile */
    uint8_t plane;
    enum path_ev_state from;
    enum path_ev_state to;
    enum path_signal cause;
    uint32_t lost_before; /* events lost for lack of room since the previous one */
};

/* A queue of changes of EV states, as selected by the event masks of the profiles. It cannot
 * overrun: events without room are counted. It is armed, destroyed and signalled like a completion
 * queue. */
int host_ev_queue_create(
    struct host_nic *, uint32_t depth, struct host_channel *, void *user, struct host_cq **);
int host_ev_queue_poll(struct host_cq *, struct host_ev_event *, uint32_t max);

/* SPDX-License-Identifier: Apache-2.0 */
/* The objects behind the handles of mrc.h. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/async_queue.h"
#include "api/device.h"
#include "api/spinlock.h"
#include "mrc.h"
#include "mrc_private.h"

struct mrc_context {
    struct mrc_context *next; /* list of the device, protected by its mutex */
    struct device *device;
    struct ibv_context *verbs;
    uint32_t api_version; /* as given by the program; 0 if not given */
    _Atomic uint32_t child_count;
    struct async_queue async;
};

struct mrc_comp_channel {
    struct mrc_context *context;
    int epoll_fd;              /* on which programs wait */
    struct host_channel *host; /* created with the first completion queue; device mutex */
    _Atomic uint32_t cq_count;
};

/* Events of an object that a program has received, and events that it has acknowledged. */
struct event_count {
    uint32_t got;
    uint32_t acknowledged;
};

struct mrc_cq {
    struct mrc_context *context;
    struct mrc_comp_channel *channel;
    void *user_context;
    struct spinlock lock;
    struct host_cq *host; /* NULL for a queue of EV events, which has these members: */
    struct event_ring events;
    uint64_t position;
    uint32_t depth;
    uint32_t lost_count;
    int bell_fd;

    struct event_count comp_events;
    struct event_count async_events;
};

struct mrc_qp_hint {
    struct mrc_context *context;
    struct mrc_qp_hint_attr attr;
    uint32_t qp_count; /* device mutex, as for all members */
};

struct mrc_qp {
    struct mrc_context *context;
    struct host_qp *host;
    struct spinlock lock; /* for posting */
    uint32_t piece_max;

    /* Protected by the device's mutex: the requested and the current attributes. */
    struct mrc_qp_init_attr init;
    struct ibv_qp_attr verbs;
    struct mrc_qp_attr mrc;
    struct device_ev_profile *ev_profile;
    struct device_cc_profile *cc_profile;
    struct event_count async_events;
};

static inline struct mrc_private_pd *api_objects_pd(struct ibv_pd *pd)
{
    return (struct mrc_private_pd *)pd;
}

/* Returns the device of a context that libmrc-verbs has made, NULL for other contexts. */
struct device *api_objects_device_of(const struct ibv_context *);

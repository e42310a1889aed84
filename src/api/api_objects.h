/* SPDX-License-Identifier: Apache-2.0 */
/* What the handles of mrc.h stand for. */
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
    struct mrc_context *next; /* of the device; its mutex guards the list */
    struct device *device;
    struct ibv_context *verbs;
    uint32_t api_version; /* as the program said; 0: not said */
    _Atomic uint32_t child_count;
    struct async_queue async;
};

struct mrc_comp_channel {
    struct mrc_context *context;
    int epoll_fd;              /* what programs wait on */
    struct host_channel *host; /* made with the first completion queue; device mutex */
    _Atomic uint32_t cq_count;
};

/* Events of an object that a program has got, and those it has acknowledged. */
struct event_count {
    uint32_t got;
    uint32_t acknowledged;
};

struct mrc_cq {
    struct mrc_context *context;
    struct mrc_comp_channel *channel;
    void *user_context;
    struct spinlock lock;
    struct host_cq *host; /* NULL: a queue of EV events, whose members are: */
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
    uint32_t qp_count; /* device mutex, like all of it */
};

struct mrc_qp {
    struct mrc_context *context;
    struct host_qp *host;
    struct spinlock lock; /* of posting */
    uint32_t piece_max;

    /* The device's mutex guards the rest: what was asked for and what holds. */
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

/* The device of a context that libmrc-verbs has made; NULL: somebody else's. */
struct device *api_objects_device_of(const struct ibv_context *);

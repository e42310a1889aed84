/* SPDX-License-Identifier: Apache-2.0 */
/* A device that this process has open: its folder and, from the first object that needs it, the
 * NIC. Any number of processes may open a device; one process at a time owns the NIC.
 *
 * `mutex` protects all members that are not constant. The NIC's progress thread calls back without
 * holding locks of the host. A thread that holds the mutex must not wait for the progress thread.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/description.h"
#include "api/event_ring.h"
#include "api/profile.h"
#include "host/host.h"

struct mrc_context;

#define DEVICE_MPR_MAX       32 /* units of 128 PSNs; memory of a QP is allocated for this number */
#define DEVICE_WRITE_IMM_MAX 256
#define DEVICE_HINT_MAX      4096
#define DEVICE_WORK_MAX      16384
#define DEVICE_PIECE_MAX     16
#define DEVICE_INLINE_MAX    512
#define DEVICE_CQE_MAX       1048576

struct device_profile { /* a profile that QPs of this process use */
    struct device_profile *next;
    uint64_t id;
    uint32_t user_count;
    int use_lock;
};

struct device_ev_profile {
    struct device_profile shared;
    struct host_ev_profile *host; /* NULL: the NIC's default, of an AUTO profile */
    int seen_fd;
    struct record_ev record;
    struct record_fmt fmt;
    uint8_t seen[RECORD_EV_MAX]; /* enum mrc_ctl_ev_state, as published */
};

struct device_cc_profile {
    struct device_profile shared;
    struct host_cc_profile *host;
};

struct device {
    struct device *next;
    uint32_t open_count; /* protected by the registry's lock */

    struct description description; /* constant */
    struct profile_store store;     /* constant */

    pthread_mutex_t mutex;
    struct host_nic *nic; /* NULL if another process owns it or it is not needed yet */
    int owner_lock;
    struct event_ring events; /* valid while we own the NIC */
    int watch_fd;             /* epoll: the two below, and asynchronous events */
    int changes_fd;           /* inotify: records of the folder */
    struct host_channel *ev_channel;
    struct host_cq *ev_queue;
    struct device_profile *ev_profiles;
    struct device_profile *cc_profiles;
    struct mrc_context *contexts;
    uint32_t hint_count;
    pthread_mutex_t probing; /* one batch of endpoint requests at a time */
};

/* All calls return 0 or a negative errno. */
int device_open(const char *name, struct device **);
int device_close(struct device *); /* -EBUSY if the NIC has objects; then it stays open */

/* Claims the NIC for this process if necessary. Returns -EBUSY if another process owns it. */
int device_claim(struct device *, struct host_nic **);

/* Limits of the NIC, according to its parameters. */
uint32_t device_mpr_max(const struct device *);
uint32_t device_write_imm_max(const struct device *);

/* Ports are numbered from 1. */
int device_port_is_enabled(const struct device *, uint32_t port, bool *enabled);
int device_enable_port(struct device *, uint32_t port, bool enabled);

/* Needs the mutex. Applies the records, which may have changed, to the NIC. */
void device_refresh_ports(struct device *);
void device_refresh_profiles(struct device *);

/* Needs the mutex. Id 0 selects the default, NULL. Returns -EINVAL if the profile does not exist or
 * is not ONLINE. */
struct device_profile *device_profile_find(struct device_profile *list, uint64_t id);
int device_ev_profile_acquire(struct device *, uint64_t id, struct device_ev_profile **);
void device_ev_profile_release(struct device *, struct device_ev_profile *);
int device_cc_profile_acquire(struct device *, uint64_t id, struct device_cc_profile **);
void device_cc_profile_release(struct device *, struct device_cc_profile *);

/* Needs the mutex. Delivers the NIC's asynchronous events to their contexts. Must be called before
 * an object is freed that events may refer to. */
void device_hand_out_async(struct device *);

/* For the time for which the NIC is claimed (device_watch.c). All but the last need the mutex. */
int device_watch_start(struct device *, struct host_nic *);
/* Releases everything that keeps the NIC from being closed; device_watch_go_on() reverses this. */
void device_watch_pause(struct device *);
int device_watch_go_on(struct device *, struct host_nic *);
/* The NIC is closed: there are no more callbacks. */
void device_watch_end(struct device *);

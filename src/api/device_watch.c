/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the NIC's progress thread for the device: it applies changes of the device's records,
 * publishes the states of EVs, and delivers asynchronous events. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "api/api_objects.h"

#define EV_QUEUE_DEPTH 1024

/* ---- EV states ------------------------------------------------------------------------------- */

/* Controllers do not see SKIP. */
static uint8_t to_public(enum path_ev_state state)
{
    switch (state) {
    case EV_ASSUMED_BAD:
        return MRC_CTL_EV_ASSUMED_BAD;
    case EV_DENIED:
        return MRC_CTL_EV_DENIED;
    case EV_GOOD:
    case EV_SKIP:
    case EV_SUSPECT:
    case EV_STATE_COUNT:
        break;
    }
    return MRC_CTL_EV_GOOD;
}

/* The state of an EV is the worst that any QP has for it: there is one event when the first QP
 * finds it bad, and one when the last QP uses it again. */
static bool publish_state(struct device *device, struct device_ev_profile *profile, uint32_t index)
{
    uint8_t state = to_public(host_ev_profile_state(profile->host, index));
    struct event_ring_event event = {
        .profile_id = profile->shared.id, .ev = profile->record.entries[index].ev, .state = state
    };

    if (state == profile->seen[index])
        return false;
    profile->seen[index] = state;
    if (profile->seen_fd >= 0 && pwrite(profile->seen_fd, &state, 1, index) != 1)
        return false;
    if (!(profile->record.event_mask & state))
        return false;
    event_ring_push(&device->events, &event);
    return true;
}

/* With the mutex held: reports what QPs found out about EVs. */
static void device_publish_evs(struct device *device)
{
    struct host_ev_event event;
    bool rang = false;

    while (device->ev_queue && host_ev_queue_poll(device->ev_queue, &event, 1) == 1) {
        struct device_ev_profile *profile =
            (struct device_ev_profile *)device_profile_find(device->ev_profiles, event.profile_id);
        uint32_t first = event.lost_before ? 0 : event.index;
        uint32_t last = event.lost_before && profile ? profile->record.count - 1 : event.index;

        for (uint32_t i = first; profile && profile->host && i <= last; i++)
            rang |= publish_state(device, profile, i);
    }
    if (rang)
        event_ring_touch_bell(&device->events);
}

/* ---- asynchronous events --------------------------------------------------------------------- */

static void hand_to_all(struct device *device, const struct mrc_async_event *event)
{
    for (struct mrc_context *context = device->contexts; context; context = context->next)
        async_queue_push(&context->async, event);
}

static void hand_to_qp(struct mrc_qp *qp, enum ibv_event_type type)
{
    struct mrc_async_event event = { .element.qp = qp, .event_type = type };

    async_queue_push(&qp->context->async, &event);
}

static void hand_out(struct device *device, const struct host_async *from)
{
    struct mrc_async_event event = { .element.port_num = (int)from->port + 1 };
    struct mrc_cq *cq = from->user;

    switch (from->kind) {
    case HOST_ASYNC_CQ_ERROR:
        event.element.cq = cq;
        event.event_type = IBV_EVENT_CQ_ERR;
        async_queue_push(&cq->context->async, &event);
        return;
    case HOST_ASYNC_QP_FATAL:
        hand_to_qp(from->user, IBV_EVENT_QP_FATAL);
        return;
    case HOST_ASYNC_QP_REQUEST_ERROR:
        hand_to_qp(from->user, IBV_EVENT_QP_REQ_ERR);
        return;
    case HOST_ASYNC_QP_ACCESS_ERROR:
        hand_to_qp(from->user, IBV_EVENT_QP_ACCESS_ERR);
        return;
    case HOST_ASYNC_PORT_UP:
        event.event_type = IBV_EVENT_PORT_ACTIVE;
        break;
    case HOST_ASYNC_PORT_DOWN:
        event.event_type = IBV_EVENT_PORT_ERR;
        break;
    case HOST_ASYNC_DEVICE_FATAL:
        event.element.port_num = 0;
        event.event_type = IBV_EVENT_DEVICE_FATAL;
        break;
    }
    hand_to_all(device, &event);
}

void device_hand_out_async(struct device *device)
{
    struct host_async event;

    while (device->nic && host_async_next(device->nic, &event) == 0)
        hand_out(device, &event);
}

/* ---- the watch ------------------------------------------------------------------------------- */

static bool drain_changes(int fd)
{
    char bytes[4096];
    bool any = false;

    while (fd >= 0 && read(fd, bytes, sizeof(bytes)) > 0)
        any = true;
    return any;
}

static void on_readable(void *context)
{
    struct device *device = context;
    struct host_cq *queue;

    pthread_mutex_lock(&device->mutex);
    if (drain_changes(device->changes_fd)) {
        device_refresh_ports(device);
        device_refresh_profiles(device);
    }
    if (device->ev_channel && host_channel_next(device->ev_channel, &queue) == 0) {
        host_cq_arm(queue, false);
        device_publish_evs(device);
    }
    device_hand_out_async(device);
    pthread_mutex_unlock(&device->mutex);
}

static int do_not_wait(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) >= 0 ? 0 : -errno;
}

static int watch_fd(struct device *device, int fd)
{
    struct epoll_event event = { .events = EPOLLIN };
    int err = do_not_wait(fd);

    if (!err && epoll_ctl(device->watch_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        err = -errno;
    return err;
}

static int watch_records(struct device *device)
{
    device->changes_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (device->changes_fd < 0 || inotify_add_watch(device->changes_fd, device->store.folder.path,
                                      IN_MOVED_TO | IN_DELETE) < 0)
        return -errno;
    return watch_fd(device, device->changes_fd);
}

static int watch_evs(struct device *device, struct host_nic *nic)
{
    int err = host_channel_create(nic, &device->ev_channel);

    if (!err)
        err =
            host_ev_queue_create(nic, EV_QUEUE_DEPTH, device->ev_channel, NULL, &device->ev_queue);
    if (!err)
        err = watch_fd(device, host_channel_fd(device->ev_channel));
    return err ? err : host_cq_arm(device->ev_queue, false);
}

int device_watch_start(struct device *device, struct host_nic *nic)
{
    int err;

    device->watch_fd = epoll_create1(EPOLL_CLOEXEC);
    if (device->watch_fd < 0)
        return -errno;
    err = watch_records(device);
    if (!err)
        err = watch_evs(device, nic);
    if (!err)
        err = watch_fd(device, host_async_fd(nic));
    if (!err)
        err = host_watch(nic, device->watch_fd, on_readable, device);
    if (err) {
        device_watch_pause(device);
        device_watch_end(device);
    }
    return err;
}

void device_watch_pause(struct device *device)
{
    if (device->ev_queue)
        host_cq_destroy(device->ev_queue);
    if (device->ev_channel)
        host_channel_destroy(device->ev_channel);
    device->ev_queue = NULL;
    device->ev_channel = NULL;
}

int device_watch_go_on(struct device *device, struct host_nic *nic)
{
    return watch_evs(device, nic);
}

void device_watch_end(struct device *device)
{
    if (device->changes_fd >= 0)
        close(device->changes_fd);
    close(device->watch_fd);
    device->changes_fd = -1;
    device->watch_fd = -1;
}

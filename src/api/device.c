/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of this process. A device is opened once and counts its users; the NIC is claimed when it
 * is first needed. */
#include "api/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/log.h"
#include "pktio/pktio.h"

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *registry;

static void drop_use_locks(struct device_profile *profile)
{
    for (; profile; profile = profile->next) {
        close(profile->use_lock);
        profile->use_lock = -1;
    }
}

/* A lock is held while any copy of its descriptor is open, so a child must close the copies of its
 * parent's locks. The lists change by single stores and are therefore consistent at any moment.
 * Locking them before the fork would require an order of locks shared with the host. */
static void let_go_in_child(void)
{
    for (struct device *device = registry; device; device = device->next) {
        if (device->owner_lock >= 0)
            close(device->owner_lock);
        device->owner_lock = -1;
        drop_use_locks(device->ev_profiles);
        drop_use_locks(device->cc_profiles);
        pthread_mutex_init(&device->mutex, NULL);
    }
    pthread_mutex_init(&registry_lock, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, let_go_in_child);
}

static struct device *find_device(const char *name)
{
    struct device *device = registry;

    while (device && strcmp(device->description.name, name) != 0)
        device = device->next;
    return device;
}

static int make_device(const char *name, struct device **out)
{
    struct device *device = calloc(1, sizeof(*device));
    int err;

    if (!device)
        return -ENOMEM;
    err = description_find(name, &device->description);
    if (err)
        goto free_device;
    err = folder_open(&device->store.folder, name);
    if (err)
        goto free_device;
    description_attach(&device->description);
    device->store.port_count = device->description.host.port_count;
    device->owner_lock = -1;
    device->watch_fd = -1;
    device->changes_fd = -1;
    pthread_mutex_init(&device->mutex, NULL);
    pthread_mutex_init(&device->probing, NULL);
    device->next = registry;
    registry = device;
    *out = device;
    return 0;

free_device:
    free(device);
    return err;
}

int device_open(const char *name, struct device **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int err = 0;

    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&registry_lock);
    *out = find_device(name);
    if (!*out)
        err = make_device(name, out);
    if (!err)
        (*out)->open_count++;
    pthread_mutex_unlock(&registry_lock);
    return err;
}

static void forget_device(struct device *device)
{
    struct device **link = &registry;

    while (*link != device)
        link = &(*link)->next;
    *link = device->next;
}

static void go_on(struct device *device, struct host_nic *nic)
{
    pthread_mutex_lock(&device->mutex);
    if (device_watch_go_on(device, nic) != 0)
        log_line(LOG_WARN, "%s: this process does not notice changes of EVs by others",
            device->description.name);
    pthread_mutex_unlock(&device->mutex);
}

/* Closes the NIC without holding the mutex: host_close() waits for the progress thread, which may
 * wait for the mutex. */
static int give_up_nic(struct device *device)
{
    struct host_nic *nic = device->nic;
    int err;

    if (!nic)
        return 0;
    pthread_mutex_lock(&device->mutex);
    device_watch_pause(device);
    pthread_mutex_unlock(&device->mutex);
    err = host_close(nic);
    if (err) {
        go_on(device, nic);
        return err;
    }
    device->nic = NULL;
    device_watch_end(device);
    event_ring_close(&device->events);
    if (device->owner_lock >= 0)
        close(device->owner_lock);
    device->owner_lock = -1;
    return 0;
}

int device_close(struct device *device)
{
    int err = 0;

    pthread_mutex_lock(&registry_lock);
    if (device->open_count == 1)
        err = give_up_nic(device);
    if (!err && --device->open_count == 0) {
        forget_device(device);
        folder_close(&device->store.folder);
        pthread_mutex_destroy(&device->mutex);
        pthread_mutex_destroy(&device->probing);
        free(device);
    }
    pthread_mutex_unlock(&registry_lock);
    return err;
}

static int take_ownership(struct device *device)
{
    const char *name = device->description.name;
    struct process_lock_holder holder;

    device->owner_lock = folder_own(&device->store.folder);
    if (device->owner_lock >= 0)
        return 0;
    if (device->owner_lock == -EBUSY && folder_owner(&device->store.folder, &holder) && holder.pid)
        log_line(LOG_ERROR, "%s: in use by %s, pid %d", name, holder.program, holder.pid);
    return device->owner_lock;
}

/* Returns a message for an error of a port. */
static const char *port_problem(int err)
{
    switch (err) {
    case -ENOENT:
    case -ECONNREFUSED:
        return "its fabric is not running";
    case -ETIMEDOUT:
        return "its fabric does not answer";
    case -ENODEV:
        return "its fabric, or this machine, has no such port";
    case -EBUSY:
        return "another process has attached as this NIC";
    case -ENFILE:
        return "its fabric has no file descriptors left; raise their limit (ulimit -n)";
    case -EDQUOT:
        return "its fabric gives this user no more shared memory; use fewer 'slots'";
    case -EPROTONOSUPPORT:
        return "its fabric has another version";
    default:
        return strerror(-err);
    }
}

static int claim_nic(struct device *device)
{
    struct host_nic *nic = NULL;
    int err = take_ownership(device);

    if (err)
        return err;
    err = event_ring_open(&device->events, &device->store.folder);
    if (err)
        goto release_owner;
    err = host_open(&device->description.host, &nic);
    if (err) {
        log_line(LOG_ERROR, "%s: cannot open its ports: %s", device->description.name,
            port_problem(err));
        goto close_events;
    }
    err = device_watch_start(device, nic);
    if (err)
        goto close_nic;
    device->nic = nic;
    device_refresh_ports(device);
    device_refresh_profiles(device);
    return 0;

close_nic:
    host_close(nic);
close_events:
    event_ring_close(&device->events);
release_owner:
    close(device->owner_lock);
    device->owner_lock = -1;
    return err;
}

int device_claim(struct device *device, struct host_nic **nic)
{
    int err = 0;

    pthread_mutex_lock(&device->mutex);
    if (!device->nic)
        err = claim_nic(device);
    else if (host_is_dead(device->nic))
        err = -ENODEV;
    *nic = device->nic;
    pthread_mutex_unlock(&device->mutex);
    return err;
}

static uint32_t larger(uint64_t a, uint64_t b)
{
    return (uint32_t)(a > b ? a : b);
}

uint32_t device_mpr_max(const struct device *device)
{
    return larger(DEVICE_MPR_MAX, device->description.host.parameters.mpr);
}

uint32_t device_write_imm_max(const struct device *device)
{
    return larger(DEVICE_WRITE_IMM_MAX, device->description.host.parameters.max_wimm);
}

int device_port_is_enabled(const struct device *device, uint32_t port, bool *enabled)
{
    struct record_ports record;
    int err;

    if (port == 0 || port > device->store.port_count)
        return -EINVAL;
    err = record_load(&device->store.folder, RECORD_PORTS, 0, &record);
    *enabled = !(record.disabled >> port & 1u);
    return err;
}

int device_enable_port(struct device *device, uint32_t port, bool enabled)
{
    struct record_ports record;
    int lock = profile_begin_change(&device->store);
    int err;

    if (lock < 0)
        return lock;
    err = record_load(&device->store.folder, RECORD_PORTS, 0, &record);
    if (!err) {
        record.disabled &= ~(UINT32_C(1) << port);
        record.disabled |= (uint32_t)!enabled << port;
        err = record_save(&device->store.folder, &record.head);
    }
    close(lock);
    return err;
}

void device_refresh_ports(struct device *device)
{
    bool is_ours = device->nic && !host_is_dead(device->nic);

    for (uint32_t port = 1; is_ours && port <= device->store.port_count; port++) {
        struct host_port_state state;
        bool enabled;

        if (device_port_is_enabled(device, port, &enabled) == 0 &&
            host_port_query(device->nic, port - 1, &state) == 0 && state.admin_up != enabled)
            host_port_set_admin(device->nic, port - 1, enabled);
    }
}

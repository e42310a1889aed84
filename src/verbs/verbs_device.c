/* SPDX-License-Identifier: Apache-2.0 */
/* The list of devices. A device object is created once and never freed: programs keep pointers to
 * it, and some never free the list. */
#include "verbs/verbs_device.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *devices;

static uint64_t guid_of(const char *name)
{
    struct mrc_private_device *opened;
    struct mrc_private_info info;

    if (mrc_private_open(name, &opened) != 0)
        return 0;
    mrc_private_info(opened, &info);
    mrc_private_close(opened);
    return htobe64(info.guid);
}

static struct device *make_device(const char *name)
{
    struct device *device = calloc(1, sizeof(*device));

    if (!device)
        return NULL;
    device->ibv.node_type = IBV_NODE_CA;
    device->ibv.transport_type = IBV_TRANSPORT_IB;
    snprintf(device->ibv.name, sizeof(device->ibv.name), "%s", name);
    snprintf(device->ibv.dev_name, sizeof(device->ibv.dev_name), "%s", name);
    device->guid = guid_of(name);
    device->next = devices;
    devices = device;
    return device;
}

static struct device *get_device(const char *name)
{
    struct device *device = devices;

    _Static_assert(MRC_PRIVATE_NAME_BYTES <= IBV_SYSFS_NAME_MAX, "names are copied");
    while (device && strcmp(device->ibv.name, name) != 0)
        device = device->next;
    return device ? device : make_device(name);
}

/* MRC_DEVICES lists the devices that a program sees, separated by commas; all if it is not set. */
static bool is_wanted(const char *name)
{
    const char *list = getenv("MRC_DEVICES");
    size_t length = strlen(name);

    if (!list || !*list)
        return true;
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Grows the list by one; the last entry is always NULL. */
static int append_device(struct ibv_device ***list, uint32_t count, struct device *device)
{
    struct ibv_device **larger =
        device ? realloc(*list, (count + 2) * sizeof(struct ibv_device *)) : NULL;

    if (!larger)
        return -ENOMEM;
    larger[count] = &device->ibv;
    larger[count + 1] = NULL;
    *list = larger;
    return 0;
}

struct ibv_device **ibv_get_device_list(int *num_devices)
{
    struct ibv_device **list = calloc(1, sizeof(struct ibv_device *));
    char name[MRC_PRIVATE_NAME_BYTES];
    uint32_t count = 0;
    int err = list ? 0 : -ENOMEM;

    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; !err && (err = mrc_private_name(i, name)) == 0; i++)
        if (is_wanted(name)) {
            err = append_device(&list, count, get_device(name));
            count += !err;
        }
    pthread_mutex_unlock(&lock);
    if (num_devices)
        *num_devices = err == -ENODEV ? (int)count : 0;
    if (err == -ENODEV)
        return list;
    free(list);
    errno = -err;
    return NULL;
}

void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
    return device->name;
}

/* Returns network order, as libibverbs does. */
__be64 ibv_get_device_guid(struct ibv_device *device)
{
    return ((struct device *)device)->guid;
}

/* Returns -1: the device has no index in the kernel. */
int ibv_get_device_index(struct ibv_device *device)
{
    (void)device;
    return -1;
}

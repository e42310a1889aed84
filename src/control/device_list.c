/* SPDX-License-Identifier: Apache-2.0 */
/* Finds devices by their descriptions and by the processes that have them open. */
#include "control/device_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "pktio/pktio.h"

enum { PATH_BYTES = 512 };

static void add_device(struct device_list *devices, const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = 0; i < devices->count; i++)
        if (strcmp(devices->names[i], name) == 0)
            return;
    if (devices->count < DEVICE_LIST_MAX && length < DEVICE_LIST_NAME_BYTES)
        memcpy(devices->names[devices->count++], name, length + 1);
}

static void add_described(struct device_list *devices)
{
    struct ibv_device **list = ibv_get_device_list(NULL);

    for (uint32_t i = 0; list && list[i]; i++)
        add_device(devices, ibv_get_device_name(list[i]));
    if (list)
        ibv_free_device_list(list);
}

/* Adds the devices that a process has open, with or without a description. */
static void add_owned(struct device_list *devices)
{
    struct process_lock_holder holder;
    char path[PATH_BYTES];
    struct dirent *entry;
    DIR *folder = run_place(path, sizeof(path), NULL, NULL) == 0 ? opendir(path) : NULL;

    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && run_place(path, sizeof(path), entry->d_name, "owner") == 0 &&
            process_lock_look(path, &holder))
            add_device(devices, entry->d_name);
    if (folder)
        closedir(folder);
}

/* Sorts mrc2 before mrc10. */
static int by_number(const void *left, const void *right)
{
    size_t left_length = strlen(left);
    size_t right_length = strlen(right);

    if (left_length != right_length)
        return left_length < right_length ? -1 : 1;
    return strcmp(left, right);
}

void device_list_read(struct device_list *devices)
{
    devices->count = 0;
    add_described(devices);
    add_owned(devices);
    qsort(devices->names, devices->count, sizeof(devices->names[0]), by_number);
}

bool device_list_keep(struct device_list *devices, const char *name)
{
    for (uint32_t i = 0; i < devices->count; i++)
        if (strcmp(devices->names[i], name) == 0) {
            memmove(devices->names[0], devices->names[i], DEVICE_LIST_NAME_BYTES);
            devices->count = 1;
            return true;
        }
    return false;
}

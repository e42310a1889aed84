/* SPDX-License-Identifier: Apache-2.0 */
/* Finds fabrics by their folders. */
#include "lab/fabric_list.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "lab/devices.h"
#include "lab/netns_name.h"
#include "lab/netns_state.h"
#include "pktio/pktio.h"

enum { PATH_BYTES = 512 };

static void find_devices(const char *root, struct fabric_list_entry *entry)
{
    struct devices_origin origin;
    uint32_t first;

    if (!devices_find(root, entry->name, 0, &first))
        return;
    entry->first_device = first;
    while (devices_origin(root, first + entry->device_count, &origin) &&
           origin.nic == entry->device_count && strcmp(origin.fabric, entry->name) == 0)
        entry->device_count++;
}

/* Returns false if the folder is not that of a fabric. */
static bool read_entry(const char *root, struct fabric_list_entry *entry)
{
    struct process_lock_holder holder = { 0 };
    struct netns_state state;
    char path[PATH_BYTES];
    bool is_netns;

    if (!netns_name_is_prefix(entry->name))
        return false;
    snprintf(path, sizeof(path), "%s/%.60s", root, entry->name);
    is_netns = netns_state_read(path, &state) == 0;
    snprintf(path, sizeof(path), "%s/%.60s/lock", root, entry->name);
    entry->is_running = process_lock_look(path, &holder);
    if (!is_netns && !entry->is_running)
        return false;
    entry->pid = is_netns ? (pid_t)state.pid : holder.pid;
    if (is_netns) {
        entry->kind = state.is_kernel ? FABRIC_KERNEL : FABRIC_SWITCH;
        entry->is_running = state.is_kernel || netns_state_is_running(&state);
    }
    find_devices(root, entry);
    return true;
}

void fabric_list_visit(
    const char *root, void (*visit)(void *context, const struct fabric_list_entry *), void *context)
{
    DIR *folder = opendir(root);
    const struct dirent *found;

    while (folder && (found = readdir(folder)) != NULL) {
        struct fabric_list_entry entry = { .name = found->d_name };

        if (read_entry(root, &entry))
            visit(context, &entry);
    }
    if (folder)
        closedir(folder);
}

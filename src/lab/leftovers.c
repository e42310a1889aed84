/* SPDX-License-Identifier: Apache-2.0 */
/* Finds soft fabrics that have died: their folder has an `attach` socket and no process holds its
 * `lock`. */
#include "lab/leftovers.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "lab/devices.h"
#include "lab/netns_name.h"
#include "pktio/pktio.h"

enum { PATH_BYTES = 512 };

static void path_of(
    const char *root, const char *name, const char *file, char out[static PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/%s/%s", root, name, file);
}

bool leftovers_remove(const char *root, const char *name)
{
    static const char *const files[] = { "attach", "control", "log" };
    char lock_path[PATH_BYTES];
    char path[PATH_BYTES];
    int lock;

    path_of(root, name, "attach", path);
    path_of(root, name, "lock", lock_path);
    if (access(path, F_OK) != 0)
        return false;
    lock = process_lock_try(lock_path);
    if (lock < 0)
        return false;
    devices_remove(root, name);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        path_of(root, name, files[i], path);
        unlink(path);
    }
    process_lock_remove(lock, lock_path);
    snprintf(path, sizeof(path), "%s/%s", root, name);
    rmdir(path);
    return true;
}

void leftovers_sweep(const char *root)
{
    DIR *folder = opendir(root);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL)
        if (netns_name_is_prefix(entry->d_name))
            leftovers_remove(root, entry->d_name);
    if (folder)
        closedir(folder);
}

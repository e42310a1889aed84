/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a running fabric, RUN/mrc/NAME, with its lock and its sockets. The process holds
 * the lock from before the first file is created until after the last is removed. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/soft_state.h"
#include "pktio/pktio.h"

enum { TRIES = 100 };

static void path_of(const struct soft *soft, const char *file, char out[static SOFT_FILE_BYTES])
{
    snprintf(out, SOFT_FILE_BYTES, "%s/%s", soft->folder, file);
}

/* Retries: until we hold the lock, another fabric that ends may remove the folder. */
static int take_lock(struct soft *soft)
{
    char path[SOFT_FILE_BYTES];

    path_of(soft, "lock", path);
    for (uint32_t i = 0; i < TRIES; i++) {
        if (mkdir(soft->folder, 0700) != 0 && errno != EEXIST)
            return -errno;
        soft->folder_lock = process_lock_take(path);
        if (soft->folder_lock != -ENOENT)
            return soft->folder_lock < 0 ? soft->folder_lock : 0;
    }
    return -ENOENT;
}

int soft_folder_open(struct soft *soft)
{
    char path[SOFT_FILE_BYTES];
    int err;

    if (snprintf(soft->folder, sizeof(soft->folder), "%s/%s", soft->config.root,
            soft->config.name) >= (int)sizeof(soft->folder))
        return -ENAMETOOLONG;
    err = take_lock(soft);
    if (err)
        return err;
    path_of(soft, "control", path);
    return control_server_open(&soft->control, path);
}

void soft_folder_retire(const struct soft *soft)
{
    if (soft->folder_lock >= 0)
        process_lock_retire(soft->folder_lock);
}

void soft_folder_close(struct soft *soft)
{
    static const char *const files[] = { "attach", "control", "log" };
    char path[SOFT_FILE_BYTES];

    if (soft->folder_lock < 0)
        return;
    control_server_close(&soft->control);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        path_of(soft, files[i], path);
        unlink(path);
    }
    path_of(soft, "lock", path);
    process_lock_remove(soft->folder_lock, path);
    soft->folder_lock = -1;
    rmdir(soft->folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of devices, with files that exist only while there are users. */
#include "pktio/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pktio/same_file.h"

enum {
    LOOK_MS = 2,
    LOOKS_MAX = 500, /* one second: removing the files takes less than a millisecond */
};

static int open_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return folder < 0 ? -errno : folder;
}

/* Waits while another process removes the folder. A process that holds the lock for longer does not
 * keep others out. */
int run_folder_open(const char *path)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };

    for (uint32_t look = 0;; look++) {
        int folder;

        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return -errno;
        folder = open_folder(path);
        if (folder < 0 && folder != -ENOENT)
            return folder;
        if (folder >= 0) {
            bool is_ours = flock(folder, LOCK_SH | LOCK_NB) == 0 || look >= LOOKS_MAX;

            if (is_ours && same_file(folder, path))
                return folder;
            close(folder);
        }
        nanosleep(&nap, NULL);
    }
}

/* Returns false if the folder is in use or has a description. */
static bool is_abandoned(int folder)
{
    return flock(folder, LOCK_EX | LOCK_NB) == 0 && faccessat(folder, "config", F_OK, 0) != 0 &&
           errno == ENOENT;
}

static void tidy_folder(int folder, const char *path)
{
    static const char *const files[] = { "lock", "owner", "status", "events", "events.bell",
        "config.new", "graph", "exceptions" };

    if (!is_abandoned(folder))
        return;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        unlinkat(folder, files[i], 0);
    rmdir(path);
}

void run_folder_close(int folder, const char *path)
{
    tidy_folder(folder, path);
    close(folder);
}

void run_folder_tidy(const char *path)
{
    int folder = open_folder(path);

    if (folder < 0)
        return;
    tidy_folder(folder, path);
    close(folder);
}

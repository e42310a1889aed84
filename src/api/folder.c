/* SPDX-License-Identifier: Apache-2.0 */
/* Device folders: their place, the privilege to change them, and their locks. */
#include "api/folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pktio/pktio.h"

enum {
    LOOK_MS = 2,
    PATIENCE_MS = 2000, /* a change takes microseconds: a lock that is held for longer is stuck */
    RETURN_TRIES = 10,  /* for a borrowed device, of a third of a second each */
    PATH_BYTES = FOLDER_PATH_BYTES + 8,
};

int folder_root(char path[FOLDER_PATH_BYTES])
{
    return run_place_make(path, FOLDER_PATH_BYTES - FOLDER_NAME_BYTES);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool folder_name_is_valid(const char *name)
{
    size_t length = strnlen(name, FOLDER_NAME_BYTES);

    if (length == 0 || length >= FOLDER_NAME_BYTES || !is_letter(name[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_letter(name[i]) && !(name[i] >= '0' && name[i] <= '9') && name[i] != '-' &&
            name[i] != '_')
            return false;
    return true;
}

int folder_open(struct folder *folder, const char *name)
{
    size_t length;
    int err = folder_root(folder->path);

    if (err)
        return err;
    if (!folder_name_is_valid(name))
        return -EINVAL;
    length = strlen(folder->path);
    snprintf(folder->path + length, sizeof(folder->path) - length, "/%s", name);
    folder->fd = run_folder_open(folder->path);
    folder->user = getpid();
    return folder->fd < 0 ? folder->fd : 0;
}

/* The child of a fork only closes the descriptor, because its parent still uses the folder. */
void folder_close(struct folder *folder)
{
    if (folder->user == getpid())
        run_folder_close(folder->fd, folder->path);
    else
        close(folder->fd);
    folder->fd = -1;
}

static bool has_net_admin(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    return syscall(SYS_capget, &header, data) == 0 &&
           data[CAP_TO_INDEX(CAP_NET_ADMIN)].effective & CAP_TO_MASK(CAP_NET_ADMIN);
}

int folder_check_privilege(const struct folder *folder)
{
    struct stat status;

    if (fstat(folder->fd, &status) != 0)
        return -EIO;
    return status.st_uid == geteuid() || has_net_admin() ? 0 : -EPERM;
}

/* Only the user of the device can open the file, and flock() needs an open file, so no other user
 * can hold the lock. */
static int lock_file(const struct folder *folder, const char *file, int operation)
{
    int fd = openat(folder->fd, file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int err;

    if (fd < 0)
        return errno == EACCES || errno == EROFS ? -EPERM : -errno;
    while (flock(fd, operation | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        err = errno == EWOULDBLOCK ? -EBUSY : -errno;
        close(fd);
        return err;
    }
    return fd;
}

int folder_try_lock(const struct folder *folder, const char *file, enum folder_lock lock)
{
    return lock_file(folder, file, lock == FOLDER_LOCK_SHARED ? LOCK_SH : LOCK_EX);
}

int folder_lock(const struct folder *folder, const char *file)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
    int fd = lock_file(folder, file, LOCK_EX);

    for (uint32_t waited_ms = 0; fd == -EBUSY && waited_ms < PATIENCE_MS; waited_ms += LOOK_MS) {
        nanosleep(&nap, NULL);
        fd = lock_file(folder, file, LOCK_EX);
    }
    return fd == -EBUSY ? -ETIMEDOUT : fd;
}

/* ---- the owner ------------------------------------------------------------------------------- */

static void path_of(const struct folder *folder, const char *file, char path[static PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", folder->path, file);
}

/* Returns true if another process has borrowed the device. */
static bool is_borrowed(const struct folder *folder)
{
    struct process_lock_holder holder;
    char path[PATH_BYTES];

    path_of(folder, "loan", path);
    return process_lock_look(path, &holder) && holder.pid != getpid();
}

/* Waits for the borrower, which looks for the lock `wanted`. Another process that waits, too, may
 * hold it instead. */
static int take_back(const struct folder *folder, const char *owner)
{
    char path[PATH_BYTES];
    int lock = -EBUSY;
    int wanted;

    path_of(folder, "wanted", path);
    wanted = process_lock_try(path);
    for (uint32_t i = 0; i < RETURN_TRIES && lock == -EBUSY && is_borrowed(folder); i++)
        lock = process_lock_take(owner);
    if (lock == -EBUSY)
        lock = process_lock_take(owner); /* it may have been returned in between */
    if (wanted >= 0)
        process_lock_remove(wanted, path);
    return lock;
}

int folder_own(const struct folder *folder)
{
    char path[PATH_BYTES];
    int lock;

    path_of(folder, "owner", path);
    lock = is_borrowed(folder) ? take_back(folder, path) : process_lock_take(path);
    return lock == -EACCES || lock == -EROFS ? -EPERM : lock;
}

bool folder_owner(const struct folder *folder, struct process_lock_holder *holder)
{
    char path[PATH_BYTES];

    path_of(folder, "owner", path);
    return process_lock_look(path, holder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of open file descriptions, and a line of text behind them. */
#include "pktio/process_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pktio/monotonic.h"

enum { LOOK_MS = 2 };

static void sign(int lock, int pid, const char *program)
{
    if (ftruncate(lock, 0) != 0 || lseek(lock, 0, SEEK_SET) != 0 ||
        dprintf(lock, "%d %s\n", pid, program) < 0)
        return; /* a lock without a name */
}

/* A file that was taken away meanwhile locks nothing. */
static bool is_still_there(int lock, const char *path)
{
    struct stat ours;
    struct stat there;

    return fstat(lock, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

/* -EAGAIN: it was taken away, look again. */
static int try_to_take(const char *path)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int err = 0;

    if (lock < 0)
        return -errno;
    if (fcntl(lock, F_OFD_SETLK, &whole) != 0)
        err = errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
    else if (!is_still_there(lock, path))
        err = -EAGAIN;
    if (err) {
        close(lock);
        return err;
    }
    sign(lock, getpid(), program_invocation_short_name);
    return lock;
}

static bool is_retiring(const char *path)
{
    struct process_lock_holder holder;

    return !process_lock_look(path, &holder) || holder.pid == 0;
}

int process_lock_take(const char *path, uint32_t patience_ms)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000 };
    uint64_t until_ms = monotonic_ms() + patience_ms;
    int lock = try_to_take(path);

    while (
        (lock == -EAGAIN || (lock == -EBUSY && is_retiring(path))) && monotonic_ms() < until_ms) {
        nanosleep(&nap, NULL);
        lock = try_to_take(path);
    }
    return lock == -EAGAIN ? -EBUSY : lock;
}

void process_lock_retire(int lock)
{
    sign(lock, 0, "ending");
}

void process_lock_remove(int lock, const char *path)
{
    unlink(path);
    close(lock);
}

bool process_lock_look(const char *path, struct process_lock_holder *holder)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char line[96] = "";
    bool is_held;

    *holder = (struct process_lock_holder){ 0 };
    if (fd < 0)
        return false;
    is_held = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    if (is_held && read(fd, line, sizeof(line) - 1) > 0 &&
        sscanf(line, "%d %63[^\n]", &holder->pid, holder->program) != 2)
        *holder = (struct process_lock_holder){ 0 };
    close(fd);
    return is_held;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of open file descriptions, with the process ID and name in the file. */
#include "pktio/process_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/scan.h"
#include "pktio/monotonic.h"
#include "pktio/same_file.h"

enum {
    LOOK_MS = 2,
    RUNNING_MS = 300,
    ENDING_MS = 10000,
    EXITING_FLAG = 4, /* PF_EXITING of the kernel, in /proc/PID/stat */
    FLAGS_FIELD = 6,  /* after the state */
};

static void sign_lock(int lock, int pid, const char *program)
{
    if (ftruncate(lock, 0) != 0 || lseek(lock, 0, SEEK_SET) != 0 ||
        dprintf(lock, "%d %.63s\n", pid, program) < 0)
        return; /* the lock then has no name */
}

/* Checks that the file is still at the path: a lock on a removed file protects nothing. */
int process_lock_try(const char *path)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int err = 0;

    if (lock < 0)
        return -errno;
    if (fcntl(lock, F_OFD_SETLK, &whole) != 0)
        err = errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
    else if (!same_file(lock, path))
        err = -EBUSY;
    if (err) {
        close(lock);
        return err;
    }
    sign_lock(lock, getpid(), program_invocation_short_name);
    return lock;
}

static void skip_field(const char **at)
{
    while (**at && **at != ' ')
        ++*at;
    scan_blanks(at);
}

/* Returns whether the process is exiting in the kernel. */
static bool is_dying(int pid)
{
    char path[32];
    char line[512] = "";
    uint32_t flags = 0;
    const char *at;
    FILE *file;
    char state;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return true;
    if (!fgets(line, sizeof(line), file))
        line[0] = '\0';
    (void)fclose(file);
    at = strrchr(line, ')'); /* the last one: the name of a program may contain parentheses */
    if (!at || !scan_word(&at, ") "))
        return false;
    state = *at;
    for (uint32_t i = 0; i < FLAGS_FIELD; i++)
        skip_field(&at);
    scan_u32(&at, &flags);
    return state == 'Z' || state == 'X' || flags & EXITING_FLAG;
}

static bool is_ending(const char *path)
{
    struct process_lock_holder holder;

    return !process_lock_look(path, &holder) || holder.pid == 0 || is_dying(holder.pid);
}

int process_lock_take(const char *path)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
    uint64_t start_ms = monotonic_ms();
    int lock = process_lock_try(path);

    while (lock == -EBUSY) {
        uint64_t waited_ms = monotonic_ms() - start_ms;

        if (waited_ms > ENDING_MS || (waited_ms > RUNNING_MS && !is_ending(path)))
            break;
        nanosleep(&nap, NULL);
        lock = process_lock_try(path);
    }
    return lock;
}

void process_lock_retire(int lock)
{
    sign_lock(lock, 0, "ending");
}

void process_lock_remove(int lock, const char *path)
{
    unlink(path);
    close(lock);
}

static bool read_holder(const char *line, struct process_lock_holder *holder)
{
    uint32_t pid;

    if (!scan_u32(&line, &pid) || pid > INT32_MAX || !scan_word(&line, " ") ||
        !scan_until(&line, '\n', holder->program, sizeof(holder->program)))
        return false;
    holder->pid = (int)pid;
    return true;
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
    if (is_held && read(fd, line, sizeof(line) - 1) > 0 && !read_holder(line, holder))
        *holder = (struct process_lock_holder){ 0 };
    close(fd);
    return is_held;
}

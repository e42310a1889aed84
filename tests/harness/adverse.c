/* SPDX-License-Identifier: Apache-2.0 */
/* A library for LD_PRELOAD that makes the world of a program adverse: the folder $ADVERSE has the
 * file `clock`, by how many milliseconds the time of day is wrong, and the file `disk`, the errno
 * with which writes and syncs of files end in .db, .db-wal and .db-shm. Both may change at any
 * time; a file that does not exist changes nothing. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MS_NS 1000000

static long long number_in(const char *name)
{
    const char *folder = getenv("ADVERSE");
    char path[512], text[32] = "";
    ssize_t bytes = 0;
    int fd;

    if (!folder)
        return 0;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    bytes = read(fd, text, sizeof(text) - 1);
    close(fd);
    return bytes > 0 ? strtoll(text, NULL, 10) : 0;
}

static void *usual(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* ---- the time of day ------------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    int result, saved = errno;
    long long wrong_ms;

    if (!real)
        *(void **)&real = usual("clock_gettime");
    result = real(clock, out);
    if (result != 0 || clock != CLOCK_REALTIME)
        return result;
    wrong_ms = number_in("clock");
    out->tv_sec += wrong_ms / 1000;
    out->tv_nsec += wrong_ms % 1000 * MS_NS;
    if (out->tv_nsec >= 1000 * MS_NS) {
        out->tv_sec++;
        out->tv_nsec -= 1000 * MS_NS;
    } else if (out->tv_nsec < 0) {
        out->tv_sec--;
        out->tv_nsec += 1000 * MS_NS;
    }
    errno = saved;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now = { 0 };

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

/* ---- the disk -------------------------------------------------------------------------------- */

/* Returns whether the call must fail, with errno set. */
static int is_refused(int fd)
{
    char link[64], path[512];
    ssize_t length;
    int err = (int)number_in("disk");

    if (err == 0)
        return 0;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    if (!strstr(path, ".db"))
        return 0;
    errno = err;
    return 1;
}

/* pwrite() is this function, too. */
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);

    if (!real)
        *(void **)&real = usual("pwrite64");
    return is_refused(fd) ? -1 : real(fd, bytes, count, offset);
}

int fsync(int fd)
{
    static int (*real)(int);

    if (!real)
        *(void **)&real = usual("fsync");
    return is_refused(fd) ? -1 : real(fd);
}

int fdatasync(int fd)
{
    static int (*real)(int);

    if (!real)
        *(void **)&real = usual("fdatasync");
    return is_refused(fd) ? -1 : real(fd);
}

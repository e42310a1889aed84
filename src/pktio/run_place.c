/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of what runs. */
#include "pktio/run_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_BYTES 32

static void own_folder(char path[static OWN_BYTES])
{
    snprintf(path, OWN_BYTES, "/tmp/mrc-%u", (unsigned int)geteuid());
}

/* RUN; NULL: the caller's own folder in /tmp. */
static const char *given_folder(void)
{
    const char *run = secure_getenv("MRC_RUN_DIR");

    if (!run || !run[0])
        run = geteuid() == 0 ? "/run" : secure_getenv("XDG_RUNTIME_DIR");
    return run && run[0] ? run : NULL;
}

int run_place(char *path, size_t room_bytes, const char *name, const char *file)
{
    const char *run = given_folder();
    char own[OWN_BYTES];
    int length;

    own_folder(own);
    length = snprintf(path, room_bytes, "%s/mrc%s%s%s%s", run ? run : own, name ? "/" : "",
        name ? name : "", name && file ? "/" : "", name && file ? file : "");
    return length >= 0 && (size_t)length < room_bytes ? 0 : -ENAMETOOLONG;
}

static int make(const char *path, mode_t mode)
{
    return mkdir(path, mode) == 0 || errno == EEXIST ? 0 : -errno;
}

/* Nobody else may have prepared a folder for us in /tmp. */
static int make_own(void)
{
    char own[OWN_BYTES];
    struct stat status;
    int err;

    own_folder(own);
    err = make(own, 0700);
    if (err)
        return err;
    if (lstat(own, &status) != 0)
        return -errno;
    return S_ISDIR(status.st_mode) && status.st_uid == geteuid() ? 0 : -EPERM;
}

int run_place_make(char *path, size_t room_bytes)
{
    int err = run_place(path, room_bytes, NULL, NULL);

    if (!err && !given_folder())
        err = make_own();
    return err ? err : make(path, 0755);
}

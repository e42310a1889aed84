/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of the files of running devices and fabrics. */
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

/* Returns RUN, or NULL for the caller's own folder in /tmp. */
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

static int make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -errno;
}

/* Refuses a folder that another user has created, except that root may use any folder and all users
 * trust root. */
static int make_private(const char *path)
{
    struct stat status;
    int err = make_folder(path);

    if (err)
        return err;
    if (lstat(path, &status) != 0)
        return -errno;
    return S_ISDIR(status.st_mode) &&
                   (status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0)
               ? 0
               : -EPERM;
}

int run_place_make(char *path, size_t room_bytes)
{
    int err = run_place(path, room_bytes, NULL, NULL);
    char own[OWN_BYTES];

    own_folder(own);
    if (!err && !given_folder())
        err = make_private(own);
    return err ? err : make_private(path);
}

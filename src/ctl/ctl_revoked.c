/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the list of revoked certificates. A list that cannot be read must not pass for an empty
 * one. */
#include "ctl/ctl_revoked.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int refuse_list(const char *path, int err, char reason[static CTL_REASON_BYTES])
{
    snprintf(reason, CTL_REASON_BYTES,
        "%s: %s; the controller needs the list of revoked certificates: let its user read it", path,
        strerror(-err));
    return err;
}

static struct ctl_revoked list_of(const struct stat *status)
{
    return (struct ctl_revoked){ .is_listed = true,
        .inode = status->st_ino,
        .bytes = (int64_t)status->st_size,
        .changed = status->st_mtim };
}

static bool is_same_list(const struct ctl_revoked *a, const struct ctl_revoked *b)
{
    return a->is_listed == b->is_listed && a->inode == b->inode && a->bytes == b->bytes &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* The state of the file comes first: a change while it is read is noticed by the next call. */
int ctl_revoked_read(struct ctl_revoked *revoked, const struct ctl_folder *folder, char **text,
    char reason[static CTL_REASON_BYTES])
{
    char path[CTL_PATH_BYTES];
    struct ctl_revoked found;
    struct stat status;

    *text = NULL;
    ctl_folder_file(folder, "revoked", path);
    if (stat(path, &status) != 0)
        return errno == ENOENT && !revoked->is_listed ? 0 : refuse_list(path, -errno, reason);
    found = list_of(&status);
    if (is_same_list(revoked, &found))
        return 0;
    *text = ctl_folder_read(folder, "revoked");
    if (!*text)
        return refuse_list(path, -errno, reason);
    *revoked = found;
    return 0;
}

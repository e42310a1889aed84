/* SPDX-License-Identifier: Apache-2.0 */
/* The list of revoked certificates: which changes are noticed, and that a list that cannot be read
 * is none that is empty. Tests ctl/ctl_folder.c, too. */
#include "ctl/ctl_revoked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spec.h"

enum { TOO_MANY_BYTES = (1 << 20) + 1, NOBODY = 65534 };

static struct ctl_folder folder;
static struct ctl_revoked revoked;
static char path[CTL_PATH_BYTES];
static char reason[CTL_REASON_BYTES];

static void open_folder(void)
{
    char name[] = "/tmp/mrc-test-revoked-XXXXXX";

    EXPECT(mkdtemp(name) != NULL);
    EXPECT(ctl_folder_name(&folder, name));
    ctl_folder_file(&folder, "revoked", path);
    revoked = (struct ctl_revoked){ 0 };
}

static void close_folder(void)
{
    remove(path);
    EXPECT_EQ(rmdir(folder.path), 0);
}

/* Returns whether there is a new list, and that it is this one. */
static bool has_news(const char *expected)
{
    char *text;
    bool is_new;

    EXPECT_EQ(ctl_revoked_read(&revoked, &folder, &text, reason), 0);
    is_new = text != NULL;
    if (text)
        EXPECT_STR_EQ(text, expected);
    free(text);
    return is_new;
}

static void expect_refusal(int err)
{
    char *text;

    reason[0] = '\0';
    EXPECT_EQ(ctl_revoked_read(&revoked, &folder, &text, reason), err);
    EXPECT(!text);
    EXPECT(strstr(reason, path) != NULL);
}

SPEC("a folder without a list has none, and each change of a list is news once")
{
    open_folder();
    EXPECT(!has_news(""));
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), 0);
    EXPECT(has_news("01 a\n"));
    EXPECT(!has_news(""));
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "02 b\n"), 0);
    EXPECT(has_news("01 a\n02 b\n"));
    close_folder();
}

SPEC("a change that keeps the size of the list is noticed")
{
    struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

    open_folder();
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), 0);
    EXPECT(has_news("01 a\n"));
    truncate(path, 0);
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "02 a\n"), 0);
    EXPECT_EQ(utimensat(AT_FDCWD, path, times, 0), 0);
    EXPECT(has_news("02 a\n"));
    close_folder();
}

SPEC("a list that cannot be read is refused with its name, until it can be")
{
    open_folder();
    EXPECT_EQ(mkdir(path, 0700), 0);
    expect_refusal(-EISDIR);
    expect_refusal(-EISDIR);
    EXPECT_EQ(rmdir(path), 0);
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), 0);
    EXPECT(has_news("01 a\n"));
    close_folder();
}

SPEC("a list that was there and is gone is refused, too")
{
    open_folder();
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), 0);
    EXPECT(has_news("01 a\n"));
    EXPECT_EQ(unlink(path), 0);
    expect_refusal(-ENOENT);
    close_folder();
}

SPEC("a list that is too long is refused, not cut, and nothing makes it longer")
{
    open_folder();
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), 0);
    EXPECT_EQ(truncate(path, TOO_MANY_BYTES - 1), 0);
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "02 b\n"), -EFBIG);
    EXPECT(has_news("01 a\n"));
    EXPECT_EQ(truncate(path, TOO_MANY_BYTES), 0);
    expect_refusal(-EFBIG);
    close_folder();
}

SPEC("what root appends belongs to the owner of the folder, but a link to another file is refused")
{
    struct stat status;
    char other[] = "/tmp/mrc-test-revoked-XXXXXX";
    int fd = mkstemp(other);

    open_folder();
    EXPECT(fd >= 0);
    close(fd);
    EXPECT_EQ(symlink(other, path), 0);
    EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), -ELOOP);
    EXPECT_EQ(unlink(path), 0);
    if (geteuid() == 0 && chown(folder.path, NOBODY, NOBODY) == 0) {
        EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), 0);
        EXPECT_EQ(stat(path, &status), 0);
        EXPECT_EQ(status.st_uid, NOBODY);
        EXPECT_EQ(status.st_gid, NOBODY);
        EXPECT_EQ(unlink(path), 0);
        EXPECT_EQ(link(other, path), 0);
        EXPECT_EQ(ctl_folder_append(&folder, "revoked", "01 a\n"), -EPERM);
        EXPECT_EQ(stat(other, &status), 0);
        EXPECT_EQ(status.st_uid, 0);
    }
    EXPECT_EQ(unlink(other), 0);
    close_folder();
}

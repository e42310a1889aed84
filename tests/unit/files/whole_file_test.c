/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written as a whole or not at all. */
#include "files/whole_file.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spec.h"

static char folder[64];
static char path[80];
static char text[64];

static void begin(void)
{
    snprintf(folder, sizeof(folder), "/tmp/whole_file_test.XXXXXX");
    EXPECT(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
}

static void end(void)
{
    unlink(path);
    rmdir(folder);
}

static int write_text(FILE *to, void *what)
{
    return fputs(what, to) < 0 ? -EIO : 0;
}

static int write_half(FILE *to, void *what)
{
    fputs(what, to);
    return -ENOSPC;
}

static const char *content(void)
{
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

    text[length] = '\0';
    if (file)
        fclose(file);
    return text;
}

static size_t files_in_folder(void)
{
    char pattern[80];
    glob_t found;
    size_t count;

    snprintf(pattern, sizeof(pattern), "%s/*", folder);
    count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    if (count)
        globfree(&found);
    return count;
}

SPEC("a file that is written replaces the old one")
{
    begin();
    EXPECT_EQ(whole_file_write(path, write_text, "old"), 0);
    EXPECT_EQ(whole_file_write(path, write_text, "new"), 0);
    EXPECT_STR_EQ(content(), "new");
    EXPECT_EQ(files_in_folder(), 1);
    end();
}

SPEC("a write that fails leaves the old file and no other")
{
    begin();
    EXPECT_EQ(whole_file_write(path, write_text, "old"), 0);
    EXPECT_EQ(whole_file_write(path, write_half, "half of the n"), -ENOSPC);
    EXPECT_STR_EQ(content(), "old");
    EXPECT_EQ(files_in_folder(), 1);
    end();
}

SPEC("the permissions of a file follow the umask")
{
    struct stat found;
    mode_t mask = umask(022);

    begin();
    EXPECT_EQ(whole_file_write(path, write_text, "x"), 0);
    umask(mask);
    EXPECT_EQ(stat(path, &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0644);
    end();
}

SPEC("a trial write leaves no file, and reports a missing folder")
{
    begin();
    EXPECT_EQ(whole_file_try(path), 0);
    EXPECT_EQ(files_in_folder(), 0);
    EXPECT_EQ(whole_file_try("/nonexistent/file"), -ENOENT);
    EXPECT_EQ(whole_file_try(folder), -EISDIR);
    end();
}

SPEC("writing to a device does not replace it")
{
    struct stat found;

    EXPECT_EQ(whole_file_write("/dev/null", write_text, "x"), 0);
    EXPECT_EQ(stat("/dev/null", &found), 0);
    EXPECT(S_ISCHR(found.st_mode));
}

SPEC("the text of a file is read as a whole")
{
    char *found;

    begin();
    EXPECT_EQ(whole_file_write(path, write_text, "one\ntwo\n"), 0);
    found = whole_file_text(path);
    EXPECT_STR_EQ(found, "one\ntwo\n");
    free(found);
    EXPECT(whole_file_text("/nonexistent/file") == NULL);
    end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writing folders: all files or none. */
#include "config/config_write.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config_bench.h"

static uint32_t entries_of(const char *path)
{
    DIR *folder = opendir(path);
    uint32_t count = 0;

    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static void remove_all(const char *path)
{
    char command[512];

    snprintf(command, sizeof(command), "rm -rf '%s'", path);
    EXPECT_EQ(system(command), 0);
}

SPEC("a folder for each switch appears, and the announced size is that of its files")
{
    char parent[] = "/tmp/config_write.XXXXXX";
    struct config_bench bench;
    struct config_size size;
    uint64_t bytes = 0;
    char path[256];

    config_bench_start(&bench, 2, NULL);
    bench.job.format = config_format_find("linux");
    EXPECT(mkdtemp(parent));
    snprintf(path, sizeof(path), "%s/out", parent);
    size = config_write_size(&bench.job);
    EXPECT_EQ(config_write_folder(&bench.job, path), 0);
    EXPECT_EQ(entries_of(path), 2 + 8);
    for (uint32_t node = 0; node < 8; node++) {
        char name[TOPOLOGY_NAME_BYTES];
        char file[512];
        struct stat status;

        config_format_name(bench.job.format, &bench.plan, node, name);
        snprintf(file, sizeof(file), "%s/%s/switch.sh", path, name);
        EXPECT_EQ(stat(file, &status), 0);
        bytes += (uint64_t)status.st_size;
    }
    EXPECT_EQ(size.files, 8);
    EXPECT_EQ(size.bytes, bytes);
    EXPECT_EQ(config_write_folder(&bench.job, path), -EEXIST);
    EXPECT_EQ(entries_of(parent), 2 + 1);
    remove_all(parent);
    config_bench_stop(&bench);
}

SPEC("if a file cannot be written completely, nothing is left")
{
    char parent[] = "/tmp/config_write.XXXXXX";
    struct config_bench bench;
    struct rlimit before;
    struct rlimit small;
    char path[256];

    config_bench_start(&bench, 2, NULL);
    bench.job.format = config_format_find("sonic");
    EXPECT(mkdtemp(parent));
    snprintf(path, sizeof(path), "%s/out", parent);
    signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){ .rlim_cur = 1000, .rlim_max = before.rlim_max };
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT(config_write_folder(&bench.job, path) < 0);
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(entries_of(parent), 2);
    remove_all(parent);
    config_bench_stop(&bench);
}

SPEC("an interrupt leaves nothing")
{
    static const volatile sig_atomic_t is_interrupted = 1;
    char parent[] = "/tmp/config_write.XXXXXX";
    struct config_bench bench;
    char path[256];

    config_bench_start(&bench, 2, NULL);
    bench.job.format = config_format_find("eos");
    bench.job.is_interrupted = &is_interrupted;
    EXPECT(mkdtemp(parent));
    snprintf(path, sizeof(path), "%s/out", parent);
    EXPECT_EQ(config_write_folder(&bench.job, path), -EINTR);
    EXPECT_EQ(entries_of(parent), 2);
    remove_all(parent);
    config_bench_stop(&bench);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of a namespace fabric. */
#include "lab/netns_state.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan/plan.h"
#include "spec.h"
#include "topology/topology.h"

static void make_folder(char path[static 32])
{
    snprintf(path, 32, "/tmp/netns-state-XXXXXX");
    EXPECT(mkdtemp(path) != NULL);
}

static void remove_folder(const char *path)
{
    char file[64];

    snprintf(file, sizeof(file), "%s/state", path);
    unlink(file);
    rmdir(path);
}

SPEC("the state that was written is read back")
{
    const struct netns_state wrote = { .is_kernel = true,
        .nic_count = 8,
        .switch_count = 48,
        .digest = UINT64_MAX >> 1,
        .pid = 4711,
        .born = 123456789012 };
    struct netns_state found = { 0 };
    char folder[32];

    make_folder(folder);
    EXPECT_EQ(netns_state_read(folder, &found), -ENOENT);
    EXPECT_EQ(netns_state_write(folder, &wrote), 0);
    EXPECT_EQ(netns_state_read(folder, &found), 0);
    EXPECT(found.is_kernel);
    EXPECT_EQ(found.nic_count, 8);
    EXPECT_EQ(found.switch_count, 48);
    EXPECT(found.digest == wrote.digest);
    EXPECT_EQ(found.pid, 4711);
    EXPECT(found.born == wrote.born);
    remove_folder(folder);
}

SPEC("a damaged state file and a missing one have different results")
{
    struct netns_state found;
    char folder[32];
    char path[64];
    FILE *file;

    make_folder(folder);
    snprintf(path, sizeof(path), "%s/state", folder);
    file = fopen(path, "w");
    fputs("{\"kernel\": tr", file);
    fclose(file);
    EXPECT_EQ(netns_state_read(folder, &found), -EINVAL);
    remove_folder(folder);
}

/* A process that waits, and does with SIGTERM as told. */
static pid_t start_child(void (*on_term)(int))
{
    int ready[2];
    char byte;
    pid_t child;

    EXPECT_EQ(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        signal(SIGTERM, on_term);
        if (write(ready[1], "x", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

SPEC("a process is ended, but not another process that has reused its number")
{
    struct netns_state state = { 0 };
    pid_t child = start_child(SIG_DFL);

    EXPECT(netns_state_adopt(&state, child));
    EXPECT(netns_state_is_running(&state));
    state.born++;
    netns_state_end_process(&state, 50);
    EXPECT_EQ(waitpid(child, NULL, WNOHANG), 0);
    state.born--;
    netns_state_end_process(&state, 5000);
    EXPECT(!netns_state_is_running(&state));
    EXPECT_EQ(waitpid(child, NULL, 0), -1);
}

SPEC("a process that ignores SIGTERM is killed")
{
    struct netns_state state = { 0 };

    EXPECT(netns_state_adopt(&state, start_child(SIG_IGN)));
    netns_state_end_process(&state, 50);
    EXPECT(!netns_state_is_running(&state));
}

static uint64_t digest_with(uint32_t t1_count, uint32_t data_bytes)
{
    struct topology_config config;
    struct topology_problem problem;
    struct plan fabric;

    topology_config_init(&config);
    config.t1_count = t1_count;
    config.buffers.data_bytes = data_bytes;
    EXPECT(plan_init(&fabric, &config, NULL, &problem));
    return netns_state_digest(&fabric);
}

SPEC("two descriptions of one fabric have the same digest, other fabrics another")
{
    EXPECT(digest_with(8, 65536) == digest_with(8, 65536));
    EXPECT(digest_with(8, 65536) != digest_with(7, 65536));
    EXPECT(digest_with(8, 65536) != digest_with(8, 65537));
}

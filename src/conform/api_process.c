/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the processes of a check, which load the library. */
#include "conform/api_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conform/api_peer.h"
#include "conform/api_private.h"

/* ---- processes of the library ---------------------------------------------------------------- */

static void prepare_process(const struct api_kit *kit)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* standard output is the report */
    setenv("MRC_LOG_LEVEL", "ERROR", 0);
    if (kit->network)
        api_private_enter(kit->network);
}

static struct api_run new_run(
    const struct api_kit *kit, const struct api_process *process, int report_fd, const char *device)
{
    return (struct api_run){ .device = device,
        .second = kit->devices[1],
        .gid_index = kit->gid_index,
        .path = kit->path,
        .patience_ms = kit->patience_ms,
        .lacks = kit->lacks,
        .is_private = kit->network != NULL,
        .role = "",
        .watch = process->watch,
        .report_fd = report_fd };
}

static void load_library(struct api_run *run, const struct api_kit *kit)
{
    static struct api_library library;
    char reason[API_LIBRARY_REASON_BYTES];

    api_run_enter(run, "dlopen");
    if (!api_library_load(&library, kit->library, kit->verbs, reason))
        api_run_end(run, "%s", reason);
    run->library = &library;
}

__attribute__((noreturn)) static void run_subject(
    struct api_process_pair *pair, int report_fd, int peer_fd)
{
    struct api_run run = new_run(pair->kit, &pair->subject, report_fd, pair->kit->devices[0]);
    struct api_peer peer = { .fd = peer_fd, .is_ours = pair->peer_is_ours };

    prepare_process(pair->kit);
    load_library(&run, pair->kit);
    run.peer = pair->has_peer ? &peer : NULL;
    pair->check(&run);
    api_run_done(&run);
}

__attribute__((noreturn)) static void run_peer(struct api_process_pair *pair, int report_fd, int fd)
{
    const struct api_kit *kit = pair->kit;
    struct api_run run =
        new_run(kit, &pair->peer, report_fd, pair->peer_is_ours ? kit->ours : kit->devices[1]);

    prepare_process(kit);
    run.role = "the peer: ";
    if (pair->peer_is_ours) {
        run.library = kit->our_library;
        run.gid_index = 0;
    } else {
        load_library(&run, kit);
    }
    api_peer_serve(&run, fd);
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool start_peer(struct api_process_pair *pair, int report_fd, const int sockets[2])
{
    pair->peer.pid = fork();
    if (pair->peer.pid == 0) {
        close(pair->lines);
        close(sockets[0]);
        run_peer(pair, report_fd, sockets[1]);
    }
    return pair->peer.pid > 0;
}

static bool start_subject(struct api_process_pair *pair, int report_fd, const int sockets[2])
{
    pair->subject.pid = fork();
    if (pair->subject.pid == 0) {
        close(pair->lines);
        close(sockets[1]);
        run_subject(pair, report_fd, sockets[0]);
    }
    return pair->subject.pid > 0;
}

bool api_process_start(struct api_process_pair *pair)
{
    int sockets[2] = { -1, -1 };
    int lines[2];
    bool is_started;

    if (pipe(lines) != 0)
        return false;
    pair->lines = lines[0];
    fflush(NULL);
    is_started = socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0 &&
                 (!pair->has_peer || start_peer(pair, lines[1], sockets)) &&
                 start_subject(pair, lines[1], sockets);
    close(lines[1]);
    close(sockets[0]);
    close(sockets[1]);
    return is_started;
}

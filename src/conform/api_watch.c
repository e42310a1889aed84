/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the processes of a check, passes on their reports, and ends them. */
#include "conform/api_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform/api_peer.h"
#include "conform/api_private.h"
#include "conform/conform_report.h"

enum {
    SILENT_MAX = 3, /* checks without an answer, after which the run ends */
    PATIENCES = 3,  /* a process may take so many times the patience of a wait */
    POLL_MS = 20,   /* between looks at the processes */
};

struct process {
    pid_t pid; /* 0: ended, or not started */
    struct api_run_watch *watch;
    const char *name; /* "the library", for reports */
};

/* One run of a check. */
struct bout {
    struct api_kit *kit;
    struct conform_report *report;
    void (*check)(struct api_run *);
    bool has_peer;
    bool peer_is_ours;
    const char *prefix; /* of texts */
    struct process subject;
    struct process peer;
    int lines;                       /* read end of the pipe */
    char rest[API_WATCH_LINE_BYTES]; /* a line that is not complete */
    size_t rest_bytes;
    bool was_skipped;
    char skip[API_WATCH_LINE_BYTES];
};

/* ---- processes of the library ---------------------------------------------------------------- */

static void prepare_process(const struct api_kit *kit)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* standard output is the report */
    setenv("MRC_LOG_LEVEL", "ERROR", 0);
    if (kit->network)
        api_private_enter(kit->network);
}

static struct api_run new_run(
    const struct api_kit *kit, struct process *process, int report_fd, const char *device)
{
    return (struct api_run){ .device = device,
        .second = kit->devices[1],
        .gid_index = kit->gid_index,
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

__attribute__((noreturn)) static void run_subject(struct bout *bout, int report_fd, int peer_fd)
{
    struct api_run run = new_run(bout->kit, &bout->subject, report_fd, bout->kit->devices[0]);
    struct api_peer peer = { .fd = peer_fd, .is_ours = bout->peer_is_ours };

    prepare_process(bout->kit);
    load_library(&run, bout->kit);
    run.peer = bout->has_peer ? &peer : NULL;
    bout->check(&run);
    api_run_done(&run);
}

__attribute__((noreturn)) static void run_peer(struct bout *bout, int report_fd, int fd)
{
    const struct api_kit *kit = bout->kit;
    struct api_run run =
        new_run(kit, &bout->peer, report_fd, bout->peer_is_ours ? kit->ours : kit->devices[1]);

    prepare_process(kit);
    run.role = "the peer: ";
    if (bout->peer_is_ours) {
        run.library = kit->our_library;
        run.gid_index = 0;
    } else {
        load_library(&run, kit);
    }
    api_peer_serve(&run, fd);
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool start_peer(struct bout *bout, int report_fd, const int sockets[2])
{
    bout->peer.pid = fork();
    if (bout->peer.pid == 0) {
        close(bout->lines);
        close(sockets[0]);
        run_peer(bout, report_fd, sockets[1]);
    }
    return bout->peer.pid > 0;
}

static bool start_subject(struct bout *bout, int report_fd, const int sockets[2])
{
    bout->subject.pid = fork();
    if (bout->subject.pid == 0) {
        close(bout->lines);
        close(sockets[1]);
        run_subject(bout, report_fd, sockets[0]);
    }
    return bout->subject.pid > 0;
}

static bool start_processes(struct bout *bout)
{
    int sockets[2] = { -1, -1 };
    int lines[2];
    bool is_started;

    if (pipe(lines) != 0)
        return false;
    bout->lines = lines[0];
    fflush(NULL);
    is_started = socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0 &&
                 (!bout->has_peer || start_peer(bout, lines[1], sockets)) &&
                 start_subject(bout, lines[1], sockets);
    close(lines[1]);
    close(sockets[0]);
    close(sockets[1]);
    return is_started;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void take_reading(struct bout *bout, const char *text)
{
    char *end;
    uint32_t point = (uint32_t)strtoul(text, &end, 10);

    if (*end == ' ')
        conform_report_reading(bout->report, point, "%s", end + 1);
}

static void take_line(struct bout *bout, const char *line)
{
    switch ((enum api_watch_letter)line[0]) {
    case API_WATCH_SILENT:
        bout->kit->silent_count++;
        conform_report_fail(bout->report, "%s%s", bout->prefix, line + 1);
        break;
    case API_WATCH_FAIL:
        conform_report_fail(bout->report, "%s%s", bout->prefix, line + 1);
        break;
    case API_WATCH_NOTE:
        conform_report_note(bout->report, "%s%s", bout->prefix, line + 1);
        break;
    case API_WATCH_SKIP:
        bout->was_skipped = true;
        snprintf(bout->skip, sizeof(bout->skip), "%s", line + 1);
        break;
    case API_WATCH_END:
        conform_report_end(bout->report, "%s%s", bout->prefix, line + 1);
        break;
    case API_WATCH_READING:
        take_reading(bout, line + 1);
        break;
    }
}

/* Reads what is there. */
static void take_lines(struct bout *bout)
{
    struct pollfd ready = { .fd = bout->lines, .events = POLLIN };

    while (poll(&ready, 1, 0) == 1 && ready.revents & POLLIN) {
        size_t room = sizeof(bout->rest) - 1 - bout->rest_bytes;
        ssize_t count = read(bout->lines, bout->rest + bout->rest_bytes, room);
        char *end;

        if (count <= 0)
            return;
        bout->rest_bytes += (size_t)count;
        bout->rest[bout->rest_bytes] = '\0';
        while ((end = strchr(bout->rest, '\n'))) {
            *end = '\0';
            take_line(bout, bout->rest);
            bout->rest_bytes -= (size_t)(end + 1 - bout->rest);
            memmove(bout->rest, end + 1, bout->rest_bytes + 1);
        }
        if (bout->rest_bytes == sizeof(bout->rest) - 1)
            bout->rest_bytes = 0;
    }
}

/* ---- watching -------------------------------------------------------------------------------- */

static const char *call_of(const struct process *process)
{
    const char *call = atomic_load(&process->watch->call);

    return call ? call : "no call";
}

/* A library that cannot be loaded is not tried again. */
static void judge_end(struct bout *bout, const struct process *process, int status)
{
    bool is_loading = strcmp(call_of(process), "dlopen") == 0;

    if (is_loading && !atomic_load(&process->watch->is_done))
        conform_report_end(bout->report, "%s ends the process that loads it", process->name);
    if (WIFSIGNALED(status))
        conform_report_fail(bout->report, "%s%s crashed (SIG%s) in %s", bout->prefix, process->name,
            sigabbrev_np(WTERMSIG(status)), call_of(process));
    else if (!atomic_load(&process->watch->is_done))
        conform_report_fail(bout->report, "%s%s ended its process with status %d in %s",
            bout->prefix, process->name, WEXITSTATUS(status), call_of(process));
}

/* Returns whether the process has ended. Also ends processes that the library has started. */
static bool has_ended(struct bout *bout, struct process *process)
{
    siginfo_t info = { .si_pid = 0 };
    int status;

    if (process->pid == 0)
        return true;
    if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
        return false;
    kill(-process->pid, SIGKILL);
    waitpid(process->pid, &status, 0);
    process->pid = 0;
    take_lines(bout);
    judge_end(bout, process, status);
    return true;
}

static void end_process(struct process *process)
{
    if (process->pid == 0)
        return;
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
    waitpid(process->pid, NULL, 0);
    process->pid = 0;
}

static bool is_interrupted(const struct bout *bout)
{
    return bout->kit->is_interrupted && *bout->kit->is_interrupted;
}

static void watch_processes(struct bout *bout)
{
    uint64_t limit_ms = PATIENCES * bout->kit->patience_ms;
    uint64_t end_ms = api_run_now_ms() + limit_ms;
    struct pollfd ready = { .fd = bout->lines, .events = POLLIN };
    bool subject_ended = false;
    bool peer_ended = false;

    while (!subject_ended || !peer_ended) {
        if (is_interrupted(bout)) {
            conform_report_end(bout->report, "interrupted");
            return;
        }
        if (api_run_now_ms() > end_ms) {
            const struct process *process = subject_ended ? &bout->peer : &bout->subject;

            conform_report_fail(
                bout->report, "%s%s hangs in %s", bout->prefix, process->name, call_of(process));
            conform_report_end(bout->report, "%s%s has not returned from %s for %lu s",
                bout->prefix, process->name, call_of(process), limit_ms / 1000);
            return;
        }
        poll(&ready, 1, POLL_MS);
        take_lines(bout);
        if (ready.revents & POLLHUP)
            usleep(1000);
        subject_ended = has_ended(bout, &bout->subject);
        peer_ended = has_ended(bout, &bout->peer);
    }
}

static void run_bout(struct bout *bout)
{
    struct api_run_watch *watches =
        mmap(NULL, 2 * sizeof(*watches), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (watches == MAP_FAILED) {
        conform_report_end(bout->report, "not enough memory");
        return;
    }
    bout->subject = (struct process){ .watch = &watches[0], .name = "the library" };
    bout->peer = (struct process){ .watch = &watches[1],
        .name = bout->peer_is_ours ? "our library" : "the library of the peer" };
    if (start_processes(bout))
        watch_processes(bout);
    else
        conform_report_end(bout->report, "no process can be started: %s", strerror(errno));
    end_process(&bout->subject);
    end_process(&bout->peer);
    close(bout->lines);
    munmap(watches, 2 * sizeof(*watches));
    if (bout->kit->silent_count >= SILENT_MAX)
        conform_report_end(bout->report, "%d checks waited %lu s for something that did not happen",
            SILENT_MAX, bout->kit->patience_ms / 1000);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void run_with_peers(
    struct api_kit *kit, struct conform_report *report, void (*check)(struct api_run *))
{
    struct bout bout = { .kit = kit, .report = report, .check = check, .has_peer = true };
    uint32_t skipped = 0;
    uint32_t count = 0;

    for (int is_ours = 0; is_ours < 2 && !conform_report_has_ended(report); is_ours++) {
        if (!(is_ours ? kit->ours : kit->devices[1]))
            continue;
        bout.peer_is_ours = is_ours;
        bout.prefix = is_ours ? "with our library as peer: " : "";
        bout.was_skipped = false;
        bout.rest_bytes = 0;
        run_bout(&bout);
        skipped += bout.was_skipped;
        count++;
    }
    if (count == 0)
        conform_report_skip(report, "there is no other end (--device, --peer)");
    else if (skipped == count)
        conform_report_skip(report, "%s", bout.skip);
}

void api_watch_run(struct api_kit *kit, struct conform_report *report,
    void (*check)(struct api_run *), enum api_need need)
{
    struct bout bout = { .kit = kit, .report = report, .check = check, .prefix = "" };

    if (need != API_NEED_LIBRARY && !kit->devices[0]) {
        conform_report_skip(report, "no device is named (--device)");
    } else if (need == API_NEED_PEER) {
        run_with_peers(kit, report, check);
    } else {
        run_bout(&bout);
        if (bout.was_skipped)
            conform_report_skip(report, "%s", bout.skip);
    }
}

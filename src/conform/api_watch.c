/* SPDX-License-Identifier: Apache-2.0 */
/* Passes on the reports of the processes of a check, and ends them. */
#include "conform/api_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform/api_process.h"
#include "conform/conform_report.h"

enum {
    SILENT_MAX = 3,    /* checks without an answer, after which the run ends */
    PATIENCES = 3,     /* a call may take three times as long as a wait */
    PATIENCES_ALL = 5, /* a check */
    POLL_MS = 20,      /* between looks at the processes */
};

/* One run of a check. */
struct bout {
    struct api_kit *kit;
    struct api_process_pair pair;
    struct conform_report *report;
    const char *prefix;              /* of texts */
    char rest[API_WATCH_LINE_BYTES]; /* a line that is not complete */
    size_t rest_bytes;
    bool was_skipped;
    char skip[API_WATCH_LINE_BYTES];
};

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
    struct pollfd ready = { .fd = bout->pair.lines, .events = POLLIN };

    while (poll(&ready, 1, 0) == 1 && ready.revents & POLLIN) {
        size_t room = sizeof(bout->rest) - 1 - bout->rest_bytes;
        ssize_t count = read(bout->pair.lines, bout->rest + bout->rest_bytes, room);
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

static const char *call_of(const struct api_process *process)
{
    const char *call = atomic_load(&process->watch->call);

    return call ? call : API_RUN_NO_CALL;
}

/* A library that cannot be loaded is not tried again. */
static void judge_end(struct bout *bout, const struct api_process *process, int status)
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
static bool has_ended(struct bout *bout, struct api_process *process)
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

static void end_process(struct api_process *process)
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

/* A process that waits for the other one is not the one that hangs. */
static void report_hang(struct bout *bout, uint64_t seconds)
{
    bool is_peer =
        bout->pair.peer.pid != 0 &&
        (bout->pair.subject.pid == 0 ||
            strncmp(call_of(&bout->pair.subject), API_RUN_NO_CALL, strlen(API_RUN_NO_CALL)) == 0);
    const struct api_process *process = is_peer ? &bout->pair.peer : &bout->pair.subject;

    conform_report_fail(
        bout->report, "%s%s hangs in %s", bout->prefix, process->name, call_of(process));
    conform_report_end(bout->report, "%s%s has not returned from %s after %lu s", bout->prefix,
        process->name, call_of(process), seconds);
}

/* When a pair of processes hangs: neither enters another call, or the check takes too long. */
struct limit {
    uint64_t end_ms;
    uint64_t call_end_ms;
    uint32_t entered;
};

static bool is_over(struct limit *limit, const struct bout *bout)
{
    uint32_t entered = atomic_load(&bout->pair.subject.watch->entered) +
                       atomic_load(&bout->pair.peer.watch->entered);
    uint64_t now_ms = api_run_now_ms();

    if (entered != limit->entered) {
        limit->entered = entered;
        limit->call_end_ms = now_ms + PATIENCES * bout->kit->patience_ms;
    }
    return now_ms > limit->call_end_ms || now_ms > limit->end_ms;
}

static void watch_processes(struct bout *bout)
{
    uint64_t start_ms = api_run_now_ms();
    struct limit limit = { .end_ms = start_ms + PATIENCES_ALL * bout->kit->patience_ms,
        .call_end_ms = start_ms + PATIENCES * bout->kit->patience_ms };
    struct pollfd ready = { .fd = bout->pair.lines, .events = POLLIN };
    bool subject_ended = false;
    bool peer_ended = false;

    while (!subject_ended || !peer_ended) {
        if (is_interrupted(bout)) {
            conform_report_end(bout->report, "interrupted");
            return;
        }
        if (is_over(&limit, bout)) {
            report_hang(bout, (api_run_now_ms() - start_ms) / 1000);
            return;
        }
        poll(&ready, 1, POLL_MS);
        take_lines(bout);
        if (ready.revents & POLLHUP)
            usleep(1000);
        subject_ended = has_ended(bout, &bout->pair.subject);
        peer_ended = has_ended(bout, &bout->pair.peer);
    }
}

static void run_pair(struct bout *bout, struct api_run_watch watches[static 2])
{
    bout->pair.subject = (struct api_process){ .watch = &watches[0], .name = "the library" };
    bout->pair.peer = (struct api_process){ .watch = &watches[1],
        .name = bout->pair.peer_is_ours ? "our library" : "the library of the peer" };
    if (api_process_start(&bout->pair))
        watch_processes(bout);
    else
        conform_report_end(bout->report, "no process can be started: %s", strerror(errno));
    end_process(&bout->pair.subject);
    end_process(&bout->pair.peer);
    close(bout->pair.lines);
}

/* A process that did not end by itself has left what another one undoes. */
static void undo_changes(struct bout *bout, struct api_run_watch watches[static 2])
{
    struct bout undo = { .kit = bout->kit, .report = bout->report, .prefix = "afterwards " };

    undo.pair = (struct api_process_pair){ .kit = bout->kit,
        .check = atomic_exchange(&watches[0].at_end, NULL) };
    if (!undo.pair.check || is_interrupted(bout))
        return;
    atomic_store(&watches[0].call, NULL);
    atomic_store(&watches[0].is_done, false);
    run_pair(&undo, watches);
}

static void run_bout(struct bout *bout)
{
    struct api_run_watch *watches =
        mmap(NULL, 2 * sizeof(*watches), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (watches == MAP_FAILED) {
        conform_report_end(bout->report, "not enough memory");
        return;
    }
    run_pair(bout, watches);
    undo_changes(bout, watches);
    munmap(watches, 2 * sizeof(*watches));
    if (bout->kit->silent_count >= SILENT_MAX)
        conform_report_end(bout->report, "%d checks waited %lu s for something that did not happen",
            SILENT_MAX, bout->kit->patience_ms / 1000);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void run_with_peers(
    struct api_kit *kit, struct conform_report *report, void (*check)(struct api_run *))
{
    struct bout bout = {
        .kit = kit, .report = report, .pair = { .kit = kit, .check = check, .has_peer = true }
    };
    uint32_t skipped = 0;
    uint32_t count = 0;

    for (int is_ours = 0; is_ours < 2 && !conform_report_has_ended(report); is_ours++) {
        if (!(is_ours ? kit->ours : kit->devices[1]))
            continue;
        bout.pair.peer_is_ours = is_ours;
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
    struct bout bout = {
        .kit = kit, .report = report, .pair = { .kit = kit, .check = check }, .prefix = ""
    };

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

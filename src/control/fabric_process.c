/* SPDX-License-Identifier: Apache-2.0 */
/* Stops fabrics, and waits until the process has ended, so that its files are gone afterwards. */
#include "control/fabric_process.h"

#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pktio/pktio.h"

enum {
    PATH_BYTES = 320,
    LOOK_MS = 5,
    PATIENCE_MS = 15000,
};

bool fabric_process_runs(const char *root, const char *fabric, struct process_lock_holder *holder)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%.60s/lock", root, fabric);
    return process_lock_look(path, holder);
}

static bool unlocks(const char *root, const char *fabric)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
    struct process_lock_holder holder;

    for (uint32_t waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += LOOK_MS) {
        if (!fabric_process_runs(root, fabric, &holder))
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

static bool ends(int process)
{
    struct pollfd poll_fd = { .fd = process, .events = POLLIN };

    return poll(&poll_fd, 1, PATIENCE_MS) == 1;
}

enum request_result fabric_process_end(const char *root, const char *fabric,
    const struct process_lock_holder *holder, char reason[REQUEST_REASON_BYTES])
{
    int process = holder->pid > 0 ? (int)syscall(SYS_pidfd_open, holder->pid, 0) : -1;
    struct request_line request;
    enum request_result result;
    json_t *answer;

    /* A process that is ending is known only by its lock. */
    if (holder->pid == 0 && unlocks(root, fabric))
        return REQUEST_ANSWERED;
    request_line_begin(&request, "stop");
    result = request_fabric(fabric, &request, &answer, reason);
    json_decref(answer);
    if (result == REQUEST_ANSWERED && (process < 0 || !ends(process))) {
        snprintf(reason, REQUEST_REASON_BYTES, "pid %d does not end; kill it", (int)holder->pid);
        result = REQUEST_FAILED;
    }
    if (process >= 0)
        close(process);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric stop: ends a fabric, and returns when it is gone. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmd/fabric.h"
#include "cmd/options.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric stop";

enum {
    LOOK_MS = 5,
    PATIENCE_MS = 15000,
};

struct options {
    const char *fabric;
};

static const struct option_row rows[] = {
    { OPTION_TEXT, 'n', "name", "NAME", "the fabric (default: fabric)",
        OPTION_AT(struct options, fabric), .values = OPTION_VALUES_FABRICS },
};

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc fabric stop [-n NAME]\n"
             "\n"
             "Ends a running fabric and returns when it is gone, its devices with it. Clears away "
             "what\n"
             "is left of one that was killed.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* Of one that is ending already its process is not known, only its lock. */
static bool unlocks(const char *root, const char *fabric)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
    struct process_lock_holder holder;

    for (uint32_t waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += LOOK_MS) {
        if (!fabric_is_running(root, fabric, &holder))
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

static bool ends(int process)
{
    struct pollfd poll_fd = { .fd = process, .events = POLLIN };
    bool has_ended = poll(&poll_fd, 1, PATIENCE_MS) == 1;

    close(process);
    return has_ended;
}

static enum cmd_status end(const char *root, const char *fabric, int pid)
{
    int process = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    enum cmd_status status;
    json_t *answer;

    if (pid == 0 && unlocks(root, fabric))
        return CMD_DONE;
    status = fabric_ask(fabric, json_pack("{s:s}", "do", "stop"), &answer);
    if (status != CMD_DONE) {
        if (process >= 0)
            close(process);
        return status;
    }
    json_decref(answer);
    if (process >= 0 && ends(process))
        return CMD_DONE;
    return cmd_complain(CMD_FAILED, name, "'%s', pid %d, does not end; kill it", fabric, pid);
}

static enum cmd_status stop(const char *fabric)
{
    char root[FABRIC_ROOT_BYTES];
    struct process_lock_holder holder;
    int err = run_place_make(root, sizeof(root));

    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", root, strerror(-err));
    if (fabric_is_running(root, fabric, &holder))
        return end(root, fabric, holder.pid);
    if (leftovers_remove(root, fabric))
        return cmd_complain(CMD_DONE, name, "'%s' had been killed; cleared away its files", fabric);
    return fabric_complain_not_running(fabric);
}

static enum cmd_status fabric_stop(int argument_count, char **arguments)
{
    struct options options = { .fabric = "fabric" };
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status))
        return status;
    if (optind != argument_count)
        return cmd_complain(CMD_MISUSED, name, "%s: not an option", arguments[optind]);
    if (fabric_check_name(name, options.fabric) != CMD_DONE)
        return CMD_MISUSED;
    return stop(options.fabric);
}

const struct cmd fabric_stop_command = {
    .name = "stop",
    .summary = "end a running fabric",
    .run = fabric_stop,
    .options = &table,
};

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
#include "lab/lab.h"
#include "pktio/pktio.h"

static const char name[] = "fabric stop";

enum {
    LOOK_MS = 5,
    PATIENCE_MS = 15000,
};

static void print_usage(FILE *to)
{
    fputs(
        "usage: mrc fabric stop [-n NAME]\n"
        "\n"
        "Ends a running fabric and returns when it is gone, its devices with it. Clears away what\n"
        "is left of one that was killed.\n"
        "\n"
        "  -n, --name NAME    the fabric (default: fabric)\n"
        "  -h, --help\n",
        to);
}

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

enum cmd_status fabric_stop(int argument_count, char **arguments)
{
    static const struct option known[] = {
        { "name", required_argument, NULL, 'n' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    const char *fabric = "fabric";
    int option;

    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argument_count, arguments, ":n:h", known, NULL)) != -1) {
        if (option == 'h') {
            print_usage(stdout);
            return CMD_DONE;
        }
        if (option == '?' || option == ':')
            return cmd_complain_option(name, option, arguments, known);
        fabric = optarg;
    }
    if (optind != argument_count)
        return cmd_complain(CMD_MISUSED, name, "%s: not an option", arguments[optind]);
    if (fabric_check_name(name, fabric) != CMD_DONE)
        return CMD_MISUSED;
    return stop(fabric);
}

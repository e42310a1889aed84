/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric stop: ends a fabric, and returns when it is gone. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

static enum cmd_status wait_until_gone(const char *root, const char *fabric)
{
    const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
    struct process_lock_holder holder;

    for (uint32_t waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += LOOK_MS) {
        if (!fabric_is_running(root, fabric, &holder))
            return CMD_DONE;
        nanosleep(&nap, NULL);
    }
    return cmd_complain(
        CMD_FAILED, name, "'%s', pid %d, does not end; kill it", fabric, holder.pid);
}

static enum cmd_status stop(const char *fabric)
{
    char root[FABRIC_ROOT_BYTES];
    struct process_lock_holder holder;
    enum cmd_status status;
    json_t *answer;
    int err = run_place_make(root, sizeof(root));

    if (err)
        return cmd_complain(CMD_FAILED, name, "%s: %s", root, strerror(-err));
    if (!fabric_is_running(root, fabric, &holder) && leftovers_remove(root, fabric))
        return cmd_complain(CMD_DONE, name, "'%s' had been killed; cleared away its files", fabric);
    status = fabric_ask(fabric, json_pack("{s:s}", "do", "stop"), &answer);
    if (status != CMD_DONE)
        return status;
    json_decref(answer);
    return wait_until_gone(root, fabric);
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

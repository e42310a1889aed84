/* SPDX-License-Identifier: Apache-2.0 */
/* mrc fabric down and mrc fabric list. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/fabric.h"
#include "cmd/fabric_netns.h"
#include "lab/lab.h"
#include "pktio/pktio.h"

static void print_usage(FILE *to)
{
    fputs("usage: mrc fabric down [-n NAME]\n"
          "\n"
          "Ends the switches of a fabric of network namespaces, removes the namespaces with all\n"
          "that is in them, and the devices. Does nothing if there is no such fabric.\n"
          "\n"
          "      --netns         of network namespaces (there is no other kind)\n"
          "  -n, --name NAME     the fabric (default: fabric)\n"
          "  -h, --help\n",
        to);
}

/* Only a soft fabric itself may take its folder away. */
static bool is_soft_and_running(const char *root, const char *name)
{
    char folder[FABRIC_NETNS_PATH_BYTES];
    struct process_lock_holder holder;
    struct netns_state state;

    fabric_netns_folder(root, name, folder);
    return netns_state_read(folder, &state) != 0 && fabric_is_running(root, name, &holder);
}

static enum cmd_status take_down(const char *prefix)
{
    char root[FABRIC_ROOT_BYTES];
    int err = run_place_make(root, sizeof(root));

    if (err)
        return cmd_complain(CMD_FAILED, "fabric down", "%s", strerror(-err));
    if (is_soft_and_running(root, prefix))
        return cmd_complain(CMD_FAILED, "fabric down",
            "'%s' is not a fabric of namespaces; end it with 'mrc fabric stop -n %s'", prefix,
            prefix);
    return fabric_netns_clean(root, prefix);
}

enum cmd_status fabric_down(int argument_count, char **arguments)
{
    static const struct option known[] = {
        { "netns", no_argument, NULL, 'N' },
        { "name", required_argument, NULL, 'n' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    static const char name[] = "fabric down";
    const char *prefix = "fabric";
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
        if (option == 'n')
            prefix = optarg;
    }
    if (argument_count - optind > 1) /* the file that it was brought up with may be named */
        return cmd_complain(CMD_MISUSED, name, "%s: not an option", arguments[optind + 1]);
    if (fabric_check_name(name, prefix) != CMD_DONE)
        return CMD_MISUSED;
    if (geteuid() != 0)
        return cmd_complain(CMD_FAILED, name, "only root can remove network namespaces");
    return take_down(prefix);
}

/* ---- list ------------------------------------------------------------------------------------ */

static const char *kind_of(const struct netns_state *state, bool is_netns)
{
    if (!is_netns)
        return "soft";
    return state->is_kernel ? "kernel" : "switch";
}

static json_t *devices_of(const char *root, const char *name)
{
    json_t *devices = json_array();
    struct devices_origin origin;
    uint32_t first;

    if (!devices_find(root, name, 0, &first))
        return devices;
    for (uint32_t nic = 0; devices_origin(root, first + nic, &origin) && origin.nic == nic &&
                           strcmp(origin.fabric, name) == 0;
         nic++)
        json_array_append_new(devices, json_sprintf("mrc%u", first + nic));
    return devices;
}

/* NULL: not a fabric. */
static json_t *describe(const char *root, const char *name)
{
    char folder[FABRIC_NETNS_PATH_BYTES];
    struct process_lock_holder holder;
    struct netns_state state;
    bool is_netns;
    bool is_running;

    if (!netns_name_is_prefix(name))
        return NULL;
    fabric_netns_folder(root, name, folder);
    is_netns = netns_state_read(folder, &state) == 0;
    is_running = fabric_is_running(root, name, &holder);
    if (is_netns)
        is_running = state.is_kernel || netns_state_is_running(&state);
    if (!is_netns && !is_running)
        return NULL;
    return json_pack("{s:s, s:s, s:b, s:I, s:o}", "name", name, "kind", kind_of(&state, is_netns),
        "running", is_running, "pid", (json_int_t)(is_netns ? state.pid : holder.pid), "devices",
        devices_of(root, name));
}

static json_t *describe_all(const char *root)
{
    json_t *all = json_array();
    DIR *folder = opendir(root);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        json_t *one = describe(root, entry->d_name);

        if (one)
            json_array_append_new(all, one);
    }
    if (folder)
        closedir(folder);
    return all;
}

/* "mrc0 to mrc3" */
static void print_devices(const json_t *devices)
{
    size_t count = json_array_size(devices);

    if (count > 0)
        fputs(json_string_value(json_array_get(devices, 0)), stdout);
    if (count > 1)
        printf(" to %s", json_string_value(json_array_get(devices, count - 1)));
    putchar('\n');
}

static void print_list(const json_t *all)
{
    const json_t *one;
    size_t i;

    printf("%-20s %-8s %-6s %8s  %s\n", "NAME", "KIND", "STATE", "PID", "DEVICES");
    json_array_foreach(all, i, one)
    {
        printf("%-20s %-8s %-6s %8lld  ", json_string_value(json_object_get(one, "name")),
            json_string_value(json_object_get(one, "kind")),
            json_is_true(json_object_get(one, "running")) ? "up" : "DEAD",
            (long long)json_integer_value(json_object_get(one, "pid")));
        print_devices(json_object_get(one, "devices"));
    }
}

enum cmd_status fabric_list(int argument_count, char **arguments)
{
    static const char name[] = "fabric list";
    bool as_json = argument_count == 2 &&
                   (strcmp(arguments[1], "-j") == 0 || strcmp(arguments[1], "--json") == 0);
    char root[FABRIC_ROOT_BYTES];
    json_t *all;
    int err;

    if (argument_count >= 2 &&
        (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0)) {
        fputs("usage: mrc fabric list [-j]\n\nKinds: soft (mrc fabric run), switch and kernel (mrc "
              "fabric up). DEAD: 'mrc fabric down' cleans up.\n",
            stdout);
        return CMD_DONE;
    }
    if (argument_count > 1 && !as_json)
        return cmd_complain(CMD_MISUSED, name, "usage: mrc fabric list [-j]");
    err = run_place_make(root, sizeof(root));
    if (err)
        return cmd_complain(CMD_FAILED, name, "%s", strerror(-err));
    all = describe_all(root);
    if (as_json) {
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        print_list(all);
    }
    json_decref(all);
    return CMD_DONE;
}

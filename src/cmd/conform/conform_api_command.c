/* SPDX-License-Identifier: Apache-2.0 */
/* mrc conform api: checks a library that implements mrc.h and mrc_ctl.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/conform/conform_options.h"
#include "cmd/conform/conform_verbs.h"
#include "files/files.h"

static const char name[] = "conform api";

enum { PATIENCE_MS = 20000 };

struct options {
    struct conform_options common;
    struct option_list devices;
    const char *peer;
    const char *verbs;
    uint32_t gid_index;
    uint64_t patience_ms;
    struct in6_addr path;
    bool has_path;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum cmd_status take_patience(void *options, char *text)
{
    uint64_t ps = 0;

    if (quantity_parse(QUANTITY_TIME, text, &ps) != QUANTITY_OK || ps < 1000000000)
        return cmd_complain(
            CMD_MISUSED, name, "--patience takes a time of at least 1ms, not '%s'", text);
    ((struct options *)options)->patience_ms = ps / 1000000000;
    return CMD_DONE;
}

static enum cmd_status take_path(void *options, char *text)
{
    struct options *all = options;

    all->has_path = inet_pton(AF_INET6, text, &all->path) == 1;
    return all->has_path
               ? CMD_DONE
               : cmd_complain(CMD_MISUSED, name, "--path takes an IPv6 address, not '%s'", text);
}

#define AT(member) OPTION_AT(struct options, member)

/* clang-format off */
static const struct option_row rows[] = {
    { OPTION_LIST, 0, "device", "NAME", "a device of the library; name a second one for the other end", AT(devices),
        .values = OPTION_VALUES_NONE },
    { OPTION_TEXT, 0, "peer", "NAME", "a device of our library that reaches the first device, for the other end", AT(peer),
        .values = OPTION_VALUES_DEVICES },
    { OPTION_TEXT, 0, "verbs", "LIBRARY", "the verbs library [libmrc-verbs.so.1 beside the library, or libibverbs.so.1]", AT(verbs) },
    { OPTION_NUMBER, 0, "gid-index", "N", "the GID of the devices [0]", AT(gid_index), .least = 0, .most = 255 },
    { OPTION_CALL, 0, "path", "ADDRESS", "the destination with uSIDs by which probes reach the other end from port 1", .read = take_path,
        .values = OPTION_VALUES_NONE },
    { OPTION_CALL, 0, "patience", "TIME", "how long to wait for something that must happen [20s]", .read = take_patience,
        .values = OPTION_VALUES_NONE },
    CONFORM_OPTION_ROWS(struct options, common),
};
/* clang-format on */

static const struct option_table table = {
    .command = name,
    .intro = "usage: mrc conform api [OPTIONS] LIBRARY\n"
             "\n"
             "Loads a library that implements mrc.h and mrc_ctl.h, and checks its calls, between "
             "two devices\n"
             "of the library and between the library and ours. Without --device, a library with "
             "libmrc-verbs\n"
             "beside it gets devices of its own; of other libraries only symbols and versions are "
             "checked.",
    .closing = "Exit status: 0; 1 if a check failed, or the library crashed or hung; 2 for a wrong "
               "command line.\n"
               "\n"
               "  mrc conform api /usr/lib/x86_64-linux-gnu/libmrc.so.1\n"
               "  mrc conform api --device mlx5_0 --device mlx5_1 --gid-index 3 ./libmrc.so",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

/* ---- running --------------------------------------------------------------------------------- */

/* Our library, which is a part of this program. */
static const struct api_library our_library = {
    .calls = {
#define API_CALL(header, call) .call = mrc_##call,
#include "conform/api_calls.def"
#undef API_CALL
    },
    .verbs = {
        .get_device_list = ibv_get_device_list,
        .free_device_list = ibv_free_device_list,
        .get_device_name = ibv_get_device_name,
        .open_device = ibv_open_device,
        .close_device = ibv_close_device,
        .query_device = ibv_query_device,
        .query_port = ibv_query_port,
        .query_gid = ibv_query_gid,
        .alloc_pd = ibv_alloc_pd,
        .dealloc_pd = ibv_dealloc_pd,
        .reg_mr = ibv_reg_mr,
        .dereg_mr = ibv_dereg_mr,
    },
};

static bool is_our_verbs(const char *verbs)
{
    const char *slash = strrchr(verbs, '/');

    return strncmp(slash ? slash + 1 : verbs, "libmrc-verbs", 12) == 0;
}

static enum cmd_status run_checks(
    const struct options *options, const struct conform_choice *choice, struct api_kit *kit)
{
    struct api_private network;
    enum cmd_status status;
    int err = 0;

    if (!kit->devices[0] && is_our_verbs(kit->verbs)) {
        err = api_private_open(&network);
        if (err)
            return cmd_complain(
                CMD_FAILED, name, "devices for this run cannot be made: %s", strerror(-err));
        kit->network = &network;
        kit->devices[0] = "mrc0";
        kit->devices[1] = "mrc1";
        kit->ours = "mrc1";
    }
    kit->is_interrupted = cmd_catch_interrupts(0);
    status = conform_options_run(&options->common, &api_suite, choice, kit->library, kit);
    if (kit->network)
        api_private_close(&network);
    return status;
}

/* dlopen() looks for a name without a slash only where libraries are installed. */
static const char *path_of(const char *library, char *path, size_t path_bytes)
{
    if (strchr(library, '/') || access(library, R_OK) != 0)
        return library;
    snprintf(path, path_bytes, "./%s", library);
    return path;
}

static enum cmd_status read_kit(
    const struct options *options, struct api_kit *kit, char *verbs, size_t verbs_bytes)
{
    if (options->devices.count > 2)
        return cmd_complain(CMD_MISUSED, name, "--device: name at most two devices");
    if (options->peer && options->devices.count == 0)
        return cmd_complain(
            CMD_MISUSED, name, "--peer: name the device that it reaches, too (--device)");
    if (strchr(kit->library, '/') && access(kit->library, R_OK) != 0)
        return cmd_complain(CMD_FAILED, name, "%s: %s", kit->library, strerror(errno));
    for (uint32_t i = 0; i < options->devices.count; i++)
        kit->devices[i] = options->devices.at[i];
    kit->ours = options->peer;
    kit->verbs =
        options->verbs ? options->verbs : api_library_verbs_of(kit->library, verbs, verbs_bytes);
    return CMD_DONE;
}

static enum cmd_status run_api(int argument_count, char **arguments)
{
    struct options options = { .patience_ms = PATIENCE_MS };
    struct conform_choice choice = { .absent = 0 };
    struct api_kit kit = { .verbs = "", .our_library = &our_library };
    char verbs[4096];
    char path[4096];
    enum cmd_status status;

    if (!options_read(&table, &options, argument_count, arguments, &status) ||
        !conform_options_choose(&options.common, name, &api_suite, &choice, &status))
        return status;
    if (argument_count != optind + 1)
        return cmd_complain(CMD_MISUSED, name, "name one LIBRARY, such as ./libmrc.so.1");
    kit.library = path_of(arguments[optind], path, sizeof(path));
    kit.gid_index = (int)options.gid_index;
    kit.patience_ms = options.patience_ms;
    kit.path = options.has_path ? options.path.s6_addr : NULL;
    kit.lacks = choice.absent;
    status = read_kit(&options, &kit, verbs, sizeof(verbs));
    return status == CMD_DONE ? run_checks(&options, &choice, &kit) : status;
}

const struct cmd conform_api_command = {
    .name = "api",
    .summary = "check a library that implements mrc.h",
    .run = run_api,
    .options = &table,
};

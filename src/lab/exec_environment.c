/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables with which a program finds libmrc-verbs. The dynamic linker finds it by
 * its search path; collective libraries open it by a name from their own variables. */
#include "lab/exec_environment.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libmrc-verbs.so.1"
#define FOLDER  "mrc-verbs"

/* ---- where the libraries are ----------------------------------------------------------------- */

static bool find_library(const char *place, char folder[PATH_MAX])
{
    char pattern[PATH_MAX + 64];
    glob_t found = { 0 };
    bool is_found;

    snprintf(pattern, sizeof(pattern), "%s/" LIBRARY, place);
    is_found = glob(pattern, 0, NULL, &found) == 0;
    if (is_found) {
        *strrchr(found.gl_pathv[0], '/') = '\0';
        is_found = realpath(found.gl_pathv[0], folder) != NULL;
    }
    globfree(&found);
    return is_found;
}

/* Tries the installed folder (Debian adds the name of the machine type), the folder of the program,
 * and the build folder. */
bool exec_environment_find_libraries(char folder[PATH_MAX])
{
    static const char *const places[] = { "../lib", "../lib/*", "../lib64", "lib", "." };
    char own[PATH_MAX];
    char place[PATH_MAX + 16];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

    if (length <= 0)
        return false;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(place, sizeof(place), "%s/%s", own, places[i]);
        if (find_library(place, folder))
            return true;
    }
    return false;
}

/* ---- variables ------------------------------------------------------------------------------- */

static struct exec_variable *add_variable(struct exec_environment *environment, const char *name)
{
    struct exec_variable *variable = &environment->variables[environment->count++];

    variable->name = name;
    return variable;
}

/* Puts the value in front of the current one. */
static void prepend_value(struct exec_environment *environment, const char *name, const char *value)
{
    const char *before = getenv(name);

    snprintf(add_variable(environment, name)->value, EXEC_VALUE_BYTES, "%s%s%s", value,
        before && *before ? ":" : "", before ? before : "");
}

static void offer_value(struct exec_environment *environment, const char *name, const char *value)
{
    if (!getenv(name))
        snprintf(add_variable(environment, name)->value, EXEC_VALUE_BYTES, "%s", value);
}

/* NCCL reads NCCL_IBVERBS_LIB; its release notes and RCCL have NCCL_LIBIBVERBS_SO. */
static void offer_library(struct exec_environment *environment, const char *library)
{
    static const char *const names[] = { "NCCL_IBVERBS_LIB", "NCCL_LIBIBVERBS_SO", "MSCCLPP_IBV_SO",
        "MORI_IBVERBS_LIB" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        offer_value(environment, names[i], library);
}

/* Settings of collective libraries: no silent fallback to another network, the usual GID index, and
 * no feature that MRC lacks (docs/nccl.md). */
static void offer_choices(struct exec_environment *environment, const char *devices)
{
    static const struct {
        const char *name;
        const char *value;
    } choices[] = {
        { "NCCL_NET", "IB" },
        { "NCCL_NET_PLUGIN", "none" },
        { "NCCL_IB_GID_INDEX", "3" },
        { "NCCL_IB_ECE_ENABLE", "0" },
        { "NCCL_NET_GDR_LEVEL", "LOC" },
        { "NCCL_GIN_TYPE", "2" },
        { "MSCCLPP_IBV_MODE", "host-no-atomic" },
    };
    char exact[EXEC_VALUE_BYTES];

    snprintf(exact, sizeof(exact), "%s%s", *devices ? "=" : "", *devices ? devices : "mrc");
    offer_value(environment, "NCCL_IB_HCA", exact);
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        offer_value(environment, choices[i].name, choices[i].value);
}

void exec_environment_make(struct exec_environment *environment, const struct exec_wish *wish)
{
    char path[PATH_MAX + 64];

    environment->count = 0;
    snprintf(path, sizeof(path), "%s/" LIBRARY, wish->libraries);
    if (wish->preloads)
        prepend_value(environment, "LD_PRELOAD", path);
    offer_library(environment, path);
    snprintf(path, sizeof(path), "%s/" FOLDER, wish->libraries);
    if (!wish->preloads)
        prepend_value(environment, "LD_LIBRARY_PATH", path);
    if (*wish->devices)
        snprintf(
            add_variable(environment, "MRC_DEVICES")->value, EXEC_VALUE_BYTES, "%s", wish->devices);
    offer_choices(environment, wish->devices);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tests verbs/refused.c: the libraries have every symbol, at every version, that the libibverbs of
 * this system has. */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "spec.h"

/* Of the build that this program is from: tests/NAME, lib/NAME. */
static void *open_library(const char *name)
{
    char path[1024];
    char own[512];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    void *library;

    EXPECT_GE(length, 1);
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    snprintf(path, sizeof(path), "%s/../lib/%s", own, name);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        printf("# %s\n", dlerror());
    EXPECT(library != NULL);
    return library;
}

/* The symbols of the system's library: "name version" lines. */
static FILE *list_symbols(void)
{
    void *system = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
    struct link_map *map;
    char command[1200];
    FILE *list;

    EXPECT(system != NULL);
    EXPECT_EQ(dlinfo(system, RTLD_DI_LINKMAP, &map), 0);
    snprintf(command, sizeof(command),
        "nm -D --defined-only '%s' | sed -n 's/.* \\([^@]*\\)@@*\\(IBVERBS_.*\\)/\\1 \\2/p'",
        map->l_name);
    list = popen(command, "r");
    EXPECT(list != NULL);
    return list;
}

static uint32_t count_found(void *library, bool with_private)
{
    FILE *list = list_symbols();
    uint32_t found = 0;
    char name[128];
    char version[64];

    while (fscanf(list, "%127s %63s", name, version) == 2) {
        if (!with_private && strncmp(version, "IBVERBS_PRIVATE", 15) == 0 &&
            strcmp(name, "ibv_query_gid_type") != 0)
            continue;
        if (!dlvsym(library, name, version))
            printf("# no %s@%s\n", name, version);
        EXPECT(dlvsym(library, name, version) != NULL);
        found++;
    }
    pclose(list);
    return found;
}

SPEC("libmrc-verbs.so.1 has all public symbols, and the private ones that programs call")
{
    EXPECT_GE(count_found(open_library("libmrc-verbs.so.1"), false), 100);
}

SPEC("the folder for the library path has all symbols, under both names")
{
    EXPECT_GE(count_found(open_library("mrc-verbs/libibverbs.so"), true), 150);
    EXPECT_GE(count_found(open_library("mrc-verbs/libibverbs.so.1"), true), 150);
}

SPEC("the folder for the library path has the symbols that NCCL loads, and newer ones than the "
     "system")
{
    static const char *const newer[][2] = { { "ibv_reg_mr_iova2", "IBVERBS_1.8" },
        { "ibv_query_ece", "IBVERBS_1.10" }, { "ibv_set_ece", "IBVERBS_1.10" },
        { "ibv_reg_dmabuf_mr", "IBVERBS_1.12" }, { "ibv_query_port_speed", "IBVERBS_1.16" },
        { "ibv_alloc_dmah", "IBVERBS_1.15" }, { "ibv_alloc_buf", "IBVERBS_1.17" } };
    void *library = open_library("mrc-verbs/libibverbs.so");

    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++)
        EXPECT(dlvsym(library, newer[i][0], newer[i][1]) != NULL);
}

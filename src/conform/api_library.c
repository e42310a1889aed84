/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a library with dlopen(). */
#include "conform/api_library.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where the address of a symbol is to be stored: a pointer to a function of any type. */
struct symbol {
    const char *name;
    size_t offset;
};

static const struct symbol call_symbols[] = {
#define API_CALL(header, name) { "mrc_" #name, offsetof(struct api_calls, name) },
#include "conform/api_calls.def"
#undef API_CALL
};

#define VERB(name)                                                                                 \
    {                                                                                              \
        "ibv_" #name, offsetof(struct api_verbs, name)                                             \
    }
static const struct symbol verb_symbols[] = { VERB(get_device_list), VERB(free_device_list),
    VERB(get_device_name), VERB(open_device), VERB(close_device), VERB(query_device),
    VERB(query_port), VERB(query_gid), VERB(alloc_pd), VERB(dealloc_pd), VERB(reg_mr),
    VERB(dereg_mr) };

/* Returns the name of the first symbol that is missing, or NULL. */
static const char *find_symbols(
    void *handle, const struct symbol *symbols, size_t count, void *table)
{
    const char *missing = NULL;

    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, symbols[i].name);

        if (!address && !missing)
            missing = symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &address, sizeof(address));
    }
    return missing;
}

bool api_library_load(struct api_library *library, const char *path, const char *verbs,
    char reason[static API_LIBRARY_REASON_BYTES])
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *verbs_handle = handle ? dlopen(verbs, RTLD_NOW | RTLD_GLOBAL) : NULL;
    const char *missing;

    if (!verbs_handle) {
        snprintf(reason, API_LIBRARY_REASON_BYTES, "%s", dlerror());
        return false;
    }
    find_symbols(
        handle, call_symbols, sizeof(call_symbols) / sizeof(call_symbols[0]), &library->calls);
    missing = find_symbols(verbs_handle, verb_symbols,
        sizeof(verb_symbols) / sizeof(verb_symbols[0]), &library->verbs);
    if (missing)
        snprintf(reason, API_LIBRARY_REASON_BYTES, "%s has no %s", verbs, missing);
    return !missing;
}

const char *api_library_verbs_of(const char *library, char *path, size_t path_bytes)
{
    const char *slash = strrchr(library, '/');
    int folder_bytes = slash ? (int)(slash - library) + 1 : 0;

    snprintf(path, path_bytes, "%.*slibmrc-verbs.so.1", folder_bytes, library);
    if (slash && access(path, R_OK) == 0)
        return path;
    snprintf(path, path_bytes, "libibverbs.so.1");
    return path;
}

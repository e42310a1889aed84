/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the library of a device, and opens the device. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "helper/helper.h"

static void *load_first(const char *chosen, const char *const *usual)
{
    void *library = chosen[0] ? dlopen(chosen, RTLD_NOW | RTLD_GLOBAL) : NULL;

    for (; !chosen[0] && !library && *usual; usual++)
        library = dlopen(*usual, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        fprintf(stderr, "mrc-conform-helper: %s\n", dlerror());
    return library;
}

/* POSIX lets a pointer to an object hold that of a function; C does not. */
static bool find_call(void *library, const char *name, void *to, bool is_required)
{
    void *found = dlsym(library, name);

    memcpy(to, &found, sizeof(found));
    if (!found && is_required)
        fprintf(stderr, "mrc-conform-helper: the library has no %s()\n", name);
    return found || !is_required;
}

bool helper_load(struct helper *helper, const char *library, const char *verbs)
{
    static const char *const libraries[] = { "libmrc.so.1", "libmrc.so", "lib_mrc.so", NULL };
    static const char *const verb_libraries[] = { "libmrc-verbs.so.1", "libibverbs.so.1", NULL };
    void *mrc = load_first(library, libraries);
    void *verb = mrc ? load_first(verbs, verb_libraries) : NULL;
    struct helper_calls *calls = &helper->calls;
    bool is_complete = mrc && verb && find_call(verb, "ibv_reg_mr", &calls->reg_mr, true);

#define CALL(name)    is_complete = is_complete && find_call(mrc, #name, &calls->name, true);
#define CONTROL(name) is_complete = is_complete && find_call(mrc, #name, &calls->name, false);
#define VERB(name)    is_complete = is_complete && find_call(verb, #name, &calls->name, true);
#include "helper/helper_calls.def"
#undef CALL
#undef CONTROL
#undef VERB
    return is_complete;
}

/* Returns the device with this name in a list; "": the first one; NULL: there is none. */
static struct ibv_device *find_device(
    const struct helper *helper, struct ibv_device **list, const char *name)
{
    for (; *list; list++)
        if (!name[0] || strcmp(helper->calls.ibv_get_device_name(*list), name) == 0)
            return *list;
    return NULL;
}

static struct ibv_context *open_named(struct helper *helper, const char *name)
{
    struct ibv_device **list = helper->calls.ibv_get_device_list(NULL);
    struct ibv_device *device = list ? find_device(helper, list, name) : NULL;
    struct ibv_context *verbs = NULL;

    errno = ENODEV;
    if (device) {
        snprintf(helper->device, sizeof(helper->device), "%s",
            helper->calls.ibv_get_device_name(device));
        verbs = helper->calls.ibv_open_device(device);
    }
    if (list)
        helper->calls.ibv_free_device_list(list);
    return verbs;
}

bool helper_open(struct helper *helper, const char *device)
{
    helper->verbs = open_named(helper, device);
    if (helper->verbs)
        helper->pd = helper->calls.ibv_alloc_pd(helper->verbs);
    if (helper->pd)
        helper->context = helper->calls.mrc_create_context(helper->verbs, NULL);
    if (helper->context)
        return true;
    fprintf(stderr, "mrc-conform-helper: device '%s': %s\n", device, strerror(errno));
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libxdp at run time, so that only users of AF_XDP need it. */
#include "pktio/xdp_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static struct xdp_library library;
static bool is_complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* C cannot cast a data pointer to a function pointer; POSIX guarantees the same representation. */
static bool find_function(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);

    memcpy(function, &symbol, sizeof(symbol));
    return symbol;
}

static void load_library(void)
{
    void *handle = dlopen("libxdp.so.1", RTLD_NOW | RTLD_LOCAL);
    void *(*set_print)(void *) = NULL;

    if (!handle)
        return;
    /* libbpf would write to standard error. */
    if (find_function(handle, "libbpf_set_print", &set_print))
        set_print(NULL);
    if (find_function(handle, "libxdp_set_print", &set_print))
        set_print(NULL);
    is_complete = find_function(handle, "xsk_umem__create", &library.umem_create) &&
                  find_function(handle, "xsk_umem__delete", &library.umem_delete) &&
                  find_function(handle, "xsk_socket__create", &library.socket_create) &&
                  find_function(handle, "xsk_socket__delete", &library.socket_delete) &&
                  find_function(handle, "xsk_socket__fd", &library.socket_fd);
}

const struct xdp_library *xdp_library(void)
{
    pthread_once(&once, load_library);
    return is_complete ? &library : NULL;
}

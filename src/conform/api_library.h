/* SPDX-License-Identifier: Apache-2.0 */
/* A library that implements mrc.h and mrc_ctl.h, and the verbs beside it, as tables of calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "mrc.h"
#include "mrc_ctl.h"

struct api_calls {
#define API_CALL(header, name) __typeof__(mrc_##name) *(name);
#include "conform/api_calls.def"
#undef API_CALL
};

/* The verbs that a program for mrc.h needs, as functions: some are macros in verbs.h. */
struct api_verbs {
    struct ibv_device **(*get_device_list)(int *count);
    void (*free_device_list)(struct ibv_device **);
    const char *(*get_device_name)(struct ibv_device *);
    struct ibv_context *(*open_device)(struct ibv_device *);
    int (*close_device)(struct ibv_context *);
    int (*query_device)(struct ibv_context *, struct ibv_device_attr *);
    int (*query_port)(struct ibv_context *, uint8_t port, struct _compat_ibv_port_attr *);
    int (*query_gid)(struct ibv_context *, uint8_t port, int index, union ibv_gid *);
    struct ibv_pd *(*alloc_pd)(struct ibv_context *);
    int (*dealloc_pd)(struct ibv_pd *);
    struct ibv_mr *(*reg_mr)(struct ibv_pd *, void *, size_t, int access);
    int (*dereg_mr)(struct ibv_mr *);
};

struct api_library {
    struct api_calls calls; /* NULL: the library has no such symbol */
    struct api_verbs verbs;
};

/* What the library lacks; see api_library_load(). */
#define API_LIBRARY_REASON_BYTES 256

/* Loads the library and then its verbs. Returns false and the reason if one cannot be loaded or a
 * verb is missing. Calls of MRC may be missing. */
bool api_library_load(struct api_library *, const char *library, const char *verbs,
    char reason[static API_LIBRARY_REASON_BYTES]);

/* Returns the verbs library that belongs to a library, for dlopen(): libmrc-verbs.so.1 in its
 * folder, or that of the system. */
const char *api_library_verbs_of(const char *library, char *path, size_t path_bytes);

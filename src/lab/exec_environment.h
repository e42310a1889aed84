/* SPDX-License-Identifier: Apache-2.0 */
/* The environment in which a verbs program finds the devices of libmrc. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    EXEC_VARIABLES_MAX = 24,
    EXEC_VALUE_BYTES = 2 * PATH_MAX + 4096,
};

struct exec_variable {
    const char *name;
    char value[EXEC_VALUE_BYTES];
};

struct exec_environment {
    size_t count;
    struct exec_variable variables[EXEC_VARIABLES_MAX];
};

struct exec_wish {
    char libraries[PATH_MAX]; /* the folder of libmrc-verbs.so.1 */
    const char *devices;      /* separated by commas; empty: all */
    bool preloads;            /* LD_PRELOAD instead of LD_LIBRARY_PATH */
};

/* Finds the folder relative to the running program. */
bool exec_environment_find_libraries(char folder[PATH_MAX]);

/* Does not change variables of collective libraries that the caller's environment sets. */
void exec_environment_make(struct exec_environment *, const struct exec_wish *);

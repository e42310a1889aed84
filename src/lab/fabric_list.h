/* SPDX-License-Identifier: Apache-2.0 */
/* The fabrics of this user that run or were left behind. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

enum fabric_kind {
    FABRIC_SOFT,   /* one process */
    FABRIC_SWITCH, /* network namespaces, `mrc switch` forwards */
    FABRIC_KERNEL, /* network namespaces, the kernel forwards */
    FABRIC_KIND_COUNT,
};

struct fabric_list_entry {
    const char *name;
    enum fabric_kind kind;
    bool is_running;
    pid_t pid; /* 0 if none or unknown */
    uint32_t first_device;
    uint32_t device_count;
};

/* Calls `visit` for each fabric in `root`, the folder of run_place_make(). */
void fabric_list_visit(const char *root,
    void (*visit)(void *context, const struct fabric_list_entry *), void *context);

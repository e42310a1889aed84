/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of this user. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_LIST_MAX        256
#define DEVICE_LIST_NAME_BYTES 64

struct device_list {
    char names[DEVICE_LIST_MAX][DEVICE_LIST_NAME_BYTES];
    uint32_t count;
};

/* Lists all devices that are described or that a process has open, mrc2 before mrc10. */
void device_list_read(struct device_list *);

/* Keeps only this device. Returns false if it is not in the list. */
bool device_list_keep(struct device_list *, const char *name);

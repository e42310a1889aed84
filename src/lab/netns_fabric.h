/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric of network namespaces and the process that forwards in them, started and stopped
 * together. */
#pragma once

#include <stdbool.h>

#include "lab/netns.h"

#define NETNS_FABRIC_PATH_BYTES   300
#define NETNS_FABRIC_REASON_BYTES 400

struct netns_fabric {
    struct netns netns;
    const char *file; /* of the fabric, for `mrc switch` */
    const char *seed; /* NULL: that of the fabric */
    bool is_paced;
};

enum netns_fabric_result {
    NETNS_FABRIC_UP,
    NETNS_FABRIC_WAS_UP,
    NETNS_FABRIC_OTHER,  /* another fabric has this name */
    NETNS_FABRIC_FAILED, /* `reason` is set; nothing is left behind */
    NETNS_FABRIC_RESULT_COUNT,
};

void netns_fabric_folder(
    const char *root, const char *prefix, char out[static NETNS_FABRIC_PATH_BYTES]);

/* Builds the namespaces and starts the switches. Returns when they forward. */
enum netns_fabric_result netns_fabric_up(
    const struct netns_fabric *, char reason[static NETNS_FABRIC_REASON_BYTES]);

/* Removes everything of this name: process, namespaces, devices, folder. Returns 0, or a negative
 * errno if the namespaces cannot be removed. */
int netns_fabric_down(const char *root, const char *prefix);

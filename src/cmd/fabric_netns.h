/* SPDX-License-Identifier: Apache-2.0 */
/* What bringing namespace fabrics up and down has in common: the folder, the switch process. */
#pragma once

#include <stdbool.h>

#include "cmd/cmd.h"

#define FABRIC_NETNS_PATH_BYTES  300
#define FABRIC_NETNS_PATIENCE_MS 10000 /* closing hundreds of packet sockets takes seconds */

struct netns;
struct netns_state;

/* How to run `mrc switch`. */
struct fabric_netns_switch {
    const char *file;
    const char *seed; /* NULL: its own */
    bool is_paced;
};

void fabric_netns_folder(
    const char *root, const char *prefix, char out[static FABRIC_NETNS_PATH_BYTES]);

/* In the background; returns when the switches forward. Complains if they do not. */
enum cmd_status fabric_netns_start(const struct netns *, const struct fabric_netns_switch *,
    const char *folder, struct netns_state *);

/* Whatever there is under this name goes: process, namespaces, devices, folder. */
enum cmd_status fabric_netns_clean(const char *root, const char *prefix);

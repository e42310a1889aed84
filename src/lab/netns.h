/* SPDX-License-Identifier: Apache-2.0 */
/* A namespace fabric: a network namespace for each host and each switch, a pair of interfaces for
 * each cable, and a bridge that joins the hosts. It is built and removed with ip(8), which needs
 * root. The switches are a process of ours (soft.h) or the kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lab/netns_name.h"
#include "plan/plan.h"

#define NETNS_FOLDER "/run/netns"

struct netns {
    const struct plan *fabric;
    const char *root;   /* the folder of all devices */
    const char *prefix; /* of the namespaces, and the name of the fabric */
    bool is_kernel;     /* the kernel forwards */
    uint32_t slower;    /* as in soft.h; at least 1 */
};

/* Builds everything but the switch process. Returns 0 or a negative errno: -ENOPKG if there is no
 * ip(8), -EREMOTEIO if ip(8) failed. */
int netns_build(const struct netns *);
/* Sets interfaces up and restores routes and addresses that were changed. */
int netns_repair(const struct netns *);
/* Returns whether all namespaces of this fabric exist. */
bool netns_is_whole(const struct netns *);

/* Removes the namespaces and devices of any fabric with this prefix. Returns the number of
 * namespaces, or a negative errno. */
int netns_remove(const char *root, const char *prefix);

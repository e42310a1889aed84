/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `ip -batch`: the caller writes lines, and the child executes them. */
#pragma once

#include <stdio.h>
#include <sys/types.h>

struct netns_batch {
    FILE *lines; /* written by the caller */
    pid_t child;
};

/* Runs in the current namespace of the calling thread. Returns 0 or a negative errno: -ENOPKG if
 * there is no ip(8). */
int netns_batch_begin(struct netns_batch *);
/* Waits until it has ended. Returns 0, or -EREMOTEIO if it failed; its messages are on standard
 * error. */
int netns_batch_end(struct netns_batch *);

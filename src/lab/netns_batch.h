/* SPDX-License-Identifier: Apache-2.0 */
/* Running `ip -batch`: the caller writes lines, the child works on them. */
#pragma once

#include <stdio.h>
#include <sys/types.h>

struct netns_batch {
    FILE *lines; /* to be written by the caller */
    pid_t child;
};

/* In the namespace in which the calling thread is. 0 or a negative errno: -ENOPKG: no ip(8). */
int netns_batch_begin(struct netns_batch *);
/* Waits until it is through. 0; -EREMOTEIO: it complained, on standard error. */
int netns_batch_end(struct netns_batch *);

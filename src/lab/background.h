/* SPDX-License-Identifier: Apache-2.0 */
/* A process that moves to the background when it is ready. */
#pragma once

#include <stdbool.h>

#define BACKGROUND_REASON_BYTES 120

struct background {
    int ready;       /* in the child: for background_detach() */
    int exit_status; /* in the parent: 0 if the child is ready, otherwise its exit status */
    char reason[BACKGROUND_REASON_BYTES]; /* empty if the child has printed the reason */
};

/* Forks. Returns true in the child. Returns false in the parent when the child is ready or has
 * ended, or if it could not be started. */
bool background_fork(struct background *);

/* The child is ready: it leaves the terminal and writes further messages to the file `log` of its
 * folder. */
void background_detach(const struct background *, const char *root, const char *name);

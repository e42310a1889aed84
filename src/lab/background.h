/* SPDX-License-Identifier: Apache-2.0 */
/* A process that goes on in the background once it is ready. */
#pragma once

#include <stdbool.h>

#define BACKGROUND_REASON_BYTES 120

struct background {
    int ready;       /* in the child: what background_detach() needs */
    int exit_status; /* in the parent: 0: the child is ready; otherwise as it ended */
    char reason[BACKGROUND_REASON_BYTES]; /* empty: the child has said why */
};

/* Forks. True in the child. False in the parent, when the child is ready or has ended, or could not
 * be started. */
bool background_fork(struct background *);

/* The child is ready: it leaves the terminal, and what it complains about from now on is in the
 * file `log` of its folder. */
void background_detach(const struct background *, const char *root, const char *name);

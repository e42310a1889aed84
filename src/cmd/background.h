/* SPDX-License-Identifier: Apache-2.0 */
/* A command that goes on in the background once it is ready. */
#pragma once

#include <stdbool.h>

#include "cmd/cmd.h"

/* Forks. True in the child, which reports on `*ready`. False in the parent, when the child is ready
 * or has ended: *status says which. */
bool background_fork(const char *command, int *ready, enum cmd_status *status);

/* The child is ready: it leaves the terminal, and what it complains about from now on is in the
 * file `log` of its folder. */
void background_detach(int ready, const char *root, const char *name);

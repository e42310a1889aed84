/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written completely or not at all: a reader finds either the old or the new
 * contents. */
#pragma once

#include <stdio.h>

/* `write` returns 0 or a negative errno, and so does this function. If `path` exists and is not an
 * ordinary file (a pipe or a device), it is written directly. */
int whole_file_write(const char *path, int (*write)(FILE *, void *what), void *what);

/* Checks whether the file could be written now. Returns 0 or a negative errno. Leaves no file
 * behind. */
int whole_file_try(const char *path);

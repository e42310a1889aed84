/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read as a whole, or written completely or not at all: a reader finds either the
 * old or the new contents. */
#pragma once

#include <stdio.h>

/* `write` returns 0 or a negative errno, and so does this function. If `path` exists and is not an
 * ordinary file (a pipe or a device), it is written directly. */
int whole_file_write(const char *path, int (*write)(FILE *, void *what), void *what);

/* Checks whether the file could be written now. Returns 0 or a negative errno. Leaves no file
 * behind. */
int whole_file_try(const char *path);

/* Returns the text of a file up to its first NUL, which the caller frees, or NULL if the file
 * cannot be read or is empty. */
char *whole_file_text(const char *path);

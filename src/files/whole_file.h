/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written as a whole or not at all: whoever opens one finds the old or the new. */
#pragma once

#include <stdio.h>

/* `write` yields 0 or a negative errno, as the whole does. What is there and no ordinary file, a
 * pipe or a device, stays what it is and is written into. */
int whole_file_write(const char *path, int (*write)(FILE *, void *what), void *what);

/* Could it be, as far as one can tell now? 0 or a negative errno. Leaves nothing behind. */
int whole_file_try(const char *path);

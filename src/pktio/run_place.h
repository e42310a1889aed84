/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of running devices and fabrics are: RUN/mrc/NAME/FILE. RUN is $MRC_RUN_DIR, or
 * /run for root, or $XDG_RUNTIME_DIR, or /tmp/mrc-UID. */
#pragma once

#include <stddef.h>

/* Writes the path; `name` or `file` may be NULL: the folder above. Makes nothing. 0 or
 * -ENAMETOOLONG.
 */
int run_place(char *path, size_t room_bytes, const char *name, const char *file);

/* RUN/mrc, made for its user alone if it is not there. 0 or a negative errno; -EPERM: another user
 * has prepared it. */
int run_place_make(char *path, size_t room_bytes);

/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of the files of running devices and fabrics: RUN/mrc/NAME/FILE. RUN is $MRC_RUN_DIR, or
 * /run for root, or $XDG_RUNTIME_DIR, or /tmp/mrc-UID. */
#pragma once

#include <stddef.h>

/* Writes the path; `file`, or `name` and `file`, may be NULL for the folder above. Creates nothing.
 * Returns 0 or -ENAMETOOLONG. */
int run_place(char *path, size_t room_bytes, const char *name, const char *file);

#define RUN_PLACE_BYTES 200 /* of the path that run_place_make() writes */

/* Writes the path RUN/mrc and creates this folder, accessible only to its user, if it does not
 * exist. Returns 0 or a negative errno: -EPERM if another user has created it. */
int run_place_make(char *path, size_t room_bytes);

/* SPDX-License-Identifier: Apache-2.0 */
/* The folder in which mrcd keeps everything: its store, token, certificates, and the address at
 * which it listens. Only its user can read it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/ctl_store.h"

#define CTL_PATH_BYTES  384
#define CTL_TOKEN_BYTES 65 /* with its terminating zero */

struct ctl_folder {
    char path[CTL_PATH_BYTES];
    int lock; /* of the process that runs on it; -1: none */
};

/* Writes the path of the folder: `given`, or $MRCD_STATE, or /var/lib/mrcd for root, or
 * $XDG_STATE_HOME/mrcd, or ~/.local/state/mrcd. Returns false if it is too long. */
bool ctl_folder_name(struct ctl_folder *, const char *given);
/* Writes the path of a file in it. */
void ctl_folder_file(const struct ctl_folder *, const char *name, char out[static CTL_PATH_BYTES]);

/* Creates the folder and the token if they do not exist. Returns 0 or a negative errno. */
int ctl_folder_create(const struct ctl_folder *);
/* Takes the folder for this process. -EBUSY: another mrcd runs on it. */
int ctl_folder_take(struct ctl_folder *);

/* Reads a file of 1 MiB at most; the caller frees the text. NULL: errno has the reason, EFBIG if it
 * is larger. */
char *ctl_folder_read(const struct ctl_folder *, const char *name);
/* Writes a file that only its user can read, replacing it as a whole. */
int ctl_folder_write(const struct ctl_folder *, const char *name, const char *text);
/* Appends a short text to such a file, as a whole. If root does, the file is given to the owner of
 * the folder. -EFBIG: it would be too large to be read. */
int ctl_folder_append(const struct ctl_folder *, const char *name, const char *text);
/* Writes a file and the folder that its name contains. Returns 0 or a negative errno. */
int ctl_folder_make(const struct ctl_folder *, const char *name);

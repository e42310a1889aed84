/* SPDX-License-Identifier: Apache-2.0 */
/* The file `revoked` of a state folder, to which `mrcd revoke` appends: notices its changes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ctl/ctl_folder.h"

/* The file as it was last read. */
struct ctl_revoked {
    bool is_listed; /* there was one */
    uint64_t inode;
    int64_t bytes;
    struct timespec changed;
};

/* Reads the file if it is not the one that was last read. The caller frees the text; NULL: there is
 * nothing new. Returns 0 or a negative errno, and a reason that names the file: it is there and
 * cannot be read, or it is gone. */
int ctl_revoked_read(struct ctl_revoked *, const struct ctl_folder *, char **text,
    char reason[static CTL_REASON_BYTES]);

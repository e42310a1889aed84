/* SPDX-License-Identifier: Apache-2.0 */
/* A device is a folder: RUN/mrc/NAME. What belongs to the device and not to a process lives there
 * in files, which outlive processes.
 *
 *     config          the device's description, where a soft fabric has made the device
 *     lock            held for the moment of a change
 *     owner           held by the process that has QPs, MRs and ports, one at a time; names it
 *     ports, fmt.ID, ev.ID, cc.ID     records (api/record.h), always replaced as a whole
 *     ev.ID.use, cc.ID.use            held, shared, while QPs use the profile
 *     ev.ID.seen                      what the owner's QPs know of its EVs, a byte each
 *     events, events.bell             EV events for whoever listens (api/event_ring.h)
 *
 * RUN is $MRC_RUN_DIR, or /run for root, or $XDG_RUNTIME_DIR, or /tmp/mrc-UID. Folders are made
 * for their user alone (0700); a user that opens them to others lets these look, but not lock.
 * Locks are the kernel's (flock), so none outlives the process that took it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FOLDER_NAME_BYTES 64
#define FOLDER_PATH_BYTES 512

struct folder {
    char path[FOLDER_PATH_BYTES];
    int fd;
    pid_t user; /* that opened it */
};

/* All calls return 0 or a negative errno unless they say otherwise. */

/* RUN/mrc; made if it is not there. */
int folder_root(char path[FOLDER_PATH_BYTES]);

/* Letters, digits, '-' and '_', at most FOLDER_NAME_BYTES - 1 of them, beginning with a letter. */
bool folder_name_is_valid(const char *name);

/* Makes the folder if it is not there. */
int folder_open(struct folder *, const char *name);
void folder_close(struct folder *);

/* 0, or -EPERM: the caller neither owns the folder nor has CAP_NET_ADMIN. */
int folder_check_privilege(const struct folder *);

enum folder_lock {
    FOLDER_LOCK_SHARED,
    FOLDER_LOCK_EXCLUSIVE,
};

/* Returns a descriptor that holds the lock until it is closed, or a negative errno. _try_: -EBUSY
 * when another process has it. The other waits a few seconds, then -ETIMEDOUT. */
int folder_lock(const struct folder *, const char *file);
int folder_try_lock(const struct folder *, const char *file, enum folder_lock);

/* Makes this process the owner until the descriptor is closed. Returns it, or a negative errno:
 * -EBUSY: there is another. */
int folder_own(const struct folder *);
struct process_lock_holder;
bool folder_owner(const struct folder *, struct process_lock_holder *);

/* SPDX-License-Identifier: Apache-2.0 */
/* A device is a folder: RUN/mrc/NAME. State that belongs to the device and not to a process is kept
 * there in files, which outlive processes.
 *
 *     config          the device's description, if a soft fabric has made the device
 *     lock            held during a change
 *     owner           held by the one process with QPs, MRs and ports; contains its name
 *     loan, wanted    held by an owner that gives the device back, and by a process that waits
 *     ports, fmt.ID, ev.ID, cc.ID     records (api/record.h), always replaced as a whole
 *     ev.ID.use, cc.ID.use            held (shared) while QPs use the profile
 *     ev.ID.seen                      the states of its EVs in the owner's QPs, a byte each
 *     events, events.bell             EV events for all readers (api/event_ring.h)
 *
 * RUN is $MRC_RUN_DIR, or /run for root, or $XDG_RUNTIME_DIR, or /tmp/mrc-UID. Folders are
 * private (0700). If their user makes them readable for others, these can read, but not lock.
 * Locks are those of the kernel (flock), which releases them when their process ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FOLDER_NAME_BYTES 64
#define FOLDER_PATH_BYTES 512

struct folder {
    char path[FOLDER_PATH_BYTES];
    int fd;
    pid_t user; /* the process that opened it */
};

/* All calls return 0 or a negative errno unless they say otherwise. */

/* Writes the path RUN/mrc and creates the folder if it does not exist. */
int folder_root(char path[FOLDER_PATH_BYTES]);

/* A valid name has letters, digits, '-' and '_', begins with a letter, and is shorter than
 * FOLDER_NAME_BYTES. */
bool folder_name_is_valid(const char *name);

/* Creates the folder if it does not exist. */
int folder_open(struct folder *, const char *name);
void folder_close(struct folder *);

/* Returns 0, or -EPERM if the caller neither owns the folder nor has CAP_NET_ADMIN. */
int folder_check_privilege(const struct folder *);

enum folder_lock {
    FOLDER_LOCK_SHARED,
    FOLDER_LOCK_EXCLUSIVE,
};

/* Return a descriptor that holds the lock until it is closed, or a negative errno.
 * folder_try_lock() returns -EBUSY if another process holds it. folder_lock() waits a few seconds
 * and then returns -ETIMEDOUT. */
int folder_lock(const struct folder *, const char *file);
int folder_try_lock(const struct folder *, const char *file, enum folder_lock);

/* Makes this process the owner until the descriptor is closed. Waits for an owner that has borrowed
 * the device (control/device_loan.h). Returns the descriptor or a negative errno: -EBUSY if there
 * is another owner. */
int folder_own(const struct folder *);
struct process_lock_holder;
bool folder_owner(const struct folder *, struct process_lock_holder *);

/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a process locks while it runs, and into which it writes its ID and name. The kernel
 * releases the lock when the process ends. Querying a lock does not take it. */
#pragma once

#include <stdbool.h>

struct process_lock_holder {
    int pid; /* 0 if unknown */
    char program[64];
};

/* Creates the file if it does not exist. Returns a descriptor that holds the lock until it is
 * closed, or a negative errno: -EBUSY if another process holds it. Waits ten seconds for a holder
 * that is exiting, and a third of a second for any other, because it may have been told to exit. */
int process_lock_take(const char *path);
/* Takes the lock without waiting. */
int process_lock_try(const char *path);

/* Announces that the process releases the lock soon, so that others wait for it. */
void process_lock_retire(int lock);
/* Releases the lock and removes the file. */
void process_lock_remove(int lock, const char *path);

/* Returns whether a process holds the lock. */
bool process_lock_look(const char *path, struct process_lock_holder *);

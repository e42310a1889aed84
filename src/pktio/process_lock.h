/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a process locks for as long as it lives, and in which it writes its number and name.
 * The lock is the kernel's: it ends with the process, and looking at it does not take it. */
#pragma once

#include <stdbool.h>

struct process_lock_holder {
    int pid; /* 0: not known */
    char program[64];
};

/* Makes the file if it is not there. Returns a descriptor that holds the lock until it is closed,
 * or a negative errno: -EBUSY: another process has it. A process that is ending, by itself or
 * because it was killed, is waited for, for ten seconds; any other one for a third of a second,
 * because it may have been told to end. */
int process_lock_take(const char *path);
/* The same without waiting. */
int process_lock_try(const char *path);

/* The process is about to let go: others need not give up. */
void process_lock_retire(int lock);
/* Lets go and takes the file away. */
void process_lock_remove(int lock, const char *path);

/* True: some process has the lock. */
bool process_lock_look(const char *path, struct process_lock_holder *);

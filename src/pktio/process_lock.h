/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a process locks for as long as it lives, and in which it says who it is. The lock is
 * the kernel's: it ends with the process, and looking at it does not take it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct process_lock_holder {
    int pid; /* 0: not known */
    char program[64];
};

/* Makes the file if it is not there. Returns a descriptor that holds the lock until it is closed,
 * or a negative errno: -EBUSY: another process has it. One that is about to let go is waited for,
 * for `patience_ms`. */
int process_lock_take(const char *path, uint32_t patience_ms);

/* The process is about to let go: others need not give up. */
void process_lock_retire(int lock);
/* Lets go and takes the file away. */
void process_lock_remove(int lock, const char *path);

/* True: some process has the lock. */
bool process_lock_look(const char *path, struct process_lock_holder *);

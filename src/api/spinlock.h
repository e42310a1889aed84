/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that is held for a few hundred nanoseconds: one per QP and one per completion queue. */
#pragma once

#include <sched.h>
#include <stdatomic.h>

struct spinlock {
    atomic_flag taken;
};

static inline void spinlock_init(struct spinlock *lock)
{
    atomic_flag_clear_explicit(&lock->taken, memory_order_relaxed);
}

/* Yields after a while: the holder may have lost its processor. */
static inline void spinlock_lock(struct spinlock *lock)
{
    for (unsigned int tries = 1;
         atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire); tries++)
        if (tries % 64 == 0)
            sched_yield();
}

static inline void spinlock_unlock(struct spinlock *lock)
{
    atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

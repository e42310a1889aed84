/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the share of time for clients that attach or send requests. */
#include "lab/caller_share.h"

#include <time.h>

enum { PAUSE_PER_USE = 9, PS_PER_NS = 1000 };

uint64_t caller_share_begin_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

uint64_t caller_share_pause_ps(uint64_t begin_ns)
{
    return (caller_share_begin_ns() - begin_ns) * PAUSE_PER_USE * PS_PER_NS;
}

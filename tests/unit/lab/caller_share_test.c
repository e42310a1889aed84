/* SPDX-License-Identifier: Apache-2.0 */
/* The share of time that those who attach or ask get. */
#include "lab/caller_share.h"

#include <time.h>

#include "spec.h"

SPEC("a client that was served waits nine times as long as its answer took")
{
    uint64_t begin_ns = caller_share_begin_ns();
    uint64_t end_ns;

    do
        end_ns = caller_share_begin_ns();
    while (end_ns - begin_ns < 100000);
    EXPECT_GE(caller_share_pause_ps(begin_ns), (end_ns - begin_ns) * 9000);
}

SPEC("time in which the process was not scheduled is not counted")
{
    const struct timespec sleep = { .tv_nsec = 50000000 };
    uint64_t begin_ns = caller_share_begin_ns();
    uint64_t pause_ps;

    nanosleep(&sleep, NULL);
    pause_ps = caller_share_pause_ps(begin_ns);
    EXPECT_LE(pause_ps, (caller_share_begin_ns() - begin_ns) * 9000);
    EXPECT_LT(pause_ps, 9 * (uint64_t)sleep.tv_nsec * 1000);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the controller, as an agent knows it. Clocks of machines differ by any amount and
 * drift; only intervals of each are trusted. An answer of the controller has its time, which was
 * read between the request and the answer: the difference of the clocks is known to within half of
 * this interval. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ctl_pace {
    bool is_known;
    int64_t offset_ms; /* what the controller's clock is ahead of ours */
};

/* A request left at `sent_ms` and was answered at `heard_ms`, both on our clock; the controller
 * read `theirs_ms` in between. Keeps the offset if that is possible, and otherwise changes it as
 * little as necessary. */
static inline void ctl_pace_hear(
    struct ctl_pace *pace, uint64_t sent_ms, uint64_t heard_ms, uint64_t theirs_ms)
{
    int64_t least_ms = (int64_t)(theirs_ms - heard_ms);
    int64_t most_ms = (int64_t)(theirs_ms - sent_ms);

    if (!pace->is_known)
        pace->offset_ms = least_ms + (most_ms - least_ms) / 2;
    else if (pace->offset_ms < least_ms)
        pace->offset_ms = least_ms;
    else if (pace->offset_ms > most_ms)
        pace->offset_ms = most_ms;
    pace->is_known = true;
}

/* Returns the controller's time. */
static inline uint64_t ctl_pace_ms(const struct ctl_pace *pace, uint64_t our_ms)
{
    return our_ms + (uint64_t)pace->offset_ms;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Cache lines that are about to be written, asked for ahead. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { FETCH_AHEAD_LINE = 64 };

/* The lines from `first` on that hold so many bytes. They come for this processor alone: one that
 * comes to be read, which is what compilers make of __builtin_prefetch() on x86 unless they may use
 * all that newer processors have, is asked for a second time when it is written. */
static inline void fetch_ahead_to_write(const uint8_t *first, size_t length_bytes)
{
    for (size_t at = 0; at < length_bytes; at += FETCH_AHEAD_LINE) {
#if defined(__x86_64__)
        __asm__ volatile("prefetchw %0" : : "m"(first[at]));
#else
        __builtin_prefetch(first + at, 1);
#endif
    }
}

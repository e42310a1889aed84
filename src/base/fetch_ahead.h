/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetches cache lines that are about to be written. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { FETCH_AHEAD_LINE = 64 };

/* Prefetches the lines of `length_bytes` from `first` on, for exclusive use by this processor. A
 * line that is prefetched for reading must be requested again when it is written; on x86, compilers
 * turn __builtin_prefetch() into such a prefetch unless newer instructions are enabled. */
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

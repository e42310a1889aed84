/* SPDX-License-Identifier: Apache-2.0 */
/* A short pause for polling loops. */
#pragma once

/* Gives resources of the core to its other hardware thread, if there is one. */
static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

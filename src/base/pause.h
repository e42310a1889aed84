/* SPDX-License-Identifier: Apache-2.0 */
/* A moment for who looks again and again for something to do. */
#pragma once

/* Lets the other thread of the processor core work meanwhile, where there is one. */
static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Applications watch memory while it is written. Every store is therefore naturally aligned, and
 * stores stay in order. x86 keeps the order if the compiler does; on other processors each store
 * waits for the previous ones. */
#include "host/memory_copy.h"

#include <string.h>

typedef uint64_t block __attribute__((vector_size(16), may_alias));
typedef uint64_t loose_block __attribute__((vector_size(16), may_alias, aligned(1)));

enum { BLOCK = sizeof(block), WORD = sizeof(uint64_t) };

#if defined(__x86_64__)
#define IN_ORDER() __atomic_signal_fence(__ATOMIC_RELEASE)
#else
#define IN_ORDER() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

static inline void store_word(uint8_t *to, const uint8_t *from)
{
    uint64_t word;

    memcpy(&word, from, sizeof(word));
    __atomic_store_n((uint64_t *)(void *)to, word, __ATOMIC_RELEASE);
}

/* Stores 1, 2, 4 or 8 bytes at once. */
static void store_part(uint8_t *to, const uint8_t *from, uint32_t size)
{
    uint32_t four;
    uint16_t two;

    switch (size) {
    case 8:
        store_word(to, from);
        break;
    case 4:
        memcpy(&four, from, sizeof(four));
        __atomic_store_n((uint32_t *)(void *)to, four, __ATOMIC_RELEASE);
        break;
    case 2:
        memcpy(&two, from, sizeof(two));
        __atomic_store_n((uint16_t *)(void *)to, two, __ATOMIC_RELEASE);
        break;
    default:
        __atomic_store_n(to, *from, __ATOMIC_RELEASE);
    }
}

/* Copies up to the first address that is aligned for blocks, or to the end. Returns the number of
 * bytes. */
static uint32_t store_head(uint8_t *to, const uint8_t *from, uint32_t length_bytes)
{
    uint32_t done = 0;

    for (uint32_t size = 1; size < BLOCK; size *= 2)
        if ((uintptr_t)(to + done) & size && length_bytes - done >= size) {
            store_part(to + done, from + done, size);
            done += size;
        }
    return done;
}

/* Copies the bytes after the last complete word. */
static void store_tail(uint8_t *to, const uint8_t *from, uint32_t length_bytes)
{
    uint32_t done = 0;

    for (uint32_t size = WORD / 2; size > 0; size /= 2)
        if (length_bytes & size) {
            store_part(to + done, from + done, size);
            done += size;
        }
}

/* A reader that watches a block while it is written is intended, not a data race to report. */
__attribute__((no_sanitize("thread"))) static inline void store_block(uint8_t *to, block bytes)
{
    IN_ORDER();
    *(volatile block *)(void *)to = bytes;
}

/* Reading a few blocks ahead makes it as fast as memcpy(). */
static inline void store_four(uint8_t *to, const loose_block *in)
{
    block first = in[0], second = in[1], third = in[2], fourth = in[3];

    store_block(to, first);
    store_block(to + BLOCK, second);
    store_block(to + (size_t)2 * BLOCK, third);
    store_block(to + (size_t)3 * BLOCK, fourth);
}

/* Copies all but the last block or less and returns the number of bytes. */
static uint32_t store_blocks(uint8_t *to, const uint8_t *from, uint32_t length_bytes)
{
    const loose_block *in = (const loose_block *)(const void *)from;
    uint32_t done = 0;

    for (; length_bytes - done > 8 * BLOCK; done += 8 * BLOCK, in += 8) {
        store_four(to + done, in);
        store_four(to + done + (size_t)4 * BLOCK, in + 4);
    }
    for (; length_bytes - done > BLOCK; done += BLOCK)
        store_block(to + done, *in++);
    return done;
}

void memory_copy(uint8_t *to, const uint8_t *from, uint32_t length_bytes)
{
    uint32_t done = 0;

    if ((uintptr_t)to % BLOCK)
        done = store_head(to, from, length_bytes);
    if (length_bytes - done > BLOCK)
        done += store_blocks(to + done, from + done, length_bytes - done);
    for (; length_bytes - done >= WORD; done += WORD)
        store_word(to + done, from + done);
    if (done < length_bytes)
        store_tail(to + done, from + done, length_bytes - done);
}

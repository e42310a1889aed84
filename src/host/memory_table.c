/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory. Keys are random, so a guess hits nothing, and spread by themselves. */
#include "host/memory_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/power.h"

int memory_table_init(struct memory_table *table, uint32_t entry_count_max)
{
    uint32_t slot_count = 2 * power_of_two_at_least(entry_count_max);

    *table = (struct memory_table){ .entries = calloc(entry_count_max, sizeof(*table->entries)),
        .slots = calloc(slot_count, sizeof(*table->slots)),
        .slot_mask = slot_count - 1,
        .entry_count_max = entry_count_max };
    if (table->entries && table->slots)
        return 0;
    memory_table_fini(table);
    return -ENOMEM;
}

void memory_table_fini(struct memory_table *table)
{
    free(table->entries);
    free(table->slots);
    table->entries = NULL;
    table->slots = NULL;
}

uint32_t memory_table_find(const struct memory_table *table, uint32_t key)
{
    uint32_t at = key & table->slot_mask;

    if (key == 0)
        return MEMORY_TABLE_NONE;
    for (; table->slots[at]; at = (at + 1) & table->slot_mask)
        if (table->entries[table->slots[at] - 1].key == key)
            return table->slots[at] - 1;
    return MEMORY_TABLE_NONE;
}

static void insert(struct memory_table *table, uint32_t index)
{
    uint32_t at = table->entries[index].key & table->slot_mask;

    while (table->slots[at])
        at = (at + 1) & table->slot_mask;
    table->slots[at] = index + 1;
}

int memory_table_add(
    struct memory_table *table, const struct host_region *region, uint32_t random, uint32_t *key)
{
    uintptr_t start = (uintptr_t)region->address;
    uint32_t index = table->first_free;

    if (region->length_bytes == 0 || start + region->length_bytes < start ||
        region->remote_va + region->length_bytes < region->remote_va)
        return -EINVAL;
    if (table->entry_count == table->entry_count_max)
        return -ENOMEM;
    while (random == 0 || random == UINT32_MAX ||
           memory_table_find(table, random) != MEMORY_TABLE_NONE)
        random = random * 2654435761u + 1;
    while (table->entries[index].key)
        index++;
    table->entries[index] = (struct memory_entry){ .region = *region, .key = random };
    table->first_free = index + 1;
    table->entry_count++;
    insert(table, index);
    *key = random;
    return 0;
}

/* The slots are built anew: a gap would hide keys behind it, and this is rare. */
int memory_table_remove(struct memory_table *table, uint32_t key)
{
    uint32_t index = memory_table_find(table, key);

    if (index == MEMORY_TABLE_NONE)
        return -ENOENT;
    table->entries[index].key = 0;
    table->entry_count--;
    if (index < table->first_free)
        table->first_free = index;
    memset(table->slots, 0, ((size_t)table->slot_mask + 1) * sizeof(*table->slots));
    for (uint32_t i = 0; i < table->entry_count_max; i++)
        if (table->entries[i].key)
            insert(table, i);
    return 0;
}

uint8_t *memory_table_resolve(const struct memory_table *table, const struct memory_want *want)
{
    uint32_t index = memory_table_find(table, want->key);
    const struct host_region *region;
    uint64_t offset;

    if (index == MEMORY_TABLE_NONE)
        return NULL;
    region = &table->entries[index].region;
    offset = want->va - region->remote_va;
    if (region->domain != want->domain || (region->access & want->access) != want->access ||
        want->va < region->remote_va || want->length_bytes > region->length_bytes ||
        offset > region->length_bytes - want->length_bytes)
        return NULL;
    return (uint8_t *)region->address + offset;
}

/* ---- copying ----------------------------------------------------------------------------------
 *
 * Programs watch memory while it is written, so every store is of a size that its address is a
 * multiple of, and none overtakes another. x86 keeps stores in order if the compiler does; where
 * the processor does not, each waits for those before it. */

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

/* One store of 1, 2, 4 or 8 bytes. */
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

/* Up to the first address for a block, or as far as the bytes reach; yields how many. */
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

/* What is left behind the last word, or is less than one. */
static void store_tail(uint8_t *to, const uint8_t *from, uint32_t length_bytes)
{
    uint32_t done = 0;

    for (uint32_t size = WORD / 2; size > 0; size /= 2)
        if (length_bytes & size) {
            store_part(to + done, from + done, size);
            done += size;
        }
}

/* Who watches a block while it comes is no mistake that a sanitizer should report. */
__attribute__((no_sanitize("thread"))) static inline void store_block(uint8_t *to, block bytes)
{
    IN_ORDER();
    *(volatile block *)(void *)to = bytes;
}

/* All but the last block or less; yields how many bytes that was. Reading a few blocks ahead makes
 * it as fast as memcpy(). */
static uint32_t store_blocks(uint8_t *to, const uint8_t *from, uint32_t length_bytes)
{
    const loose_block *in = (const loose_block *)(const void *)from;
    uint32_t done = 0;

    for (; length_bytes - done > 4 * BLOCK; done += 4 * BLOCK, in += 4) {
        block first = in[0], second = in[1], third = in[2], fourth = in[3];

        store_block(to + done, first);
        store_block(to + done + BLOCK, second);
        store_block(to + done + 2 * BLOCK, third);
        store_block(to + done + 3 * BLOCK, fourth);
    }
    for (; length_bytes - done > BLOCK; done += BLOCK)
        store_block(to + done, *in++);
    return done;
}

void memory_table_copy(uint8_t *to, const uint8_t *from, uint32_t length_bytes)
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

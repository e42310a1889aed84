/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory. Keys are random, so that they cannot be guessed and are evenly distributed. */
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

/* The index of a key; MEMORY_TABLE_NONE: no such key. */
static uint32_t memory_table_find(const struct memory_table *table, uint32_t key)
{
    uint32_t at = key & table->slot_mask;

    if (key == 0)
        return MEMORY_TABLE_NONE;
    for (; table->slots[at]; at = (at + 1) & table->slot_mask)
        if (table->entries[table->slots[at] - 1].key == key)
            return table->slots[at] - 1;
    return MEMORY_TABLE_NONE;
}

static void insert_entry(struct memory_table *table, uint32_t index)
{
    uint32_t at = table->entries[index].key & table->slot_mask;

    while (table->slots[at])
        at = (at + 1) & table->slot_mask;
    table->slots[at] = index + 1;
}

static bool is_sound(const struct host_region *region)
{
    uintptr_t start = (uintptr_t)region->address;

    return region->length_bytes > 0 && start + region->length_bytes >= start &&
           region->remote_va + region->length_bytes >= region->remote_va;
}

static int replace_region(
    struct memory_table *table, const struct host_region *region, uint32_t *key)
{
    uint32_t index = memory_table_find(table, region->key);

    if (index == MEMORY_TABLE_NONE)
        return -ENOENT;
    table->entries[index].region = *region;
    *key = region->key;
    return 0;
}

int memory_table_add(
    struct memory_table *table, const struct host_region *region, uint32_t random, uint32_t *key)
{
    uint32_t index = table->first_free;

    if (!is_sound(region))
        return -EINVAL;
    if (region->key)
        return replace_region(table, region, key);
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
    insert_entry(table, index);
    *key = random;
    return 0;
}

/* Rebuilds the slots: a gap would hide keys after it, and removal is rare. */
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
            insert_entry(table, i);
    return 0;
}

/* As memory_table_find(), beginning with the entry that `last` refers to. */
static uint32_t find_again(const struct memory_table *table, uint32_t key, uint32_t last)
{
    return key != 0 && table->entries[last].key == key ? last : memory_table_find(table, key);
}

uint8_t *memory_table_resolve(
    const struct memory_table *table, const struct memory_want *want, uint32_t *last)
{
    uint32_t index = find_again(table, want->key, *last);
    const struct host_region *region;
    uint64_t offset;

    if (index == MEMORY_TABLE_NONE)
        return NULL;
    *last = index;
    region = &table->entries[index].region;
    offset = want->va - region->remote_va;
    if (region->domain != want->domain || (region->access & want->access) != want->access ||
        want->va < region->remote_va || want->length_bytes > region->length_bytes ||
        offset > region->length_bytes - want->length_bytes)
        return NULL;
    return (uint8_t *)region->address + offset;
}

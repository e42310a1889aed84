/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table with linear probing, at most half full. */
#include "files/name_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST 256

struct entry {
    struct name_table_name name;
    uint32_t hash;
    uint32_t number;
};

/* FNV-1a */
static uint32_t hash_of(struct name_table_name name)
{
    uint32_t hash = UINT32_C(2166136261) ^ name.scope * UINT32_C(2654435761);

    for (uint32_t i = 0; i < name.length; i++)
        hash = (hash ^ (uint8_t)name.text[i]) * UINT32_C(16777619);
    return hash ^ hash >> 15;
}

static struct entry *entry_at(const struct name_table *table, uint32_t index)
{
    return (struct entry *)table->entries.elements + index;
}

static bool is_same(const struct name_table_name *left, const struct name_table_name *right)
{
    return left->length == right->length && left->scope == right->scope &&
           memcmp(left->text, right->text, left->length) == 0;
}

uint32_t name_table_find(const struct name_table *table, struct name_table_name name)
{
    uint32_t hash = hash_of(name);
    uint32_t mask = table->slot_count - 1;

    if (table->slot_count == 0)
        return NAME_TABLE_NONE;
    for (uint32_t slot = hash & mask; table->slots[slot]; slot = (slot + 1) & mask) {
        const struct entry *entry = entry_at(table, table->slots[slot] - 1);

        if (entry->hash == hash && is_same(&entry->name, &name))
            return entry->number;
    }
    return NAME_TABLE_NONE;
}

static void fill_slot(struct name_table *table, uint32_t index)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t slot = entry_at(table, index)->hash & mask;

    while (table->slots[slot])
        slot = (slot + 1) & mask;
    table->slots[slot] = index + 1;
}

static void widen_table(struct name_table *table)
{
    free(table->slots);
    table->slot_count = table->slot_count ? 2 * table->slot_count : SLOTS_LEAST;
    table->slots = calloc(table->slot_count, sizeof(*table->slots));
    if (!table->slots) {
        fputs("mrc: out of memory\n", stderr);
        exit(1);
    }
    for (uint32_t i = 0; i < table->entries.count; i++)
        fill_slot(table, i);
}

void name_table_add(struct name_table *table, struct name_table_name name, uint32_t number)
{
    struct entry *entry;

    if (2 * (table->entries.count + 1) > table->slot_count)
        widen_table(table);
    entry = growing_push(&table->entries, sizeof(*entry));
    *entry = (struct entry){ .name = name, .hash = hash_of(name), .number = number };
    fill_slot(table, table->entries.count - 1);
}

void name_table_fini(struct name_table *table)
{
    growing_fini(&table->entries);
    free(table->slots);
    *table = (struct name_table){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Regions by key, with the checks before a region is read or written. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "host/host_memory.h"

#define MEMORY_TABLE_NONE UINT32_MAX

struct memory_entry {
    struct host_region region;
    uint32_t key; /* 0 if free */
};

struct memory_table {
    struct memory_entry *entries;
    uint32_t *slots; /* open addressing: index + 1; 0 if empty */
    uint32_t slot_mask;
    uint32_t entry_count_max;
    uint32_t entry_count;
    uint32_t first_free; /* no entry below it is free */
};

int memory_table_init(struct memory_table *, uint32_t entry_count_max);
void memory_table_fini(struct memory_table *);

int memory_table_add(
    struct memory_table *, const struct host_region *, uint32_t random, uint32_t *key);
int memory_table_remove(struct memory_table *, uint32_t key);

struct memory_want {
    uint32_t key;
    uint32_t domain;
    uint32_t access; /* all of these are required */
    uint64_t va;
    uint64_t length_bytes;
};

/* Returns the address of the bytes if key, domain, rights and bounds permit the access, otherwise
 * NULL. `last`: where this caller found its last key, initially 0. The same key needs no search. */
uint8_t *memory_table_resolve(
    const struct memory_table *, const struct memory_want *, uint32_t *last);

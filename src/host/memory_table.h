/* SPDX-License-Identifier: Apache-2.0 */
/* Regions by key: checks before anything is read or written. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "host/host_memory.h"

#define MEMORY_TABLE_NONE UINT32_MAX

struct memory_entry {
    struct host_region region;
    uint32_t key; /* 0: free */
};

struct memory_table {
    struct memory_entry *entries;
    uint32_t *slots; /* open addressing: index + 1; 0: empty */
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
    uint32_t access; /* all of these rights */
    uint64_t va;
    uint64_t length_bytes;
};

/* Where the bytes are, if key, domain, rights and bounds allow all of it; NULL: they do not. */
uint8_t *memory_table_resolve(const struct memory_table *, const struct memory_want *);

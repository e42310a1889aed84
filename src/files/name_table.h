/* SPDX-License-Identifier: Apache-2.0 */
/* Finds numbers by name. A name belongs to a scope, for example to a rank. */
#pragma once

#include <stdint.h>

#include "files/growing.h"

#define NAME_TABLE_NONE UINT32_MAX

struct name_table_name {
    const char *text; /* of the caller; not terminated */
    uint32_t length;
    uint32_t scope;
};

struct name_table {
    struct growing entries;
    uint32_t *slots; /* numbers of entries plus 1; 0: free */
    uint32_t slot_count;
};

/* Returns the number of a name; NAME_TABLE_NONE: it has none. */
uint32_t name_table_find(const struct name_table *, struct name_table_name);
/* Gives a new name a number. The table keeps the pointer to its text. */
void name_table_add(struct name_table *, struct name_table_name, uint32_t number);
void name_table_fini(struct name_table *);

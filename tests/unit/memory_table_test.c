/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory: what a key allows. */
#include "host/memory_table.h"

#include <errno.h>

#include "spec.h"

SPEC("a key opens its region to its domain, for its rights and inside its bounds only")
{
    struct memory_table table;
    uint8_t bytes[100];
    struct host_region region = { .address = bytes,
        .length_bytes = sizeof(bytes),
        .remote_va = 5000,
        .domain = 3,
        .access = HOST_ACCESS_REMOTE_WRITE };
    struct memory_want want = {
        .domain = 3, .access = HOST_ACCESS_REMOTE_WRITE, .va = 5010, .length_bytes = 90
    };
    struct memory_want other;

    EXPECT_EQ(memory_table_init(&table, 4), 0);
    EXPECT_EQ(memory_table_add(&table, &region, 77, &want.key), 0);
    EXPECT(memory_table_resolve(&table, &want) == bytes + 10);
    other = want;
    other.length_bytes = 91;
    EXPECT(!memory_table_resolve(&table, &other));
    other = want;
    other.va = 4999;
    EXPECT(!memory_table_resolve(&table, &other));
    other = want;
    other.domain = 4;
    EXPECT(!memory_table_resolve(&table, &other));
    other = want;
    other.key++;
    EXPECT(!memory_table_resolve(&table, &other));
    EXPECT_EQ(memory_table_remove(&table, want.key), 0);
    EXPECT(!memory_table_resolve(&table, &want));
    EXPECT_EQ(memory_table_remove(&table, want.key), -ENOENT);
    memory_table_fini(&table);
}

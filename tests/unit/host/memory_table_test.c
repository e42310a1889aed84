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

SPEC("a region that replaces another has its key, its own rights and bounds, and no new place")
{
    struct memory_table table;
    uint8_t bytes[100];
    uint8_t others[10];
    struct host_region region = { .address = bytes,
        .length_bytes = sizeof(bytes),
        .domain = 3,
        .access = HOST_ACCESS_REMOTE_WRITE };
    struct memory_want want = {
        .domain = 3, .access = HOST_ACCESS_REMOTE_WRITE, .va = 0, .length_bytes = 10
    };
    uint32_t key;

    EXPECT_EQ(memory_table_init(&table, 1), 0);
    EXPECT_EQ(memory_table_add(&table, &region, 77, &want.key), 0);
    region.key = want.key;
    region.address = others;
    region.length_bytes = sizeof(others);
    EXPECT_EQ(memory_table_add(&table, &region, 78, &key), 0);
    EXPECT_EQ(key, want.key);
    EXPECT(memory_table_resolve(&table, &want) == others);
    want.length_bytes = 11;
    EXPECT(!memory_table_resolve(&table, &want));
    region.length_bytes = 0;
    EXPECT_EQ(memory_table_add(&table, &region, 79, &key), -EINVAL);
    region.length_bytes = 1;
    region.key++;
    EXPECT_EQ(memory_table_add(&table, &region, 79, &key), -ENOENT);
    want.length_bytes = 10;
    EXPECT(memory_table_resolve(&table, &want) == others);
    memory_table_fini(&table);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory: what a key allows. */
#include "host/memory_table.h"

#include <errno.h>

#include "spec.h"

SPEC("a key gives access to its region only to its domain, for its rights and within its bounds")
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
    uint32_t last = 0;

    EXPECT_EQ(memory_table_init(&table, 4), 0);
    EXPECT_EQ(memory_table_add(&table, &region, 77, &want.key), 0);
    EXPECT(memory_table_resolve(&table, &want, &last) == bytes + 10);
    other = want;
    other.length_bytes = 91;
    EXPECT(!memory_table_resolve(&table, &other, &last));
    other = want;
    other.va = 4999;
    EXPECT(!memory_table_resolve(&table, &other, &last));
    other = want;
    other.domain = 4;
    EXPECT(!memory_table_resolve(&table, &other, &last));
    other = want;
    other.key++;
    EXPECT(!memory_table_resolve(&table, &other, &last));
    EXPECT_EQ(memory_table_remove(&table, want.key), 0);
    EXPECT(!memory_table_resolve(&table, &want, &last));
    EXPECT_EQ(memory_table_remove(&table, want.key), -ENOENT);
    memory_table_fini(&table);
}

SPEC("a region that replaces another has the same key, and its own rights and bounds")
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
    uint32_t last = 0;
    uint32_t key;

    EXPECT_EQ(memory_table_init(&table, 1), 0);
    EXPECT_EQ(memory_table_add(&table, &region, 77, &want.key), 0);
    region.key = want.key;
    region.address = others;
    region.length_bytes = sizeof(others);
    EXPECT_EQ(memory_table_add(&table, &region, 78, &key), 0);
    EXPECT_EQ(key, want.key);
    EXPECT(memory_table_resolve(&table, &want, &last) == others);
    want.length_bytes = 11;
    EXPECT(!memory_table_resolve(&table, &want, &last));
    region.length_bytes = 0;
    EXPECT_EQ(memory_table_add(&table, &region, 79, &key), -EINVAL);
    region.length_bytes = 1;
    region.key++;
    EXPECT_EQ(memory_table_add(&table, &region, 79, &key), -ENOENT);
    want.length_bytes = 10;
    EXPECT(memory_table_resolve(&table, &want, &last) == others);
    memory_table_fini(&table);
}

SPEC("the cached position of the last key does not change the result of a search")
{
    struct memory_table table;
    uint8_t bytes[2][10];
    struct memory_want want = { .domain = 3, .length_bytes = 10 };
    uint32_t keys[2];
    uint32_t last = 0;

    EXPECT_EQ(memory_table_init(&table, 2), 0);
    EXPECT(!memory_table_resolve(&table, &want, &last)); /* 0 is the key of free entries */
    for (uint32_t i = 0; i < 2; i++)
        EXPECT_EQ(memory_table_add(&table,
                      &(struct host_region){ .address = bytes[i], .length_bytes = 10, .domain = 3 },
                      77 + i, &keys[i]),
            0);
    for (uint32_t i = 0; i < 8; i++) {
        want.key = keys[i / 2 % 2];
        EXPECT(memory_table_resolve(&table, &want, &last) == bytes[i / 2 % 2]);
        EXPECT_EQ(last, i / 2 % 2);
    }
    EXPECT_EQ(memory_table_remove(&table, keys[1]), 0);
    EXPECT(!memory_table_resolve(&table, &want, &last));
    EXPECT_EQ(memory_table_add(&table,
                  &(struct host_region){ .address = bytes[0], .length_bytes = 10, .domain = 3 }, 99,
                  &keys[0]),
        0);
    EXPECT(!memory_table_resolve(&table, &want, &last)); /* the place has another key now */
    memory_table_fini(&table);
}

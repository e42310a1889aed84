/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of QPs: what is taken is zero, aligned and apart from the rest. */
#include "host/qp_memory.h"

#include <stdint.h>
#include <string.h>

#include "spec.h"

enum {
    QP_COUNT = 1000, /* several chunks */
    QP_BYTES = 8200,
    HUGE_BYTES = 2 << 20,
};

static bool is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

SPEC("blocks are zero, begin at a cache line, and do not overlap")
{
    static uint8_t *blocks[QP_COUNT];
    struct qp_memory memory = { 0 };

    for (uint32_t i = 0; i < QP_COUNT; i++) {
        blocks[i] = qp_memory_take(&memory, QP_BYTES);
        EXPECT((uintptr_t)blocks[i] % 64 == 0);
        EXPECT(is_zero(blocks[i], QP_BYTES));
        memset(blocks[i], (int)(i % 255 + 1), QP_BYTES);
    }
    for (uint32_t i = 0; i < QP_COUNT; i++) {
        EXPECT_EQ(blocks[i][0], i % 255 + 1);
        EXPECT_EQ(blocks[i][QP_BYTES - 1], i % 255 + 1);
    }
    qp_memory_fini(&memory);
}

SPEC("a block that was returned is taken again, and is zero")
{
    struct qp_memory memory = { 0 };
    uint8_t *first = qp_memory_take(&memory, QP_BYTES);
    uint8_t *second = qp_memory_take(&memory, QP_BYTES);

    memset(second, 1, QP_BYTES);
    qp_memory_return(&memory, second);
    EXPECT(qp_memory_take(&memory, QP_BYTES) == second);
    EXPECT(is_zero(second, QP_BYTES));
    qp_memory_return(&memory, first);
    qp_memory_return(&memory, NULL);
    qp_memory_return(&memory, second);
    EXPECT(!memory.chunks);
}

SPEC("blocks of different sizes, also larger than a chunk, can be taken at the same time")
{
    static const size_t sizes[] = { 1, 64, QP_BYTES, HUGE_BYTES - 64, HUGE_BYTES, 3 * HUGE_BYTES };
    enum { SIZE_COUNT = sizeof(sizes) / sizeof(sizes[0]) };
    struct qp_memory memory = { 0 };
    uint8_t *blocks[SIZE_COUNT];

    for (uint32_t i = 0; i < SIZE_COUNT; i++) {
        blocks[i] = qp_memory_take(&memory, sizes[i]);
        memset(blocks[i], (int)i + 1, sizes[i]);
    }
    for (uint32_t i = 0; i < SIZE_COUNT; i++) {
        EXPECT_EQ(blocks[i][0], i + 1);
        EXPECT_EQ(blocks[i][sizes[i] - 1], i + 1);
        qp_memory_return(&memory, blocks[i]);
    }
    EXPECT(!memory.chunks);
}

SPEC("chunks in the middle of others are freed when they are empty")
{
    static void *blocks[QP_COUNT];
    struct qp_memory memory = { 0 };

    for (uint32_t i = 0; i < QP_COUNT; i++)
        blocks[i] = qp_memory_take(&memory, QP_BYTES);
    for (uint32_t i = QP_COUNT / 3; i < QP_COUNT; i++)
        qp_memory_return(&memory, blocks[i]);
    EXPECT(memory.chunks);
    for (uint32_t i = 0; i < QP_COUNT / 3; i++)
        qp_memory_return(&memory, blocks[i]);
    EXPECT(!memory.chunks);
}

SPEC("mapped memory of any size is zero")
{
    uint8_t *small = qp_memory_map(100);
    uint8_t *large = qp_memory_map(HUGE_BYTES + 1);

    EXPECT(is_zero(small, 100));
    EXPECT(is_zero(large, HUGE_BYTES + 1));
    qp_memory_unmap(small, 100);
    qp_memory_unmap(large, HUGE_BYTES + 1);
    qp_memory_unmap(NULL, 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/outbox.h"

#include <stdlib.h>

#include "spec.h"

enum { SHARDS = 2, ROOM = 200 };

struct fixture {
    struct outbox_pool pools[SHARDS];
    struct outbox outboxes[SHARDS];
    struct outbox_chunk *chunks;
    void *memory;
};

static void init_outboxes(struct fixture *f, struct arena *arena)
{
    for (uint32_t i = 0; i < SHARDS; i++)
        outbox_init(&f->outboxes[i], arena, &f->pools[i], SHARDS);
}

static void open_fixture(struct fixture *f)
{
    struct arena arena;

    f->chunks = calloc(SHARDS * ROOM, sizeof(*f->chunks));
    for (uint32_t i = 0; i < SHARDS; i++)
        outbox_pool_init(&f->pools[i], f->chunks, i, ROOM);
    arena_init(&arena, NULL, 0);
    init_outboxes(f, &arena);
    f->memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    arena_init(&arena, f->memory, arena.used_bytes);
    init_outboxes(f, &arena);
}

static void close_fixture(struct fixture *f)
{
    free(f->chunks);
    free(f->memory);
}

/* Shard 0 sends full chunks to shard 1, which empties them. */
static void send_chunks(struct fixture *f, uint32_t count)
{
    outbox_clear(&f->outboxes[0]);
    outbox_pool_open(&f->pools[0]);
    for (uint32_t i = 0; i < count * OUTBOX_CHUNK_PARCELS; i++)
        outbox_add(&f->outboxes[0], 1)->seat = i;
}

static uint32_t receive_chunks(struct fixture *f)
{
    uint32_t seat = 0;
    uint32_t next;

    outbox_pool_open(&f->pools[1]);
    for (uint32_t at = f->outboxes[0].lists[1].first; at != OUTBOX_NONE; at = next) {
        next = f->chunks[at].next;
        for (uint32_t i = 0; i < f->chunks[at].count; i++)
            EXPECT_EQ(f->chunks[at].parcels[i].seat, seat++);
        outbox_pool_free(&f->pools[1], at, f->outboxes[1].spare);
    }
    return seat;
}

SPEC("parcels arrive in the order in which they were added")
{
    struct fixture f;

    open_fixture(&f);
    send_chunks(&f, 3);
    EXPECT_EQ(f.outboxes[0].count, 3 * OUTBOX_CHUNK_PARCELS);
    EXPECT_EQ(receive_chunks(&f), 3 * OUTBOX_CHUNK_PARCELS);
    close_fixture(&f);
}

SPEC("the shard that empties chunks fills them next")
{
    struct fixture f;

    open_fixture(&f);
    send_chunks(&f, 3);
    receive_chunks(&f);
    EXPECT_EQ(f.pools[1].free.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT(outbox_take_chunk(&f.outboxes[1], 0) != NULL);
    EXPECT_EQ(f.pools[1].touched, 0);
    EXPECT(outbox_take_chunk(&f.outboxes[1], 0) != NULL);
    EXPECT_EQ(f.pools[1].touched, 1);
    close_fixture(&f);
}

SPEC("a shard that only sends gets its chunks back")
{
    struct fixture f;

    open_fixture(&f);
    for (uint32_t i = 0; i < 20; i++) {
        send_chunks(&f, 90);
        receive_chunks(&f);
        outbox_pool_take_back(&f.pools[0], &f.outboxes[1].spare[0]);
    }
    EXPECT_LE(f.pools[0].touched, 90 + 64);
    EXPECT_EQ(f.pools[0].free.count + f.pools[1].free.count, f.pools[0].touched);
    close_fixture(&f);
}

SPEC("a full pool has no chunk, until one is freed")
{
    struct fixture f;

    open_fixture(&f);
    send_chunks(&f, ROOM);
    EXPECT(outbox_take_chunk(&f.outboxes[0], 1) == NULL);
    outbox_pool_free(&f.pools[0], 17, f.outboxes[0].spare);
    EXPECT(outbox_take_chunk(&f.outboxes[0], 1) == &f.chunks[17]);
    close_fixture(&f);
}

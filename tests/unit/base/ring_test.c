/* SPDX-License-Identifier: Apache-2.0 */
/* The single-producer, single-consumer ring. */
#include "spec.h"

#include <pthread.h>
#include <sched.h>

#include "base/ring.h"

#define SLOTS 8

SPEC("an empty ring has nothing to consume")
{
    struct ring ring;
    uint32_t slot;

    ring_init(&ring, SLOTS);
    EXPECT(!ring_peek(&ring, &slot));
    EXPECT_EQ(ring_count(&ring), 0);
}

SPEC("a full ring has no free slot until one is popped")
{
    struct ring ring;
    uint32_t slot;

    ring_init(&ring, SLOTS);
    for (uint32_t i = 0; i < SLOTS; i++) {
        EXPECT(ring_reserve(&ring, &slot));
        EXPECT_EQ(slot, i);
        ring_push(&ring);
    }
    EXPECT(!ring_reserve(&ring, &slot));
    EXPECT_EQ(ring_count(&ring), SLOTS);
    ring_pop(&ring);
    EXPECT(ring_reserve(&ring, &slot));
    EXPECT_EQ(slot, 0);
}

SPEC("a reserved slot is seen by the consumer only once it is pushed")
{
    struct ring ring;
    uint32_t slot;

    ring_init(&ring, SLOTS);
    EXPECT(ring_reserve(&ring, &slot));
    EXPECT(!ring_peek(&ring, &slot));
    ring_push(&ring);
    EXPECT(ring_peek(&ring, &slot));
    EXPECT_EQ(slot, 0);
}

SPEC("peeking twice returns the same slot")
{
    struct ring ring;
    uint32_t first;
    uint32_t second;

    ring_init(&ring, SLOTS);
    ring_push(&ring);
    ring_push(&ring);
    EXPECT(ring_peek(&ring, &first));
    EXPECT(ring_peek(&ring, &second));
    EXPECT_EQ(first, second);
}

SPEC("slots stay in order when the 32-bit indexes wrap")
{
    struct ring ring;
    uint32_t slot;

    ring_init(&ring, SLOTS);
    atomic_store(&ring.head, UINT32_MAX - 3);
    atomic_store(&ring.tail, UINT32_MAX - 3);
    for (uint32_t i = 0; i < SLOTS; i++) {
        EXPECT(ring_reserve(&ring, &slot));
        ring_push(&ring);
    }
    EXPECT(!ring_reserve(&ring, &slot));
    for (uint32_t i = 0; i < SLOTS; i++) {
        EXPECT(ring_peek(&ring, &slot));
        EXPECT_EQ(slot, (UINT32_MAX - 3 + i) % SLOTS);
        ring_pop(&ring);
    }
    EXPECT_EQ(ring_count(&ring), 0);
}

SPEC("producer and consumer do not share a cache line")
{
    struct ring ring;

    EXPECT_GE((uint8_t *)&ring.tail - (uint8_t *)&ring.head, 64);
}

#define MESSAGES 200000

struct channel {
    struct ring ring;
    uint64_t slots[SLOTS][2]; /* a number and its complement: a torn or early read shows */
};

static void *produce(void *argument)
{
    struct channel *channel = argument;

    for (uint64_t i = 0; i < MESSAGES;) {
        uint32_t slot;

        if (!ring_reserve(&channel->ring, &slot)) {
            sched_yield();
            continue;
        }
        channel->slots[slot][0] = i;
        channel->slots[slot][1] = ~i;
        ring_push(&channel->ring);
        i++;
    }
    return NULL;
}

static uint64_t consume(struct channel *channel)
{
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < MESSAGES;) {
        uint32_t slot;

        if (!ring_peek(&channel->ring, &slot)) {
            sched_yield();
            continue;
        }
        wrong += channel->slots[slot][0] != i || channel->slots[slot][1] != ~i;
        ring_pop(&channel->ring);
        i++;
    }
    return wrong;
}

SPEC("a thread reads what another thread wrote, complete and in order")
{
    static struct channel channel;
    pthread_t producer;

    ring_init(&channel.ring, SLOTS);
    EXPECT_EQ(pthread_create(&producer, NULL, produce, &channel), 0);
    EXPECT_EQ(consume(&channel), 0);
    EXPECT_EQ(pthread_join(producer, NULL), 0);
    EXPECT_EQ(ring_count(&channel.ring), 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a test network's events happen. */
#include "event_queue.h"

#include "base/prng.h"
#include "spec.h"

SPEC("events occur in order of time, and events of one time in the order they were added")
{
    struct event_queue queue;
    struct event_heap_entry event;
    const uint32_t expected[] = { 3, 1, 4, 5, 2 };

    event_queue_init(&queue);
    event_queue_push(&queue, 20, 0, 1);
    event_queue_push(&queue, 30, 0, 2);
    event_queue_push(&queue, 10, 0, 3);
    event_queue_push(&queue, 20, 0, 4);
    event_queue_push(&queue, 20, 0, 5);
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT(event_queue_pop(&queue, 100, &event));
        EXPECT_EQ(event.subject, expected[i]);
    }
    EXPECT(!event_queue_pop(&queue, 100, &event));
    event_queue_fini(&queue);
}

SPEC("no event occurs before its time")
{
    struct event_queue queue;
    struct event_heap_entry event;

    event_queue_init(&queue);
    event_queue_push(&queue, 20, 7, 1);
    EXPECT(!event_queue_pop(&queue, 19, &event));
    EXPECT(event_queue_pop(&queue, 20, &event));
    EXPECT_EQ(event.time_ps, 20);
    EXPECT_EQ(event.kind, 7);
    event_queue_fini(&queue);
}

PROPERTY("thousands of events, some added while others occur, stay in order", 20)
{
    struct prng prng = prng_stream(seed, 0);
    struct event_queue queue;
    struct event_heap_entry last = { 0 };
    struct event_heap_entry event;
    uint32_t happened = 0;

    event_queue_init(&queue);
    for (uint32_t i = 0; i < 2000; i++)
        event_queue_push(&queue, prng_below(&prng, 500), 0, i);
    while (event_queue_pop(&queue, UINT64_MAX, &event)) {
        EXPECT_GE(event.time_ps, last.time_ps);
        if (happened > 0 && event.time_ps == last.time_ps)
            EXPECT_GT(event.order, last.order);
        if (happened++ < 3000)
            event_queue_push(&queue, event.time_ps + prng_below(&prng, 50), 0, 0);
        last = event;
    }
    EXPECT_EQ(happened, 5000);
    event_queue_fini(&queue);
}

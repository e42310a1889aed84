/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a soft fabric. */
#include "lab/soft_queue.h"

#include "base/prng.h"
#include "spec.h"

SPEC("events are popped in order of time, and those of one time in the order they were pushed")
{
    struct soft_queue queue;

    EXPECT(soft_queue_init(&queue, 8));
    soft_queue_push(&queue, 30, 1, SOFT_FREE);
    soft_queue_push(&queue, 10, 2, SOFT_ARRIVAL);
    soft_queue_push(&queue, 30, 3, SOFT_ARRIVAL);
    soft_queue_push(&queue, 20, 4, SOFT_FREE);
    EXPECT_EQ(soft_queue_next_ps(&queue), 10);
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t wires[] = { 2, 4, 1, 3 };
        static const enum soft_event_kind kinds[] = { SOFT_ARRIVAL, SOFT_FREE, SOFT_FREE,
            SOFT_ARRIVAL };

        EXPECT_EQ(soft_queue_wire(&queue), wires[i]);
        EXPECT_EQ(soft_queue_kind(&queue), kinds[i]);
        soft_queue_pop(&queue);
    }
    EXPECT_EQ(soft_queue_next_ps(&queue), UINT64_MAX);
    soft_queue_fini(&queue);
}

SPEC("an event that is pushed again moves behind others of its new time")
{
    struct soft_queue queue;

    EXPECT(soft_queue_init(&queue, 8));
    soft_queue_push(&queue, 10, 1, SOFT_ARRIVAL);
    soft_queue_push(&queue, 20, 2, SOFT_ARRIVAL);
    soft_queue_push(&queue, 30, 3, SOFT_ARRIVAL);
    soft_queue_repeat(&queue, 20);
    EXPECT_EQ(soft_queue_wire(&queue), 2);
    soft_queue_pop(&queue);
    EXPECT_EQ(soft_queue_wire(&queue), 1);
    EXPECT_EQ(soft_queue_next_ps(&queue), 20);
    soft_queue_pop(&queue);
    EXPECT_EQ(soft_queue_wire(&queue), 3);
    soft_queue_fini(&queue);
}

PROPERTY("with random operations no event is lost and time does not go backwards", 50)
{
    struct prng prng = prng_stream(seed, 1);
    struct soft_queue queue;
    uint64_t now = 0;
    uint32_t pushed = 0;
    uint32_t popped = 0;

    EXPECT(soft_queue_init(&queue, 1000));
    while (popped < 1000) {
        if (pushed < 1000 && prng_below(&prng, 3) > 0)
            soft_queue_push(&queue, now + prng_below(&prng, 50), pushed++, SOFT_ARRIVAL);
        if (soft_queue_next_ps(&queue) <= now + prng_below(&prng, 40)) {
            EXPECT_GE(soft_queue_next_ps(&queue), now);
            now = soft_queue_next_ps(&queue);
            if (prng_below(&prng, 4) == 0) {
                soft_queue_repeat(&queue, now + prng_below(&prng, 50));
            } else {
                soft_queue_pop(&queue);
                popped++;
            }
        } else if (pushed == 1000) {
            now++;
        }
    }
    EXPECT_EQ(queue.heap.count, 0);
    soft_queue_fini(&queue);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a soft fabric. */
#include "lab/soft_queue.h"

#include "base/prng.h"
#include "spec.h"

SPEC("events come in order of time, those of one time in the order in which they were pushed")
{
    struct soft_queue queue;
    struct soft_event event;

    EXPECT(soft_queue_init(&queue, 8));
    soft_queue_push(&queue, 30, 1, SOFT_NO_FRAME);
    soft_queue_push(&queue, 10, 2, 7);
    soft_queue_push(&queue, 30, 3, 8);
    soft_queue_push(&queue, 20, 4, 9);
    EXPECT_EQ(soft_queue_next_ps(&queue), 10);
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t ends[] = { 2, 4, 1, 3 };

        EXPECT(soft_queue_pop(&queue, 30, &event));
        EXPECT_EQ(event.end, ends[i]);
    }
    EXPECT_EQ(soft_queue_next_ps(&queue), UINT64_MAX);
    soft_queue_fini(&queue);
}

SPEC("what is not due stays")
{
    struct soft_queue queue;
    struct soft_event event;

    EXPECT(soft_queue_init(&queue, 8));
    EXPECT(!soft_queue_pop(&queue, UINT64_MAX, &event));
    soft_queue_push(&queue, 30, 1, 5);
    EXPECT(!soft_queue_pop(&queue, 29, &event));
    EXPECT(soft_queue_pop(&queue, 30, &event));
    EXPECT_EQ(event.frame, 5);
    soft_queue_fini(&queue);
}

PROPERTY("pushed and popped at random, nothing is lost and time never goes back", 50)
{
    struct prng prng = prng_stream(seed, 1);
    struct soft_queue queue;
    struct soft_event event;
    uint64_t now = 0;
    uint32_t pushed = 0;
    uint32_t popped = 0;

    EXPECT(soft_queue_init(&queue, 1000));
    while (popped < 1000) {
        if (pushed < 1000 && prng_below(&prng, 3) > 0)
            soft_queue_push(&queue, now + prng_below(&prng, 50), pushed++, 0);
        if (soft_queue_pop(&queue, now + prng_below(&prng, 40), &event)) {
            EXPECT_GE(event.time_ps, now);
            now = event.time_ps;
            popped++;
        } else if (pushed == 1000) {
            now++;
        }
    }
    EXPECT_EQ(queue.count, 0);
    soft_queue_fini(&queue);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Receive requests and immediates that come before their turn (docs/protocol.md §6.2). */
#include "spec.h"

#include <stdalign.h>

#include "base/prng.h"
#include "transport/recv_queue.h"

enum { DEPTH_MAX = 64, IMM_MAX = 64 };

struct receives {
    struct recv_queue queue;
    alignas(16) uint8_t
        memory[DEPTH_MAX * sizeof(struct recv_request) + IMM_MAX * sizeof(struct recv_stash)];
};

static void begin(struct receives *receives, uint32_t depth, uint32_t imm_max)
{
    struct arena arena;

    arena_init(&arena, receives->memory, sizeof(receives->memory));
    recv_queue_init(&receives->queue, &arena, depth, imm_max);
}

static void arrive(struct receives *receives, uint16_t rqmsn, struct psn psn)
{
    recv_queue_keep(&receives->queue, rqmsn,
        &(struct recv_stash){ .psn = psn,
            .immediate = 1000 + rqmsn,
            .length_bytes = 5000 + rqmsn,
            .solicited = rqmsn % 2,
            .full = true });
}

static enum recv_delivery deliver(struct receives *receives, struct psn cack)
{
    return recv_queue_deliver(&receives->queue, cack);
}

SPEC("§6.2: a WriteImm is delivered when everything up to its PSN has arrived, not before")
{
    static struct receives receives;

    begin(&receives, 4, 4);
    recv_queue_push(&receives.queue, 77);
    EXPECT_EQ(deliver(&receives, psn(0xffffff)), RECV_NOTHING);
    arrive(&receives, 0, psn(1));
    EXPECT_EQ(deliver(&receives, psn(0xffffff)), RECV_NOTHING);
    EXPECT_EQ(deliver(&receives, psn(0)), RECV_NOTHING);
    EXPECT_EQ(deliver(&receives, psn(1)), RECV_DELIVERED);
    EXPECT_EQ(receives.queue.done, 1);
    EXPECT_EQ(deliver(&receives, psn(1)), RECV_NOTHING);
}

SPEC("a delivery fills the oldest receive request with immediate, length and solicitation")
{
    static struct receives receives;
    const struct recv_request *request;

    begin(&receives, 4, 4);
    recv_queue_push(&receives.queue, 77);
    recv_queue_push(&receives.queue, 78);
    arrive(&receives, 0, psn(0));
    arrive(&receives, 1, psn(1));
    EXPECT_EQ(deliver(&receives, psn(1)), RECV_DELIVERED);
    EXPECT_EQ(deliver(&receives, psn(1)), RECV_DELIVERED);
    for (uint32_t i = 0; i < 2; i++) {
        request = recv_queue_at(&receives.queue, i);
        EXPECT_EQ(request->id, 77 + i);
        EXPECT_EQ(request->immediate, 1000 + i);
        EXPECT_EQ(request->length_bytes, 5000 + i);
        EXPECT_EQ(request->solicited, i == 1);
    }
}

SPEC("§6.2: the second WriteImm waits for the first, even if all its packets have arrived")
{
    static struct receives receives;

    begin(&receives, 4, 4);
    recv_queue_push(&receives.queue, 1);
    recv_queue_push(&receives.queue, 2);
    arrive(&receives, 1, psn(5));
    EXPECT_EQ(deliver(&receives, psn(5)), RECV_NOTHING);
    arrive(&receives, 0, psn(3));
    EXPECT_EQ(deliver(&receives, psn(5)), RECV_DELIVERED);
    EXPECT_EQ(recv_queue_at(&receives.queue, 0)->immediate, 1000);
    EXPECT_EQ(deliver(&receives, psn(5)), RECV_DELIVERED);
    EXPECT_EQ(recv_queue_at(&receives.queue, 1)->immediate, 1001);
}

SPEC("§6.2: without a receive request the immediate stays, and is delivered when one is posted")
{
    static struct receives receives;

    begin(&receives, 4, 4);
    arrive(&receives, 0, psn(3));
    EXPECT_EQ(deliver(&receives, psn(2)), RECV_NOTHING); /* its turn has not come */
    EXPECT_EQ(deliver(&receives, psn(3)), RECV_NO_REQUEST);
    EXPECT_EQ(deliver(&receives, psn(3)), RECV_NO_REQUEST);
    recv_queue_push(&receives.queue, 9);
    EXPECT_EQ(deliver(&receives, psn(3)), RECV_DELIVERED);
}

SPEC("a queue accepts its depth of requests, until completions are fetched")
{
    static struct receives receives;

    begin(&receives, 3, 1);
    EXPECT_EQ(receives.queue.slot_count, 4);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(!recv_queue_is_full(&receives.queue));
        recv_queue_push(&receives.queue, i);
    }
    EXPECT(recv_queue_is_full(&receives.queue));
    arrive(&receives, 0, psn(0));
    deliver(&receives, psn(0));
    EXPECT(recv_queue_is_full(&receives.queue));
    receives.queue.reported++;
    EXPECT(!recv_queue_is_full(&receives.queue));
}

SPEC("a queue of depth 0 accepts nothing")
{
    static struct receives receives;

    begin(&receives, 0, 0);
    EXPECT(recv_queue_is_full(&receives.queue));
}

SPEC("a request that was flushed and posted again does not keep its former immediate")
{
    static struct receives receives;

    begin(&receives, 1, 1);
    recv_queue_push(&receives.queue, 1);
    arrive(&receives, 0, psn(0));
    deliver(&receives, psn(0));
    receives.queue.reported++;
    recv_queue_push(&receives.queue, 2);
    EXPECT_EQ(recv_queue_at(&receives.queue, 1)->id, 2);
    EXPECT_EQ(recv_queue_at(&receives.queue, 1)->immediate, 0);
    EXPECT_EQ(recv_queue_at(&receives.queue, 1)->length_bytes, 0);
}

SPEC("starting removes immediates and keeps receive requests, and clearing removes both")
{
    static struct receives receives;

    begin(&receives, 4, 3);
    EXPECT_EQ(receives.queue.stash_count, 4);
    recv_queue_push(&receives.queue, 1);
    recv_queue_push(&receives.queue, 2);
    arrive(&receives, 0, psn(0));
    deliver(&receives, psn(0));
    for (uint16_t rqmsn = 1; rqmsn < 5; rqmsn++)
        arrive(&receives, rqmsn, psn(rqmsn));
    recv_queue_start(&receives.queue);
    EXPECT_EQ(receives.queue.next_rqmsn, 0);
    for (uint16_t rqmsn = 0; rqmsn < 4; rqmsn++)
        EXPECT(!recv_queue_stash(&receives.queue, rqmsn)->full);
    EXPECT_EQ(receives.queue.posted - receives.queue.done, 1);
    arrive(&receives, 0, psn(9));
    recv_queue_clear(&receives.queue);
    EXPECT(!recv_queue_stash(&receives.queue, 0)->full);
    EXPECT_EQ(receives.queue.posted, 0);
    EXPECT_EQ(receives.queue.done, 0);
    EXPECT_EQ(receives.queue.reported, 0);
}

SPEC("a measuring arena counts the bytes of requests and stash")
{
    struct arena arena;

    arena_init(&arena, NULL, 0);
    recv_queue_init(NULL, &arena, 5, 3);
    EXPECT_EQ(arena.used_bytes, 8 * sizeof(struct recv_request) + 4 * sizeof(struct recv_stash));
}

/* WriteImm number i ends at PSN first + 3 i. They arrive in any order within `imm_max`, cack moves
 * when it likes, receives are posted now and then. */
PROPERTY("across the wrap of rqmsn, immediates are delivered in order", 300)
{
    static struct receives receives;
    struct prng prng = prng_stream(seed, 0);
    uint32_t imm_max = 1 + prng_below(&prng, IMM_MAX);
    uint32_t start = 65536 - prng_below(&prng, 200); /* of rqmsn */
    struct psn first = psn_add(psn(0), -(int32_t)prng_below(&prng, 600));
    bool arrived[512] = { false };
    uint32_t delivered = 0;
    uint32_t posted = 0;
    uint32_t received = 0; /* PSNs without a gap */

    begin(&receives, DEPTH_MAX, imm_max);
    receives.queue.next_rqmsn = (uint16_t)start;
    receives.queue.reported = receives.queue.done = receives.queue.posted = UINT32_MAX - 20;
    for (uint32_t step = 0; step < 2000 && delivered < 400; step++) {
        uint32_t number = delivered + prng_below(&prng, imm_max);
        enum recv_delivery expected;

        if (!arrived[number]) {
            arrived[number] = true;
            arrive(&receives, (uint16_t)(start + number), psn_add(first, (int32_t)(3 * number)));
        }
        received += prng_below(&prng, 4);
        if (prng_below(&prng, 3) > 0 && !recv_queue_is_full(&receives.queue))
            recv_queue_push(&receives.queue, posted++);
        expected = !arrived[delivered] || received <= 3 * delivered ? RECV_NOTHING
                   : posted == delivered                            ? RECV_NO_REQUEST
                                                                    : RECV_DELIVERED;
        EXPECT_EQ(deliver(&receives, psn_add(first, (int32_t)received - 1)), expected);
        if (expected == RECV_DELIVERED) {
            const struct recv_request *request =
                recv_queue_at(&receives.queue, receives.queue.done - 1);

            EXPECT_EQ(request->id, delivered);
            EXPECT_EQ(request->immediate, 1000 + (start + delivered) % 65536);
            receives.queue.reported++;
            delivered++;
        }
    }
    EXPECT_GT(delivered, 100);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Credits and virtual lanes of InfiniBand: a buffer never overflows, whatever is sent and freed,
 * and lanes do not wait for each other. */
#include "spec.h"

#include "base/prng.h"
#include "rival/rival.h"

enum {
    ROOM = 512, /* blocks */
    PACKET_BYTES = 4122,
    PACKET_BLOCKS = 65,
    LANES = 3,
};

SPEC("a packet takes whole blocks of 64 bytes")
{
    EXPECT_EQ(ib_credit_blocks(1), 1);
    EXPECT_EQ(ib_credit_blocks(64), 1);
    EXPECT_EQ(ib_credit_blocks(65), 2);
    EXPECT_EQ(ib_credit_blocks(PACKET_BYTES), PACKET_BLOCKS);
}

SPEC("a sender may fill the buffer and not one block more")
{
    struct ib_credit credit = { .limit = ROOM };

    EXPECT(ib_credit_permits(&credit, ROOM));
    EXPECT(!ib_credit_permits(&credit, ROOM + 1));
    ib_credit_spend(&credit, ROOM - 1);
    EXPECT(ib_credit_permits(&credit, 1));
    EXPECT(!ib_credit_permits(&credit, 2));
    ib_credit_restore(&credit, 1);
    EXPECT(ib_credit_permits(&credit, 2));
}

SPEC("the receiver tells when 8 KiB have become free, all of it at once")
{
    struct ib_buffer buffer = ib_buffer_of(ROOM);

    ib_buffer_take(&buffer, 2 * IB_UPDATE_BLOCKS);
    EXPECT(!ib_buffer_free(&buffer, IB_UPDATE_BLOCKS - 1));
    EXPECT_EQ(buffer.told, ROOM);
    EXPECT(ib_buffer_free(&buffer, 1));
    EXPECT_EQ(buffer.told, ROOM + IB_UPDATE_BLOCKS);
    EXPECT_EQ(buffer.peak, 2 * IB_UPDATE_BLOCKS);
}

/* Packets of any size are sent when there is credit, arrive, leave, and credit returns, each after
 * any time: ib_buffer_take() asserts that there is room. Numbers wrap many times. */
PROPERTY("a buffer never overflows, and all credit returns", 100)
{
    struct prng prng = prng_stream(seed, 1);
    struct ib_credit credit = { .limit = ROOM };
    struct ib_buffer buffer = ib_buffer_of(ROOM);
    uint32_t on_link = 0; /* blocks */
    uint64_t sent = 0;

    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t blocks = 1 + prng_below(&prng, PACKET_BLOCKS);

        switch (prng_below(&prng, 4)) {
        case 0:
            if (ib_credit_permits(&credit, blocks)) {
                ib_credit_spend(&credit, blocks);
                on_link += blocks;
                sent += blocks;
            }
            break;
        case 1:
            ib_buffer_take(&buffer, on_link);
            on_link = 0;
            break;
        case 2:
            ib_buffer_free(&buffer, blocks < buffer.used ? blocks : buffer.used);
            break;
        default:
            credit.limit = buffer.told;
        }
        EXPECT_LE(buffer.used + on_link, ROOM);
    }
    EXPECT_GT(sent, 2 * 65536);
    ib_buffer_take(&buffer, on_link);
    ib_buffer_free(&buffer, buffer.used);
    credit.limit = buffer.limit;
    EXPECT(ib_credit_permits(&credit, ROOM));
    EXPECT(!ib_credit_permits(&credit, ROOM + 1));
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static struct port_slot slots[64];

static void open_lanes(struct ib_lane *lanes, struct port_pool *pool)
{
    *pool = (struct port_pool){ .slots = slots, .slot_count = 64, .free_head = PORT_SLOT_NONE };
    for (uint32_t i = 0; i < LANES; i++) {
        lanes[i] = (struct ib_lane){ .credit.limit = ROOM };
        for (uint32_t k = 0; k < 4; k++)
            port_queue_push(&lanes[i].queue, pool,
                &(struct port_entry){ .handle = i, .length_bytes = PACKET_BYTES });
    }
}

SPEC("lanes with packets and credit take turns")
{
    struct ib_lane lanes[LANES];
    struct port_pool pool;

    open_lanes(lanes, &pool);
    for (uint32_t turn = 0; turn < LANES; turn++)
        EXPECT_EQ(ib_lane_next(lanes, LANES, &pool, turn), turn);
}

SPEC("a lane without credit does not hold up the others")
{
    struct ib_lane lanes[LANES];
    struct port_pool pool;

    open_lanes(lanes, &pool);
    lanes[1].credit.limit = PACKET_BLOCKS - 1;
    EXPECT_EQ(ib_lane_next(lanes, LANES, &pool, 1), 2);
    lanes[0].credit.limit = 0;
    lanes[2].credit.limit = 0;
    EXPECT_EQ(ib_lane_next(lanes, LANES, &pool, 0), IB_NO_LANE);
    lanes[1].credit.limit = PACKET_BLOCKS;
    EXPECT_EQ(ib_lane_next(lanes, LANES, &pool, 2), 1);
}

SPEC("a lane to a NIC needs no credit, and an empty lane has no turn")
{
    struct ib_lane lanes[LANES];
    struct port_pool pool;

    open_lanes(lanes, &pool);
    lanes[0].credit.limit = 0;
    lanes[0].is_free = true;
    EXPECT_EQ(ib_lane_next(lanes, LANES, &pool, 0), 0);
    lanes[1] = (struct ib_lane){ .is_free = true };
    EXPECT_EQ(ib_lane_next(lanes, LANES, &pool, 1), 2);
}

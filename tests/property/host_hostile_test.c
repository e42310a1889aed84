/* SPDX-License-Identifier: Apache-2.0 */
/* What is not from the peer, for the QP and inside its window is dropped and counted, memory stays
 * as it is, and the real traffic goes on. */
#include "host_hostile.h"

static void expect_bytes(const uint8_t *from, uint32_t length, uint8_t value)
{
    for (uint32_t i = 0; i < length; i++)
        EXPECT_EQ(from[i], value);
}

static void expect_untouched(struct cable *cable)
{
    expect_bytes(cable->zone, RED_ZONE, 0xa5);
    expect_bytes(target(cable) + REGION, RED_ZONE + REGION + RED_ZONE, 0xa5);
}

static void write_next(struct cable *cable, uint32_t number)
{
    uint64_t offset = (uint64_t)(number % (REGION / WRITE_BYTES)) * WRITE_BYTES;

    EXPECT_EQ(
        endpoint_write(&cable->pair.ends[0], number % 2 ? cable->pair.qps[0] : cable->others[0],
            &cable->pair.addresses[1], offset, WRITE_BYTES),
        0);
}

static uint64_t drops_of(struct cable *cable, uint32_t end, enum drop_reason reason)
{
    struct host_counters counters;

    EXPECT_EQ(host_counters(cable->pair.ends[end].nic, &counters), 0);
    return counters.drops[reason];
}

static uint64_t all_drops(struct cable *cable)
{
    uint64_t sum = 0;

    for (uint32_t reason = DROP_NONE + 1; reason < DROP_REASON_COUNT; reason++)
        sum += drops_of(cable, 1, (enum drop_reason)reason) +
               drops_of(cable, 0, (enum drop_reason)reason);
    return sum;
}

/* What was given last may still be on its way. */
static bool has_taken_all(struct cable *cable, uint32_t end)
{
    struct host_port_state state;

    EXPECT_EQ(host_port_query(cable->pair.ends[end].nic, 0, &state), 0);
    return state.frames_received == cable->middle[end]->frames_sent;
}

static void carry_rest(struct cable *cable)
{
    int64_t end_s = patience_end_s();

    while (!(has_taken_all(cable, 0) && has_taken_all(cable, 1)) && patience_lasts(end_s)) {
        carry(cable, 0);
        carry(cable, 1);
    }
}

PROPERTY("hostile frames are dropped for a reason, memory stays, traffic goes on", 1)
{
    static const enum drop_reason only[] = { DROP_ICRC, DROP_ADDRESS, DROP_UNKNOWN_QP, DROP_PEER,
        DROP_BEYOND_WINDOW };
    static struct cable cable;
    struct host_completion completion;
    uint32_t posted = 0;
    uint32_t hostile = 0;
    uint32_t writes_under_attack;
    int64_t end_s;

    cable_open(&cable, seed);
    while (cable.kept_count < KEPT) { /* something to replay */
        write_next(&cable, posted++);
        EXPECT(carry_until(&cable, 1, &completion));
    }
    writes_under_attack = posted;
    for (uint32_t i = 0; i < WRITES_AT_ONCE; i++)
        write_next(&cable, posted++);
    end_s = patience_end_s();
    while (hostile < HOSTILE_FRAMES ||
           (posted - writes_under_attack <= WRITES_LEAST && patience_lasts(end_s))) {
        hostile += attack(&cable);
        carry(&cable, 0);
        carry(&cable, 1);
        if (host_cq_poll(cable.pair.ends[0].cq, &completion, 1) == 1) {
            EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
            write_next(&cable, posted++);
        }
    }
    EXPECT(carry_until(&cable, WRITES_AT_ONCE, &completion));
    EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    carry_rest(&cable);
    EXPECT_GT(posted - writes_under_attack, WRITES_LEAST);
    EXPECT_GE(all_drops(&cable), hostile);
    for (uint32_t i = 0; i < sizeof(only) / sizeof(only[0]); i++)
        EXPECT_EQ(drops_of(&cable, 1, only[i]), cable.sent_by_reason[only[i]]);
    EXPECT_GE(drops_of(&cable, 1, DROP_TRUNCATED), cable.sent_by_reason[DROP_TRUNCATED]);
    EXPECT_GE(drops_of(&cable, 0, DROP_FEEDBACK_RANGE), cable.sent_by_reason[DROP_FEEDBACK_RANGE]);
    expect_untouched(&cable);
    EXPECT_MEM_EQ(target(&cable), cable.pair.ends[0].memory, REGION / WRITE_BYTES * WRITE_BYTES);
    cable_close(&cable);
}

/* ---- a peer that misbehaves ------------------------------------------------------------------ */

/* The first data frame of the first QP, as its peer might have sent it. */
static void alter_write(
    struct cable *cable, uint8_t *bytes, uint32_t length, uint32_t rkey, uint64_t va)
{
    struct frame frame;

    if (frame_parse(format(cable), bytes, length, &frame) != DROP_NONE ||
        !opcode_is_write(frame.packet.opcode) ||
        frame.packet.dest_qpn != cable->pair.addresses[1].qpn)
        return;
    frame.packet.write.rkey = rkey;
    frame.packet.write.va = va;
    EXPECT_EQ(frame_build(format(cable), &frame, bytes, length), length);
    frame_seal(&frame, bytes);
}

static void with_wrong_key(struct cable *cable, uint8_t *bytes, uint32_t length)
{
    alter_write(cable, bytes, length, cable->target_key ^ 0x10, (uintptr_t)target(cable));
}

static void out_of_bounds(struct cable *cable, uint8_t *bytes, uint32_t length)
{
    alter_write(cable, bytes, length, cable->target_key, (uintptr_t)target(cable) + REGION - 1);
}

static void before_the_region(struct cable *cable, uint8_t *bytes, uint32_t length)
{
    alter_write(cable, bytes, length, cable->target_key, (uintptr_t)target(cable) - 1);
}

static void around_the_end_of_all(struct cable *cable, uint8_t *bytes, uint32_t length)
{
    alter_write(cable, bytes, length, cable->target_key, UINT64_MAX - 100);
}

PROPERTY("a peer's wrong key or bounds end that QP alone, with the access error", 4)
{
    static void (*const ways[])(struct cable *, uint8_t *, uint32_t) = { with_wrong_key,
        out_of_bounds, before_the_region, around_the_end_of_all };
    static struct cable cable;
    struct host_completion completion;
    struct host_async async;
    struct qp_attributes attributes;

    cable_open(&cable, seed);
    cable.alter = ways[seed % 4];
    write_next(&cable, 1);
    EXPECT(carry_until(&cable, 1, &completion));
    EXPECT_EQ(completion.status, COMPLETION_REMOTE_ACCESS);
    EXPECT_EQ(completion.qpn, cable.pair.addresses[0].qpn);
    EXPECT_EQ(host_qp_query(cable.pair.qps[1], &attributes), 0);
    EXPECT_EQ(attributes.state, QP_ERR);
    EXPECT_EQ(host_async_next(cable.pair.ends[1].nic, &async), 0);
    EXPECT_EQ(async.kind, HOST_ASYNC_QP_ACCESS_ERROR);
    EXPECT_EQ(async.qpn, cable.pair.addresses[1].qpn);
    expect_untouched(&cable);
    for (uint32_t i = 0; i < 20; i += 2) {
        write_next(&cable, i);
        EXPECT(carry_until(&cable, 1, &completion));
        EXPECT_EQ(completion.status, COMPLETION_SUCCESS);
    }
    expect_untouched(&cable);
    cable_close(&cable);
}

SPEC("numbers of QPs cannot be guessed: every bit of them varies")
{
    enum { COUNT = 64 };
    static struct cable cable;
    struct host_qp *qps[COUNT];
    uint32_t ones = 0;
    uint32_t zeros = 0;

    cable_open(&cable, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        qps[i] = endpoint_qp(&cable.pair.ends[0]);
        ones |= host_qp_number(qps[i]);
        zeros |= ~host_qp_number(qps[i]);
    }
    EXPECT_EQ(ones & 0xffffff, 0xffffff);
    EXPECT_EQ(zeros & 0xffffff, 0xffffff);
    for (uint32_t i = 0; i < COUNT; i++)
        EXPECT_EQ(host_qp_destroy(qps[i]), 0);
    cable_close(&cable);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Credits of UET: what a sender may send, what it asks for, and to whom a receiver grants. */
#include "spec.h"

#include "rival/rival.h"

enum {
    WINDOW_BYTES = 100000,
    PACKET_BYTES = 4096,
    GRANT_UNITS = 4 * PACKET_BYTES / UET_CREDIT_BYTES,
    GRANT_PS = 4 * PACKET_BYTES * 20,
};

static _Alignas(8) uint8_t memory[4096];

static void make_pacer(struct rccc_pacer *pacer, uint32_t count)
{
    struct arena arena;

    arena_init(&arena, memory, sizeof(memory));
    rccc_pacer_init(pacer, &arena,
        &(struct rccc_pacer_config){ .grantee_count = count,
            .ps_per_byte = 20,
            .packet_bytes = PACKET_BYTES,
            .window_bytes = WINDOW_BYTES });
}

SPEC("a new sender speculates with a window, until the first trim")
{
    struct rccc_source source;

    rccc_source_init(&source, WINDOW_BYTES);
    rccc_source_spend(&source, PACKET_BYTES);
    EXPECT(rccc_source_may_send(&source));
    rccc_source_on_trim(&source);
    EXPECT(!rccc_source_may_send(&source));
    rccc_source_on_credit(&source, 16, WINDOW_BYTES);
    EXPECT_EQ(source.credit_bytes, 4096);
    rccc_source_on_trim(&source);
    EXPECT_EQ(source.credit_bytes, 4096); /* it does not speculate any more */
}

SPEC("the first credit replaces what the sender speculated with; old credits count once")
{
    struct rccc_source source;

    rccc_source_init(&source, WINDOW_BYTES);
    rccc_source_on_credit(&source, 16, WINDOW_BYTES);
    EXPECT_EQ(source.credit_bytes, 4096);
    rccc_source_on_credit(&source, 16, WINDOW_BYTES);
    rccc_source_on_credit(&source, 8, WINDOW_BYTES);
    EXPECT_EQ(source.credit_bytes, 4096);
    rccc_source_on_credit(&source, 100000, WINDOW_BYTES);
    EXPECT_EQ(source.credit_bytes, WINDOW_BYTES);
}

SPEC("a sender asks for what it lacks, divided among the connections of its NIC")
{
    struct rccc_source source;

    rccc_source_init(&source, 0);
    rccc_source_on_credit(&source, 16, WINDOW_BYTES);
    EXPECT_EQ(rccc_source_target(&source, 4096, 1), 16);
    EXPECT_EQ(rccc_source_target(&source, 4096 + 256, 1), 17);
    EXPECT_EQ(rccc_source_target(&source, 4096 + 1024, 4), 17);
    EXPECT_EQ(rccc_source_target(&source, 4096 + 1, 1), 17);
}

SPEC("active connections take turns, four packets at a time, at the rate of the pacer")
{
    struct rccc_pacer pacer;

    make_pacer(&pacer, 3);
    EXPECT_EQ(rccc_pacer_next_ps(&pacer), RCCC_NEVER_PS);
    rccc_pacer_on_target(&pacer, 2, 2 * GRANT_UNITS, 5000);
    rccc_pacer_on_target(&pacer, 0, 2 * GRANT_UNITS, 6000);
    EXPECT_EQ(rccc_pacer_next_ps(&pacer), 5000);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 2);
    EXPECT_EQ(rccc_pacer_next_ps(&pacer), 5000 + GRANT_PS);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 0);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 2);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 0);
    EXPECT_EQ(rccc_pacer_next_ps(&pacer), 5000 + 4 * GRANT_PS);
    EXPECT_EQ(pacer.grantees[0].granted, 2 * GRANT_UNITS);
    EXPECT_EQ(pacer.grantees[2].granted, 2 * GRANT_UNITS);
}

SPEC("a connection is granted what it wants, and idle ones in advance, up to a window")
{
    struct rccc_pacer pacer;
    uint32_t grants = 0;

    make_pacer(&pacer, 2);
    rccc_pacer_on_target(&pacer, 1, 3, 0);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 1);
    EXPECT_EQ(pacer.grantees[1].granted, 3);
    while (rccc_pacer_next_ps(&pacer) != RCCC_NEVER_PS) {
        EXPECT_EQ(rccc_pacer_grant(&pacer), 1); /* the other one has never sent anything */
        grants++;
    }
    EXPECT_EQ(grants, WINDOW_BYTES / (4 * PACKET_BYTES));
}

SPEC("an active connection is granted before an idle one, and a trim makes one active")
{
    struct rccc_pacer pacer;

    make_pacer(&pacer, 2);
    rccc_pacer_on_target(&pacer, 0, 0, 0);
    rccc_pacer_on_target(&pacer, 1, 16, 0);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 1);
    rccc_pacer_on_trim(&pacer, 1, PACKET_BYTES, 0);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 1);
    EXPECT_EQ(pacer.grantees[1].granted, 32);
    EXPECT_EQ(rccc_pacer_grant(&pacer), 0);
}

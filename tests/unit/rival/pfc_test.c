/* SPDX-License-Identifier: Apache-2.0 */
/* Priority flow control: thresholds, headroom, and when senders are paused and resumed. */
#include "spec.h"

#include "rival/rival.h"

enum {
    PORTS = 4,
    PACKET = 1000,
    HEADROOM = 20000,
    POOL = 400000,
};

static uint64_t memory[64];

static void open_pfc(struct pfc *pfc)
{
    const struct pfc_config config = {
        .buffer_bytes = POOL + PORTS * HEADROOM, .xon_bytes = 2 * PACKET, .refresh_ps = 5000
    };
    struct arena arena;

    arena_init(&arena, memory, sizeof(memory));
    pfc_init(pfc, &arena, &config, PORTS);
    for (uint32_t i = 0; i < PORTS; i++)
        pfc_reserve(pfc, i, HEADROOM);
}

/* Packets come in at these ports in turn until all have been paused. Returns the bytes of each. */
static uint64_t fill(struct pfc *pfc, uint32_t ports)
{
    uint32_t paused = 0;
    uint64_t bytes = 0;

    while (paused < ports) {
        for (uint32_t i = 0; i < ports; i++) {
            struct pfc_step step = pfc_admit(pfc, i, PACKET, 0);

            EXPECT(!step.is_lost);
            paused += step.signal == PFC_PAUSE;
        }
        bytes += PACKET;
    }
    return bytes;
}

SPEC("with alpha 1, n full ports share the pool: each has 1 / (1 + n) of it")
{
    struct pfc pfc;

    for (uint32_t ports = 1; ports <= PORTS; ports++) {
        uint64_t bytes;

        open_pfc(&pfc);
        bytes = fill(&pfc, ports);
        EXPECT_GE(bytes + 2 * PACKET, POOL / (1 + ports));
        EXPECT_LE(bytes, POOL / (1 + ports) + 2 * PACKET);
    }
}

SPEC("what arrives after a pause goes into the headroom, and is lost only beyond it")
{
    uint32_t fitting = 0;
    struct pfc pfc;

    open_pfc(&pfc);
    fill(&pfc, 1);
    while (!pfc_admit(&pfc, 0, PACKET, 0).is_lost)
        fitting++;
    EXPECT_GE(fitting, HEADROOM / PACKET - 1);
    EXPECT_LE(fitting, HEADROOM / PACKET);
    EXPECT_EQ(pfc.peak_bytes, HEADROOM);
}

SPEC("a sender resumes once, when its port is below the threshold by the offset")
{
    struct pfc pfc;
    uint64_t left;
    uint32_t resumed = 0;

    open_pfc(&pfc);
    for (left = fill(&pfc, 1); left > 0; left -= PACKET) {
        struct pfc_step step = pfc_release(&pfc, 0, PACKET);

        if (step.signal != PFC_RESUME)
            continue;
        resumed++;
        EXPECT_LE(left - PACKET + 2 * PACKET, POOL / 2 + 3 * PACKET);
        EXPECT_GE(left, POOL / 2 - 6 * PACKET);
    }
    EXPECT_EQ(resumed, 1);
    EXPECT_EQ(pfc.used_bytes, 0);
}

SPEC("a pause that was lost is repeated, but not while packets may still be under way")
{
    struct pfc pfc;

    open_pfc(&pfc);
    fill(&pfc, 1);
    EXPECT_EQ(pfc_admit(&pfc, 0, PACKET, 4999).signal, PFC_SILENT);
    EXPECT_EQ(pfc_admit(&pfc, 0, PACKET, 5000).signal, PFC_PAUSE);
    EXPECT_EQ(pfc_admit(&pfc, 0, PACKET, 5001).signal, PFC_SILENT);
}

/* 5.05 ns per metre. */
static uint64_t headroom(uint64_t gbps, uint64_t metres)
{
    struct pfc_link link = { .rate_bps = gbps * UINT64_C(1000000000),
        .there_ps = metres * 5050,
        .back_ps = metres * 5050,
        .packet_bytes = 4200 };

    EXPECT_LE(pfc_least_headroom(&link), pfc_usual_headroom(&link));
    return pfc_usual_headroom(&link);
}

SPEC("the usual headroom is that of the published formula")
{
    EXPECT_EQ(headroom(100, 5), 34247);
    EXPECT_EQ(headroom(100, 100), 46241);
    EXPECT_EQ(headroom(200, 40), 47492);
    EXPECT_EQ(headroom(400, 5), 68845);
    EXPECT_EQ(headroom(400, 100), 116820);
    EXPECT_EQ(headroom(800, 300), 369320);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of writes without immediate. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "conform/api_peer.h"
#include "conform/api_suite.h"

enum { MTU = 1024, GAP = 64, SEED = 7, CLEAN = 0 };

static struct api_write write_at(
    const struct api_run *run, uint32_t offset, uint32_t bytes, uint64_t id)
{
    return (struct api_write){ .id = id,
        .offset = offset,
        .bytes = bytes,
        .remote = run->peer->card.address + offset,
        .rkey = run->peer->card.rkey };
}

static void post_write(struct api_side *side, const struct api_write *write)
{
    int err = api_side_write(side, write);

    api_run_must(side->run, err == 0, "mrc_post_send: %s", api_run_error_text(err));
}

static void expect_bytes(struct api_run *run, uint32_t offset, uint32_t bytes, uint8_t seed)
{
    uint32_t at = api_peer_differs(run, offset, bytes, seed);

    api_run_expect(
        run, at == bytes, "byte %u of the %u that were written is wrong at the peer", at, bytes);
}

/* Surrounds the target with a pattern, writes, and looks at both. */
static void write_and_look(struct api_side *side, uint32_t bytes, uint64_t id)
{
    struct api_run *run = side->run;
    struct api_write write = write_at(run, 4096, bytes, id);
    struct ibv_wc wc;

    api_peer_fill(run, 4096 - GAP, GAP, CLEAN);
    api_peer_fill(run, 4096, bytes, (uint8_t)(SEED + 1));
    api_peer_fill(run, 4096 + bytes, GAP, CLEAN);
    api_side_fill(side, 4096, bytes, SEED);
    post_write(side, &write);
    wc = api_side_succeed(side, side->send_cq);
    api_run_expect(run, wc.wr_id == id, "the completion has id %lu instead of %lu", wc.wr_id, id);
    expect_bytes(run, 4096, bytes, SEED);
    api_run_expect(run, api_peer_differs(run, 4096 - GAP, GAP, CLEAN) == GAP,
        "a write of %u bytes changed bytes in front of its target", bytes);
    api_run_expect(run, api_peer_differs(run, 4096 + bytes, GAP, CLEAN) == GAP,
        "a write of %u bytes changed bytes behind its target", bytes);
}

void api_suite_write(struct api_run *run)
{
    struct api_write write;
    struct api_side side = { .run = NULL };
    struct ibv_wc wc;
    uint32_t qpn = 0;

    api_peer_join(run, &side, NULL, NULL, 0);
    write_and_look(&side, 256, UINT64_C(0x0123456789abcdef));
    write = write_at(run, 0, 16, 5);
    post_write(&side, &write);
    wc = api_side_succeed(&side, side.send_cq);
    API(run, get_qpn)(side.qp, &qpn);
    api_run_expect(run, wc.opcode == IBV_WC_RDMA_WRITE,
        "the opcode of the completion is %d, not %d", wc.opcode, IBV_WC_RDMA_WRITE);
    api_run_expect(
        run, wc.qp_num == qpn, "qp_num is 0x%x, the QP has the number 0x%x", wc.qp_num, qpn);
    api_run_expect(run, api_side_extra(&side, side.send_cq) == 0, "a write completes twice");
    api_run_expect(
        run, api_peer_extra(run) == 0, "a write without immediate completes at the peer");
    api_side_close(&side);
}

void api_suite_write_sizes(struct api_run *run)
{
    static const uint32_t sizes[] = { 0, 1, 2, 3, 5, MTU - 1, MTU, MTU + 1, 2 * MTU, 10 * MTU + 3,
        API_SIDE_MEMORY_BYTES - 4096 - GAP };
    struct api_side side = { .run = NULL };

    api_peer_join(run, &side, NULL, NULL, 0);
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !run->has_failed; i++)
        write_and_look(&side, sizes[i], i);
    api_side_close(&side);
}

void api_suite_write_gather(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct ibv_sge pieces[2];
    struct ibv_send_wr wr = { .sg_list = pieces, .num_sge = 2, .opcode = IBV_WR_RDMA_WRITE };
    struct ibv_send_wr *bad = NULL;
    int err;

    api_peer_join(run, &side, NULL, NULL, 0);
    api_side_fill(&side, 0, 3 * MTU, SEED);
    memmove(side.memory + 100000, side.memory + MTU + 17, 3 * MTU - MTU - 17);
    pieces[0] = (struct ibv_sge){ (uintptr_t)side.memory, MTU + 17, side.mr->lkey };
    pieces[1] =
        (struct ibv_sge){ (uintptr_t)side.memory + 100000, 3 * MTU - MTU - 17, side.mr->lkey };
    wr.wr.rdma.remote_addr = run->peer->card.address;
    wr.wr.rdma.rkey = run->peer->card.rkey;
    err = api_run_error_number(API(run, post_send)(side.qp, &wr, &bad));
    api_run_must(run, err == 0, "mrc_post_send of two pieces: %s", api_run_error_text(err));
    api_side_succeed(&side, side.send_cq);
    expect_bytes(run, 0, 3 * MTU, SEED);
    api_side_close(&side);
}

void api_suite_write_inline(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_write write;
    uint32_t bytes;

    api_peer_join(run, &side, NULL, NULL, 0);
    bytes = side.cap.max_inline_data < 32 ? side.cap.max_inline_data : 32;
    for (uint32_t i = 0; i < 16; i++) {
        api_side_fill(&side, 0, bytes, (uint8_t)(SEED + i));
        write = write_at(run, 0, bytes, i);
        write.remote += (uint64_t)i * 64;
        write.flags = IBV_SEND_INLINE;
        write.lkey = 0xdead;
        post_write(&side, &write);
        memset(side.memory, 0xff, bytes);
    }
    for (uint32_t i = 0; i < 16; i++)
        api_side_succeed(&side, side.send_cq);
    for (uint32_t i = 0; i < 16; i++)
        expect_bytes(run, i * 64, bytes, (uint8_t)(SEED + i));
    api_side_close(&side);
}

/* The smallest MTU gives 4080 packets; the smallest MPR has 128 PSNs. */
void api_suite_write_many(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct mrc_qp_attr attr = { .mpr.mpr = 1 };
    struct mrc_device_attr limits = { .cap = 0 };
    int supported;

    api_side_open(&side, run, run->device);
    api_run_must(run, API(run, query_device)(side.verbs, &limits, &supported) == 0,
        "mrc_query_device fails");
    attr.mpr.mpr = limits.mpr_attr.mpr_resolution;
    api_peer_join(run, &side, NULL, &attr, MRC_QP_MPR);
    for (uint64_t i = 0; i < 4 && !run->has_failed; i++)
        write_and_look(&side, API_SIDE_MEMORY_BYTES - 4096 - GAP, i);
    api_side_close(&side);
}

void api_suite_write_back(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_card card;
    uint32_t half = API_SIDE_MEMORY_BYTES / 2;

    api_peer_join(run, &side, NULL, NULL, 0);
    card = api_side_card(&side);
    api_side_fill(&side, 0, half, SEED);
    api_peer_fill(run, half, half, SEED + 1);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t part = half / 8;
        uint32_t at = half + i * part;
        struct api_write mine = write_at(run, i * part, part, i);
        struct api_write theirs = {
            .id = i, .offset = at, .bytes = part, .remote = card.address + at, .rkey = card.rkey
        };

        post_write(&side, &mine);
        api_peer_write(run, &theirs);
    }
    for (uint32_t i = 0; i < 8; i++) {
        api_side_succeed(&side, side.send_cq);
        api_run_expect(
            run, api_peer_next_send(run).status == IBV_WC_SUCCESS, "a write of the peer fails");
    }
    expect_bytes(run, 0, half, SEED);
    api_run_expect(run, api_side_differs(&side, half, half, SEED + 1) == half,
        "byte %u of what the peer wrote is wrong", api_side_differs(&side, half, half, SEED + 1));
    api_side_close(&side);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 3, WRITES = 200, ALL_WRITES = THREADS * WRITES };

struct poster {
    struct api_side *side;
    uint64_t first_id;
    int err;
};

/* A full queue is no error: the writes complete meanwhile. */
static void *post_writes(void *context)
{
    struct poster *poster = context;
    struct api_wait wait = api_run_wait(poster->side->run);

    for (uint64_t i = 0; i < WRITES && poster->err == 0; i++) {
        struct api_write write = write_at(poster->side->run, 0, 8, poster->first_id + i);

        do
            poster->err = api_side_write(poster->side, &write);
        while (poster->err == ENOMEM && api_run_goes_on(&wait));
    }
    return NULL;
}

void api_suite_write_threads(struct api_run *run)
{
    static uint8_t seen[ALL_WRITES];
    struct poster posters[THREADS];
    struct api_side side = { .run = NULL };
    pthread_t threads[THREADS];

    api_peer_join(run, &side, &(struct api_side_wants){ .cqe = ALL_WRITES }, NULL, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        posters[i] = (struct poster){ .side = &side, .first_id = (uint64_t)i * WRITES };
        api_run_must(run, pthread_create(&threads[i], NULL, post_writes, &posters[i]) == 0,
            "no thread can be started");
    }
    for (uint32_t i = 0; i < ALL_WRITES; i++) {
        struct ibv_wc wc = api_side_succeed(&side, side.send_cq);

        api_run_must(run, wc.wr_id < ALL_WRITES && seen[wc.wr_id]++ == 0,
            "a completion has the id %lu, which is unknown or came before", wc.wr_id);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        api_run_expect(
            run, posters[i].err == 0, "mrc_post_send: %s", api_run_error_text(posters[i].err));
    }
    api_side_close(&side);
}

/* ---- completions ----------------------------------------------------------------------------- */

void api_suite_signal(struct api_run *run)
{
    struct api_side side = { .run = NULL };

    api_peer_join(run, &side, &(struct api_side_wants){ .no_signal = 1 }, NULL, 0);
    for (uint64_t i = 0; i < 200; i++) {
        struct api_write write = write_at(run, (uint32_t)i * 16, 16, i);
        bool is_signalled = i % 10 == 9;

        write.flags = is_signalled ? IBV_SEND_SIGNALED : 0;
        post_write(&side, &write);
        if (is_signalled) {
            struct ibv_wc wc = api_side_succeed(&side, side.send_cq);

            api_run_must(
                run, wc.wr_id == i, "write %lu completes; the signalled one is %lu", wc.wr_id, i);
        }
    }
    api_run_expect(
        run, api_side_extra(&side, side.send_cq) == 0, "a write that is not signalled completes");
    api_side_close(&side);
}

/* Long and short writes alternate: the short ones arrive first on other paths. */
void api_suite_order(struct api_run *run)
{
    struct api_side side = { .run = NULL };

    api_peer_join(run, &side, NULL, NULL, 0);
    for (uint64_t round = 0; round < 8; round++) {
        for (uint64_t i = 0; i < 32; i++) {
            struct api_write write = write_at(run, 0, i % 2 ? 1 : 20 * MTU, round * 32 + i);

            post_write(&side, &write);
        }
        for (uint64_t i = 0; i < 32; i++) {
            struct ibv_wc wc = api_side_succeed(&side, side.send_cq);

            api_run_must(run, wc.wr_id == round * 32 + i, "write %lu completes before write %lu",
                wc.wr_id, round * 32 + i);
        }
    }
    api_side_close(&side);
}

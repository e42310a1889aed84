/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of failing writes, at the end that sends them. */
#include <errno.h>
#include <string.h>

#include "conform/api_peer.h"
#include "conform/api_suite.h"

enum { BYTES = 64, SEED = 3 };

static struct api_write write_to_peer(const struct api_run *run)
{
    return (struct api_write){
        .id = 1, .bytes = BYTES, .remote = run->peer->card.address, .rkey = run->peer->card.rkey
    };
}

static void post_write(struct api_side *side, const struct api_write *write)
{
    int err = api_side_write(side, write);

    api_run_must(side->run, err == 0, "mrc_post_send: %s", api_run_error_text(err));
}

static void expect_status(struct api_side *side, enum ibv_wc_status status, const char *what)
{
    struct ibv_wc wc = api_side_next(side, side->send_cq);

    api_run_expect(side->run, wc.status == status, "%s completes with status %d instead of %d",
        what, wc.status, status);
}

/* The library may report the completion a moment before the state. */
static void expect_error_state(struct api_side *side)
{
    struct api_wait wait = api_run_wait(side->run);

    while (api_side_state(side) != IBV_QPS_ERR)
        if (!api_run_goes_on(&wait)) {
            api_run_fail(side->run, "after a failed write the QP is in state %d, not in ERR",
                api_side_state(side));
            return;
        }
}

/* A write that the peer must refuse; the first bytes of its memory stay as they are. */
static void expect_denied(struct api_side *side, const struct api_write *write, const char *what)
{
    struct api_run *run = side->run;

    api_peer_fill(run, 0, BYTES, SEED);
    post_write(side, write);
    expect_status(side, IBV_WC_REM_ACCESS_ERR, what);
    expect_error_state(side);
    api_run_expect(run, api_peer_differs(run, 0, BYTES, SEED) == BYTES,
        "%s changed the memory of the peer", what);
}

void api_suite_error_key(struct api_run *run)
{
    struct api_wait wait = api_run_wait(run);
    struct api_side side = { .run = NULL };
    struct api_write write;

    api_peer_join(run, &side, NULL, NULL, 0);
    write = write_to_peer(run);
    write.rkey ^= 0x40;
    expect_denied(&side, &write, "a write with a wrong key");
    while (api_peer_state(run) != IBV_QPS_ERR)
        if (!api_run_goes_on(&wait))
            api_run_silent(run, "the QP of the responder does not go to ERR");
    api_side_close(&side);
}

void api_suite_error_bounds(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_write write;

    api_peer_join(run, &side, NULL, NULL, 0);
    write = write_to_peer(run);
    write.remote -= 1;
    expect_denied(&side, &write, "a write that begins before the region");
    api_run_must(run, api_side_to_state(&side, IBV_QPS_RESET) == 0, "mrc_modify_qp to RESET");
    api_side_close(&side);
}

void api_suite_error_permission(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_write write;

    run->peer->wants.access = IBV_ACCESS_LOCAL_WRITE;
    api_peer_join(run, &side, NULL, NULL, 0);
    write = write_to_peer(run);
    expect_denied(&side, &write, "a write to a region without IBV_ACCESS_REMOTE_WRITE");
    api_side_close(&side);
}

void api_suite_error_flags(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_write write;

    api_peer_join(run, &side, NULL, NULL, 0);
    api_peer_allow(run, 0);
    write = write_to_peer(run);
    expect_denied(&side, &write, "a write to a QP without IBV_ACCESS_REMOTE_WRITE");
    api_side_close(&side);
}

void api_suite_error_forgotten(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_write write;
    struct ibv_wc wc;

    api_peer_join(run, &side, NULL, NULL, 0);
    write = write_to_peer(run);
    post_write(&side, &write);
    api_side_succeed(&side, side.send_cq);
    api_peer_forget_memory(run);
    api_peer_fill(run, 0, BYTES, SEED);
    post_write(&side, &write);
    wc = api_side_next(&side, side.send_cq);
    api_run_expect(run, wc.status == IBV_WC_REM_ACCESS_ERR,
        "a write to memory that was deregistered completes with status %d instead of %d", wc.status,
        IBV_WC_REM_ACCESS_ERR);
    api_run_expect(run, api_peer_differs(run, 0, BYTES, SEED) == BYTES,
        "memory changes after it was deregistered");
    api_side_close(&side);
}

void api_suite_error_local(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_write write;

    api_peer_join(run, &side, NULL, NULL, 0);
    write = write_to_peer(run);
    write.lkey = side.mr->lkey ^ 0x40;
    api_peer_fill(run, 0, BYTES, SEED);
    post_write(&side, &write);
    expect_status(&side, IBV_WC_LOC_PROT_ERR, "a write from memory with a wrong key");
    expect_error_state(&side);
    api_run_expect(run, api_peer_differs(run, 0, BYTES, SEED) == BYTES,
        "a write from memory with a wrong key arrives");
    api_side_close(&side);
}

void api_suite_error_no_receive(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_write write;
    struct ibv_wc wc;

    api_peer_join(run, &side, NULL, NULL, 0);
    write = write_to_peer(run);
    write.with_immediate = true;
    post_write(&side, &write);
    wc = api_side_next(&side, side.send_cq);
    api_run_expect(run, wc.status != IBV_WC_SUCCESS, "an immediate that finds no receive succeeds");
    api_run_expect(
        run, wc.status != IBV_WC_WR_FLUSH_ERR, "the write that fails is reported as flushed");
    api_run_reading(run, API_POINT_NO_RECEIVE_STATUS, "%s",
        wc.status == IBV_WC_REM_OP_ERR          ? "IBV_WC_REM_OP_ERR"
        : wc.status == IBV_WC_REM_INV_REQ_ERR   ? "IBV_WC_REM_INV_REQ_ERR"
        : wc.status == IBV_WC_RNR_RETRY_EXC_ERR ? "IBV_WC_RNR_RETRY_EXC_ERR"
                                                : "another status");
    expect_error_state(&side);
    api_side_close(&side);
}

void api_suite_error_flush(struct api_run *run)
{
    struct api_side side = { .run = NULL };

    api_peer_join(run, &side, NULL, NULL, 0);
    for (uint64_t i = 0; i < 16; i++) {
        struct api_write write = write_to_peer(run);

        write.id = i;
        write.rkey ^= i == 0 ? 0x40u : 0u;
        post_write(&side, &write);
    }
    expect_status(&side, IBV_WC_REM_ACCESS_ERR, "the first write, with a wrong key,");
    for (uint64_t i = 1; i < 16; i++) {
        struct ibv_wc wc = api_side_next(&side, side.send_cq);

        api_run_expect(run, wc.wr_id == i, "write %lu completes as number %lu", wc.wr_id, i);
        api_run_expect(run, wc.status == IBV_WC_WR_FLUSH_ERR,
            "write %lu behind the failed one completes with status %d", wc.wr_id, wc.status);
    }
    api_side_close(&side);
}

/* The QP of the peer stays in RESET, where packets are dropped without an answer. */
void api_suite_error_retries(struct api_run *run)
{
    struct mrc_qp_attr attr = { .timeout = 12, .retry = { .linear_cnt = 1 } };
    struct api_side side = { .run = NULL };
    struct api_write write;

    run->peer->wants.device = run->is_private ? "mrc3" : NULL;
    api_peer_open(run);
    api_side_open(&side, run, run->is_private ? "mrc2" : run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 4 });
    api_side_connect(&side, &run->peer->card, &attr, MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT);
    write = write_to_peer(run);
    post_write(&side, &write);
    expect_status(&side, IBV_WC_RETRY_EXC_ERR, "a write that is never answered");
    expect_error_state(&side);
    api_side_close(&side);
}

static void expect_flushed(struct api_side *side, struct mrc_cq *cq, uint64_t id, const char *what)
{
    struct ibv_wc wc = api_side_next(side, cq);

    api_run_expect(side->run, wc.wr_id == id && wc.status == IBV_WC_WR_FLUSH_ERR,
        "%s %lu completes in ERR with id %lu and status %d", what, id, wc.wr_id, wc.status);
}

/* The peer does not answer, so the writes are pending. */
void api_suite_flush(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    int err;

    api_peer_open(run);
    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 8 });
    api_side_connect(&side, &run->peer->card, NULL, 0);
    api_run_must(run, api_side_receive(&side, 40, 4) == 0, "mrc_post_recv fails");
    for (uint64_t i = 0; i < 4; i++) {
        struct api_write write = write_to_peer(run);

        write.id = i;
        post_write(&side, &write);
    }
    err = api_side_to_state(&side, IBV_QPS_ERR);
    api_run_must(run, err == 0, "mrc_modify_qp to ERR: %s", api_run_error_text(err));
    for (uint64_t i = 0; i < 4; i++)
        expect_flushed(&side, side.send_cq, i, "write");
    for (uint64_t i = 40; i < 44; i++)
        expect_flushed(&side, side.recv_cq, i, "receive");
    api_side_close(&side);
}

void api_suite_again(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct api_card card;

    api_peer_join(run, &side, NULL, NULL, 0);
    for (int i = 0; i < 3; i++) {
        struct api_write write = write_to_peer(run);

        api_side_fill(&side, 0, BYTES, (uint8_t)(SEED + i));
        post_write(&side, &write);
        api_side_succeed(&side, side.send_cq);
        api_run_expect(run, api_peer_differs(run, 0, BYTES, (uint8_t)(SEED + i)) == BYTES,
            "after reset %d the write does not arrive", i);
        api_run_must(run, api_side_to_state(&side, IBV_QPS_RESET) == 0, "mrc_modify_qp to RESET");
        api_peer_to_state(run, IBV_QPS_RESET);
        card = api_side_card(&side);
        api_peer_connect(run, &card);
        api_side_connect(&side, &run->peer->card, NULL, 0);
    }
    api_side_close(&side);
}

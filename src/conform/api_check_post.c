/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of posting. */
#include <errno.h>
#include <string.h>

#include "conform/api_peer.h"
#include "conform/api_suite.h"

enum { FULL_MAX = 1 << 20 }; /* requests after which a queue that is never full is endless */

static struct api_write write_nothing(const struct api_side *side)
{
    return (struct api_write){ .remote = (uintptr_t)side->memory, .rkey = side->mr->rkey };
}

/* A QP whose peer does not exist. */
static void connect_nowhere(struct api_side *side, struct api_run *run)
{
    struct api_card card;

    api_side_open(side, run, run->device);
    api_side_make(side, &(struct api_side_wants){ .depth = 16 });
    card = api_side_card(side);
    card.gid.raw[15] ^= 0x55;
    card.qpn ^= 0x10;
    api_side_connect(side, &card, NULL, 0);
}

static void expect_posting(struct api_side *side, bool sends, bool receives, const char *state)
{
    struct api_run *run = side->run;
    struct api_write write = write_nothing(side);
    int send_err = api_side_write(side, &write);
    int receive_err = api_side_receive(side, 1, 1);

    api_run_expect(run, (send_err == 0) == sends, "mrc_post_send in %s: %s", state,
        api_run_error_text(send_err));
    api_run_expect(run, sends || send_err == 0 || send_err == EINVAL,
        "mrc_post_send in %s: %s instead of EINVAL", state, api_run_error_text(send_err));
    api_run_expect(run, (receive_err == 0) == receives, "mrc_post_recv in %s: %s", state,
        api_run_error_text(receive_err));
}

void api_suite_post_states(struct api_run *run)
{
    struct api_write write;
    struct api_side side;
    struct api_card card;
    int err;

    api_side_open(&side, run, run->device);
    api_side_make(&side, &(struct api_side_wants){ .depth = 16 });
    card = api_side_card(&side);
    expect_posting(&side, false, false, "RESET");
    write = write_nothing(&side);
    api_run_must(run, api_side_to_init(&side) == 0, "mrc_modify_qp to INIT fails");
    api_run_ends(run, api_side_write(&side, &write), EINVAL, "mrc_post_send in INIT");
    err = api_side_receive(&side, 1, 1);
    api_run_reading(
        run, API_POINT_RECEIVE_IN_INIT, "%s", err ? api_run_error_text(err) : "accepted");
    api_run_must(run, api_side_to_rtr(&side, &card, 0) == 0, "mrc_modify_qp to RTR fails");
    expect_posting(&side, false, true, "RTR");
    api_run_must(run, api_side_to_rts(&side, 0) == 0, "mrc_modify_qp to RTS fails");
    expect_posting(&side, true, true, "RTS");
    api_side_close(&side);
}

void api_suite_post_operations(struct api_run *run)
{
    static const enum ibv_wr_opcode others[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
        IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD };
    struct api_side side;

    connect_nowhere(&side, run);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct ibv_sge sge = { .addr = (uintptr_t)side.memory, .length = 8, .lkey = side.mr->lkey };
        struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = others[i] };
        struct ibv_send_wr *bad = NULL;
        int err = api_run_error_number(API(run, post_send)(side.qp, &wr, &bad));

        api_run_expect(run, err == EINVAL, "mrc_post_send of operation %d: %s", others[i],
            api_run_error_text(err));
        api_run_expect(run, err == 0 || bad == &wr, "*bad_wr is not the request that was refused");
    }
    api_side_close(&side);
}

static void post_pieces(struct api_side *side, uint32_t count)
{
    struct ibv_sge pieces[64];
    struct ibv_send_wr wr = { .sg_list = pieces,
        .num_sge = (int)count,
        .opcode = IBV_WR_RDMA_WRITE,
        .wr.rdma = { .remote_addr = (uintptr_t)side->memory, .rkey = side->mr->rkey } };
    struct ibv_send_wr *bad = NULL;

    for (uint32_t i = 0; i < count; i++)
        pieces[i] = (struct ibv_sge){ (uintptr_t)side->memory, 1, side->mr->lkey };
    api_run_ends(side->run, api_run_error_number(API(side->run, post_send)(side->qp, &wr, &bad)),
        EINVAL, "mrc_post_send with more pieces than granted");
}

void api_suite_post_limits(struct api_run *run)
{
    struct api_write write;
    struct api_side side;

    connect_nowhere(&side, run);
    if (side.cap.max_send_sge < 64)
        post_pieces(&side, side.cap.max_send_sge + 1);
    write = write_nothing(&side);
    write.flags = IBV_SEND_INLINE;
    write.bytes = side.cap.max_inline_data + 1;
    if (write.bytes <= API_SIDE_MEMORY_BYTES)
        api_run_ends(run, api_side_write(&side, &write), EINVAL,
            "mrc_post_send with more inline data than granted");
    write.flags = 1u << 30;
    write.bytes = 1;
    api_run_ends(run, api_side_write(&side, &write), EINVAL, "mrc_post_send with an unknown flag");
    api_side_close(&side);
}

void api_suite_post_null(struct api_run *run)
{
    struct ibv_send_wr send = { .opcode = IBV_WR_RDMA_WRITE };
    struct ibv_recv_wr receive = { .wr_id = 1 };
    struct ibv_send_wr *bad_send;
    struct ibv_recv_wr *bad_receive;
    struct api_side side;
    int result;

    connect_nowhere(&side, run);
    api_run_ends(run, api_run_error_number(API(run, post_send)(NULL, &send, &bad_send)), EINVAL,
        "mrc_post_send to no QP");
    api_run_ends(run, api_run_error_number(API(run, post_send)(side.qp, &send, NULL)), EINVAL,
        "mrc_post_send without bad_wr");
    result = API(run, post_recv)(NULL, &receive, &bad_receive);
    api_run_ends(run, result == -1 ? errno : result, EINVAL, "mrc_post_recv to no QP");
    result = API(run, post_recv)(side.qp, &receive, NULL);
    api_run_ends(run, result == -1 ? errno : result, EINVAL, "mrc_post_recv without bad_wr");
    api_side_close(&side);
}

/* ---- full queues ----------------------------------------------------------------------------- */

static void read_recv_result(struct api_side *side)
{
    struct ibv_recv_wr wr = { .wr_id = 7 };
    struct ibv_recv_wr *bad = NULL;
    int result = API(side->run, post_recv)(side->qp, &wr, &bad);

    api_run_expect(side->run, bad == &wr, "*bad_wr is not the receive that was refused");
    if (result == -1)
        api_run_reading(side->run, API_POINT_POST_RECV_RESULT, "-1 with errno");
    else
        api_run_reading(side->run, API_POINT_POST_RECV_RESULT, "the errno value");
    api_run_ends(
        side->run, result == -1 ? errno : result, ENOMEM, "mrc_post_recv into a full queue");
}

/* The peer does not exist, so no write completes. */
void api_suite_post_full(struct api_run *run)
{
    struct api_write write;
    struct api_side side;
    uint32_t sends = 0;
    uint32_t receives = 0;
    int err = 0;

    connect_nowhere(&side, run);
    write = write_nothing(&side);
    while (sends < FULL_MAX && (err = api_side_write(&side, &write)) == 0)
        sends++;
    api_run_expect(run, sends >= side.cap.max_send_wr,
        "%u writes are granted, and write %u is refused with %s", side.cap.max_send_wr, sends + 1,
        api_run_error_text(err));
    api_run_ends(run, err, ENOMEM, "mrc_post_send into a full queue");
    while (receives < FULL_MAX && api_side_receive(&side, receives, 1) == 0)
        receives++;
    api_run_expect(run, receives >= side.cap.max_recv_wr,
        "%u receives are granted, and receive %u is refused", side.cap.max_recv_wr, receives + 1);
    read_recv_result(&side);
    api_side_close(&side);
}

/* ---- lists ----------------------------------------------------------------------------------- */

void api_suite_post_list(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct ibv_send_wr wr[3];
    struct ibv_send_wr *bad = NULL;
    struct ibv_wc wc;
    int err;

    api_peer_join(run, &side, NULL, NULL, 0);
    memset(wr, 0, sizeof(wr));
    for (int i = 0; i < 3; i++) {
        wr[i].wr_id = 10 + (uint64_t)i;
        wr[i].next = i < 2 ? &wr[i + 1] : NULL;
        wr[i].opcode = i == 1 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
        wr[i].wr.rdma.remote_addr = run->peer->card.address;
        wr[i].wr.rdma.rkey = run->peer->card.rkey;
    }
    err = api_run_error_number(API(run, post_send)(side.qp, wr, &bad));
    api_run_ends(run, err, EINVAL, "mrc_post_send of a list whose second request is a read");
    api_run_expect(run, bad == &wr[1], "*bad_wr is request %ld of the list, not 1",
        bad ? (long)(bad - wr) : -1L);
    wc = api_side_succeed(&side, side.send_cq);
    api_run_expect(
        run, wc.wr_id == 10, "the write before the bad request has id 10, not %lu", wc.wr_id);
    api_run_expect(
        run, api_side_extra(&side, side.send_cq) == 0, "requests behind the bad one complete");
    api_side_close(&side);
}

void api_suite_post_error(struct api_run *run)
{
    struct api_write write;
    struct api_side side;
    struct ibv_wc wc;

    connect_nowhere(&side, run);
    api_run_must(run, api_side_to_state(&side, IBV_QPS_ERR) == 0, "mrc_modify_qp to ERR fails");
    write = write_nothing(&side);
    write.id = 77;
    api_run_ends(run, api_side_write(&side, &write), 0, "mrc_post_send in ERR");
    api_run_ends(run, api_side_receive(&side, 88, 1), 0, "mrc_post_recv in ERR");
    if (run->has_failed)
        return;
    wc = api_side_next(&side, side.send_cq);
    api_run_expect(run, wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 77,
        "a write posted in ERR completes with status %d and id %lu", wc.status, wc.wr_id);
    wc = api_side_next(&side, side.recv_cq);
    api_run_expect(run, wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 88,
        "a receive posted in ERR completes with status %d and id %lu", wc.status, wc.wr_id);
    api_side_close(&side);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of writes with immediate. This end receives, the peer sends, and the other way round. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "conform/api_peer.h"
#include "conform/api_suite.h"

enum { MTU = 1024, SEED = 11 };

static void post_receives(struct api_side *side, uint64_t first_id, uint32_t count)
{
    int err = api_side_receive(side, first_id, count);

    api_run_must(side->run, err == 0, "mrc_post_recv: %s", api_run_error_text(err));
}

static void peer_sends(struct api_side *side, uint32_t offset, uint32_t bytes, uint32_t immediate)
{
    struct api_card card = api_side_card(side);

    api_peer_write(side->run, &(struct api_write){ .offset = offset,
                                  .bytes = bytes,
                                  .remote = card.address + offset,
                                  .rkey = card.rkey,
                                  .with_immediate = true,
                                  .immediate = immediate });
}

static void expect_receive(
    struct api_side *side, const struct ibv_wc *wc, uint32_t bytes, uint32_t immediate)
{
    struct api_run *run = side->run;
    uint32_t qpn = 0;

    API(run, get_qpn)(side->qp, &qpn);
    api_run_expect(run, wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM, "the opcode is %d, not %d",
        wc->opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    api_run_expect(
        run, wc->wc_flags & IBV_WC_WITH_IMM, "wc_flags 0x%x lacks IBV_WC_WITH_IMM", wc->wc_flags);
    api_run_expect(run, ntohl(wc->imm_data) == immediate,
        "the immediate is 0x%x in network byte order, 0x%x was sent", ntohl(wc->imm_data),
        immediate);
    api_run_expect(
        run, wc->byte_len == bytes, "byte_len is %u, %u bytes were written", wc->byte_len, bytes);
    api_run_expect(
        run, wc->qp_num == qpn, "qp_num is 0x%x, the QP has the number 0x%x", wc->qp_num, qpn);
}

void api_suite_immediate(struct api_run *run)
{
    static const uint32_t sizes[] = { 0, 1, MTU, 5 * MTU + 7 };
    struct api_side side = { .run = NULL };

    api_peer_join(run, &side, NULL, NULL, 0);
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t immediate = 0xa1b2c3d4 + i;
        struct ibv_wc wc;

        post_receives(&side, 100 + i, 1);
        api_peer_fill(run, 0, sizes[i], (uint8_t)(SEED + i));
        peer_sends(&side, 0, sizes[i], immediate);
        wc = api_side_succeed(&side, side.recv_cq);
        api_run_expect(
            run, wc.wr_id == 100 + i, "the receive has id %lu instead of %u", wc.wr_id, 100 + i);
        expect_receive(&side, &wc, sizes[i], immediate);
        api_run_expect(run, api_side_differs(&side, 0, sizes[i], (uint8_t)(SEED + i)) == sizes[i],
            "the immediate arrives before its bytes");
        api_run_expect(run, api_peer_next_send(run).status == IBV_WC_SUCCESS, "the write fails");
    }
    api_side_close(&side);
}

/* The library sends, the peer receives. */
void api_suite_immediate_order(struct api_run *run)
{
    struct api_side side = { .run = NULL };

    api_peer_join(run, &side, NULL, NULL, 0);
    api_peer_receive(run, 500, 32);
    for (uint32_t i = 0; i < 32; i++) {
        struct api_write write = { .id = i,
            .bytes = i % 2 ? 1 : 12 * MTU,
            .remote = run->peer->card.address,
            .rkey = run->peer->card.rkey,
            .with_immediate = true,
            .immediate = i };
        int err = api_side_write(&side, &write);

        api_run_must(run, err == 0, "mrc_post_send: %s", api_run_error_text(err));
    }
    for (uint32_t i = 0; i < 32; i++) {
        struct ibv_wc wc = api_peer_next_receive(run);

        api_run_must(
            run, wc.status == IBV_WC_SUCCESS, "receive %u fails with status %d", i, wc.status);
        api_run_must(run, ntohl(wc.imm_data) == i, "immediate %u arrives as number %u",
            ntohl(wc.imm_data), i);
        api_run_must(run, wc.wr_id == 500 + i, "immediate %u takes receive %lu", i, wc.wr_id - 500);
    }
    for (uint32_t i = 0; i < 32; i++)
        api_side_succeed(&side, side.send_cq);
    api_side_close(&side);
}

void api_suite_immediate_barrier(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    uint32_t bytes = 200 * MTU;
    struct api_card card;

    api_peer_join(run, &side, NULL, NULL, 0);
    card = api_side_card(&side);
    for (uint32_t i = 0; i < 8 && !run->has_failed; i++) {
        post_receives(&side, i, 1);
        api_peer_fill(run, 0, bytes, (uint8_t)(SEED + i));
        api_peer_write(
            run, &(struct api_write){ .bytes = bytes, .remote = card.address, .rkey = card.rkey });
        peer_sends(&side, API_SIDE_MEMORY_BYTES - 8, 8, i);
        api_side_succeed(&side, side.recv_cq);
        api_run_expect(run, api_side_differs(&side, 0, bytes, (uint8_t)(SEED + i)) == bytes,
            "byte %u of an earlier write is not there when the immediate arrives",
            api_side_differs(&side, 0, bytes, (uint8_t)(SEED + i)));
        api_peer_next_send(run);
        api_peer_next_send(run);
    }
    api_side_close(&side);
}

void api_suite_immediate_window(struct api_run *run)
{
    struct api_side side = { .run = NULL };
    struct mrc_qp_attr attr = { .wimm.max_wimm = 2 };
    uint32_t done = 0;

    api_peer_join(run, &side, NULL, &attr, MRC_QP_MAX_WIMM);
    api_peer_receive(run, 0, 60);
    for (uint32_t i = 0; i < 60; i++) {
        struct api_write write = { .id = i,
            .bytes = 16,
            .remote = run->peer->card.address,
            .rkey = run->peer->card.rkey,
            .with_immediate = true,
            .immediate = i };
        int err = api_side_write(&side, &write);

        api_run_must(run, err == 0, "mrc_post_send: %s", api_run_error_text(err));
    }
    for (; done < 60; done++) {
        struct ibv_wc wc = api_peer_next_receive(run);

        api_run_must(run, wc.status == IBV_WC_SUCCESS && ntohl(wc.imm_data) == done,
            "immediate %u arrives with status %d as number %u", ntohl(wc.imm_data), wc.status,
            done);
    }
    api_side_close(&side);
}

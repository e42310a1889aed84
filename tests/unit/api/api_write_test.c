/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/post.c: writes through mrc.h between two devices of one process. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "api_world.h"

SPEC("a write arrives in the memory of the peer and completes")
{
    struct api_world world;
    struct api_address peer;
    struct ibv_wc wc;

    api_world_open(&world, 2, NULL);
    peer = api_end_address(&world.ends[1]);
    api_fill(world.ends[0].memory, 100000, 1);
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 100000, IBV_WR_RDMA_WRITE), 0);
    wc = api_cq_wait(world.ends[0].cq);
    EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
    EXPECT_EQ(wc.opcode, IBV_WC_RDMA_WRITE);
    EXPECT_EQ(wc.wr_id, 0);
    EXPECT_EQ(wc.byte_len, 100000);
    EXPECT_EQ(wc.qp_num, api_end_address(&world.ends[0]).qpn);
    EXPECT_MEM_EQ(api_end_received(&world.ends[1]), world.ends[0].memory, 100000);
    EXPECT_EQ(api_end_received(&world.ends[1])[100000], 0);
    api_world_close(&world);
}

SPEC("a write with immediate consumes a receive and delivers the immediate unchanged")
{
    struct api_world world;
    struct api_address peer;
    struct ibv_recv_wr recv = { .wr_id = 77 };
    struct ibv_recv_wr *bad_recv;
    struct ibv_sge piece;
    struct ibv_send_wr wr = { .wr_id = 5,
        .sg_list = &piece,
        .num_sge = 1,
        .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
        .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl(0x12345678) };
    struct ibv_send_wr *bad;
    struct ibv_wc wc;

    api_world_open(&world, 2, NULL);
    peer = api_end_address(&world.ends[1]);
    EXPECT_EQ(mrc_post_recv(world.ends[1].qp, &recv, &bad_recv), 0);
    api_fill(world.ends[0].memory, 5000, 2);
    piece = (struct ibv_sge){
        .addr = (uintptr_t)world.ends[0].memory, .length = 5000, .lkey = world.ends[0].mr->lkey
    };
    wr.wr.rdma.remote_addr = peer.va;
    wr.wr.rdma.rkey = peer.rkey;
    EXPECT_EQ(mrc_post_send(world.ends[0].qp, &wr, &bad), 0);
    wc = api_cq_wait(world.ends[1].cq);
    EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
    EXPECT_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(wc.wr_id, 77);
    EXPECT_EQ(wc.byte_len, 5000);
    EXPECT_EQ(wc.imm_data, htonl(0x12345678));
    EXPECT_EQ(wc.wc_flags, IBV_WC_WITH_IMM);
    EXPECT_MEM_EQ(api_end_received(&world.ends[1]), world.ends[0].memory, 5000);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    api_world_close(&world);
}

SPEC("gathered and inline bytes arrive in order, and the inline buffer can be reused at once")
{
    struct api_world world;
    struct api_address peer;
    struct ibv_sge pieces[3];
    struct ibv_send_wr wr = { .sg_list = pieces,
        .num_sge = 3,
        .opcode = IBV_WR_RDMA_WRITE,
        .send_flags = IBV_SEND_SIGNALED };
    struct ibv_send_wr *bad;
    uint8_t word[8] = "inline!";

    api_world_open(&world, 1, NULL);
    peer = api_end_address(&world.ends[1]);
    memcpy(world.ends[0].memory, "onetwothree", 11);
    for (int i = 0; i < 3; i++)
        pieces[i] = (struct ibv_sge){ .addr = (uintptr_t)world.ends[0].memory + (uint32_t)i * 3,
            .length = i == 2 ? 5 : 3,
            .lkey = world.ends[0].mr->lkey };
    wr.wr.rdma.remote_addr = peer.va;
    wr.wr.rdma.rkey = peer.rkey;
    EXPECT_EQ(mrc_post_send(world.ends[0].qp, &wr, &bad), 0);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    EXPECT_MEM_EQ(api_end_received(&world.ends[1]), "onetwothree", 11);

    pieces[0] = (struct ibv_sge){ .addr = (uintptr_t)word, .length = 8 };
    wr.num_sge = 1;
    wr.wr.rdma.remote_addr = peer.va + 64;
    wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
    EXPECT_EQ(mrc_post_send(world.ends[0].qp, &wr, &bad), 0);
    memset(word, 0, sizeof(word));
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    EXPECT_MEM_EQ(api_end_received(&world.ends[1]) + 64, "inline!", 8);
    api_world_close(&world);
}

SPEC("posting stops at the first bad request and keeps those before it")
{
    struct api_world world;
    struct api_address peer;
    struct ibv_send_wr third = { .wr_id = 3, .opcode = IBV_WR_RDMA_WRITE };
    struct ibv_send_wr second = { .wr_id = 2, .opcode = IBV_WR_SEND, .next = &third };
    struct ibv_send_wr first = {
        .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .next = &second
    };
    struct ibv_send_wr *bad = NULL;
    struct ibv_wc wc;

    api_world_open(&world, 1, NULL);
    peer = api_end_address(&world.ends[1]);
    first.wr.rdma.remote_addr = peer.va;
    first.wr.rdma.rkey = peer.rkey;
    EXPECT_EQ(mrc_post_send(world.ends[0].qp, &first, &bad), EINVAL);
    EXPECT(bad == &second);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).wr_id, 1);
    EXPECT_EQ(mrc_poll_cq(world.ends[0].cq, 1, &wc), 0);
    api_world_close(&world);
}

SPEC("a wrong key ends in an access error at both ends, and later work is flushed")
{
    struct api_world world;
    struct api_address peer;
    struct mrc_async_event event;
    struct ibv_qp_attr attr;
    struct ibv_wc wc;

    api_world_open(&world, 1, NULL);
    peer = api_end_address(&world.ends[1]);
    peer.rkey ^= 0x5a5a;
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 1000, IBV_WR_RDMA_WRITE), 0);
    wc = api_cq_wait(world.ends[0].cq);
    EXPECT_EQ(wc.status, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(mrc_query_qp(world.ends[0].qp, &attr, IBV_QP_STATE, NULL, 0, NULL), 0);
    EXPECT_EQ(attr.qp_state, IBV_QPS_ERR);
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 1000, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_WR_FLUSH_ERR);

    EXPECT_EQ(mrc_get_async_event(world.ends[1].mrc, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_QP_ACCESS_ERR);
    EXPECT(event.element.qp == world.ends[1].qp);
    mrc_ack_async_event(&event);
    EXPECT_EQ(api_end_received(&world.ends[1])[0], 0);
    api_world_close(&world);
}

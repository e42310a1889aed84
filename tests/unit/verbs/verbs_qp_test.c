/* SPDX-License-Identifier: Apache-2.0 */
/* Tests verbs/verbs_qp.c, verbs/verbs_cq.c, verbs/verbs_post.c, verbs/event.c and verbs/refuse.c:
 * QPs, queues, channels and events as verbs programs use them. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "patience.h"
#include "verbs/objects.h"
#include "verbs_world.h"

static void be_non_blocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static const uint8_t *received(struct verbs_world *world)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;

    EXPECT_EQ(ibv_query_qp(world->ends[1].qp, &attr, IBV_QP_STATE, &init), 0);
    return world->api.ends[1].memory;
}

SPEC("a write arrives, a write with immediate takes a receive without a buffer")
{
    struct verbs_world world;
    struct ibv_recv_wr receive = { .wr_id = 77 };
    struct ibv_recv_wr *bad_receive;
    struct ibv_send_wr *bad;
    struct ibv_send_wr second;
    struct ibv_send_wr first;
    struct ibv_sge pieces[2];
    struct ibv_wc wc;

    verbs_world_open(&world);
    api_fill(world.api.ends[0].memory, 30000, 5);
    EXPECT_EQ(ibv_post_recv(world.ends[1].qp, &receive, &bad_receive), 0);
    second = verbs_end_request(&world, &pieces[1], 20000, 0, IBV_WR_RDMA_WRITE_WITH_IMM);
    second.imm_data = htobe32(0x12345678);
    first = verbs_end_request(&world, &pieces[0], 10000, 15000, IBV_WR_RDMA_WRITE);
    first.next = &second;
    first.send_flags = 0;
    EXPECT_EQ(ibv_post_send(world.ends[0].qp, &first, &bad), 0);

    wc = verbs_cq_wait(world.ends[0].cq);
    EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
    EXPECT_EQ(wc.wr_id, 20000); /* the first was not signalled */
    EXPECT_EQ(wc.opcode, IBV_WC_RDMA_WRITE);
    EXPECT_EQ(wc.qp_num, world.ends[0].qp->qp_num);
    wc = verbs_cq_wait(world.ends[1].cq);
    EXPECT_EQ(wc.wr_id, 77);
    EXPECT_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(wc.wc_flags, IBV_WC_WITH_IMM);
    EXPECT_EQ(be32toh(wc.imm_data), 0x12345678);
    EXPECT_MEM_EQ(received(&world) + 10000, world.api.ends[0].memory + 10000, 15000);
    verbs_world_close(&world);
}

SPEC("an unsupported request is refused at the post and returned, and earlier ones stay posted")
{
    static const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP,
        IBV_WR_ATOMIC_FETCH_AND_ADD };
    struct verbs_world world;
    struct ibv_send_wr good;
    struct ibv_send_wr wrong;
    struct ibv_send_wr *bad = NULL;
    struct ibv_sge piece;

    setenv("MRC_LOG_LEVEL", "ERROR", 1);
    verbs_world_open(&world);
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        good = verbs_end_request(&world, &piece, i, 8, IBV_WR_RDMA_WRITE);
        wrong = verbs_end_request(&world, &piece, i, 8, opcodes[i]);
        good.next = &wrong;
        EXPECT_EQ(ibv_post_send(world.ends[0].qp, &good, &bad), EOPNOTSUPP);
        EXPECT_EQ(errno, EOPNOTSUPP);
        EXPECT(bad == &wrong);
        EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).wr_id, i);
    }
    wrong = verbs_end_request(&world, &piece, 0, 8, IBV_WR_RDMA_WRITE);
    wrong.num_sge = 100;
    EXPECT_EQ(ibv_post_send(world.ends[0].qp, &wrong, &bad), EINVAL);
    EXPECT(bad == &wrong);
    verbs_world_close(&world);
}

SPEC("a refused SEND ends the connection, so that the peer does not wait for it")
{
    static const enum ibv_wr_opcode opcodes[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM };

    setenv("MRC_LOG_LEVEL", "ERROR", 1);
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        struct verbs_world world;
        struct ibv_recv_wr receive = { .wr_id = 77 };
        struct ibv_recv_wr *bad_receive;
        struct ibv_send_wr request;
        struct ibv_send_wr *bad = NULL;
        struct ibv_sge piece;
        struct ibv_wc flushed;

        verbs_world_open(&world);
        EXPECT_EQ(ibv_post_recv(world.ends[1].qp, &receive, &bad_receive), 0);
        request = verbs_end_request(&world, &piece, 0, 8, opcodes[i]);
        EXPECT_EQ(ibv_post_send(world.ends[0].qp, &request, &bad), EOPNOTSUPP);
        EXPECT(bad == &request);
        flushed = verbs_cq_wait(world.ends[1].cq);
        EXPECT_EQ(flushed.wr_id, 77);
        EXPECT_EQ(flushed.status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).status, IBV_WC_REM_ACCESS_ERR);
        verbs_world_close(&world);
    }
}

SPEC("QPs of other types, shared receive queues, windows, address handles are refused")
{
    static const enum ibv_qp_type types[] = { IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET };
    struct ibv_srq_init_attr srq = { .attr = { .max_wr = 1 } };
    struct ibv_ah_attr ah = { .port_num = 1 };
    struct verbs_world world;
    struct ibv_pd *pd;

    setenv("MRC_LOG_LEVEL", "ERROR", 1);
    verbs_world_open(&world);
    pd = world.api.ends[0].pd;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct ibv_qp_init_attr attr = verbs_end_qp_attr(&world.ends[0]);

        attr.qp_type = types[i];
        errno = 0;
        EXPECT(ibv_create_qp(pd, &attr) == NULL);
        EXPECT_EQ(errno, EOPNOTSUPP);
    }
    errno = 0;
    EXPECT(ibv_create_srq(pd, &srq) == NULL);
    EXPECT_EQ(errno, EOPNOTSUPP);
    EXPECT(ibv_alloc_mw(pd, IBV_MW_TYPE_1) == NULL);
    EXPECT(ibv_create_ah(pd, &ah) == NULL);
    EXPECT_EQ(ibv_resize_cq(world.ends[0].cq, 64), 0);
    EXPECT_EQ(ibv_resize_cq(world.ends[0].cq, 65), EOPNOTSUPP);
    EXPECT_EQ(ibv_query_ece(world.ends[0].qp, NULL), EOPNOTSUPP);
    EXPECT(ibv_qp_to_qp_ex(world.ends[0].qp) == NULL);
    verbs_world_close(&world);
}

SPEC("a channel becomes readable once per arming and returns queue and context")
{
    struct verbs_world world;
    struct pollfd ready = { .events = POLLIN };
    struct ibv_send_wr request;
    struct ibv_send_wr *bad;
    struct ibv_sge piece;
    struct ibv_cq *cq;
    void *context;

    verbs_world_open(&world);
    ready.fd = world.ends[0].channel->fd;
    be_non_blocking(ready.fd);
    EXPECT_EQ(ibv_get_cq_event(world.ends[0].channel, &cq, &context), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(ibv_req_notify_cq(world.ends[0].cq, 0), 0);
    request = verbs_end_request(&world, &piece, 0, 100, IBV_WR_RDMA_WRITE);
    EXPECT_EQ(ibv_post_send(world.ends[0].qp, &request, &bad), 0);
    EXPECT_EQ(poll(&ready, 1, PATIENCE_MS), 1);
    EXPECT_EQ(ibv_get_cq_event(world.ends[0].channel, &cq, &context), 0);
    EXPECT(cq == world.ends[0].cq);
    EXPECT(context == &world.ends[0]);
    EXPECT_EQ(ibv_get_cq_event(world.ends[0].channel, &cq, &context), -1);
    EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    EXPECT_EQ(ibv_destroy_comp_channel(world.ends[0].channel), EBUSY);
    ibv_ack_cq_events(world.ends[0].cq, 1);
    verbs_world_close(&world);
}

SPEC("a wrong key fails the QP at both ends, later work is flushed, and the target gets an event")
{
    struct verbs_world world;
    struct ibv_async_event event;
    struct ibv_qp_init_attr init;
    struct ibv_qp_attr attr;
    struct ibv_send_wr request;
    struct ibv_send_wr *bad;
    struct ibv_sge piece;

    verbs_world_open(&world);
    be_non_blocking(world.api.ends[0].verbs->async_fd);
    EXPECT_EQ(ibv_get_async_event(world.api.ends[0].verbs, &event), -1);
    EXPECT_EQ(errno, EAGAIN);
    request = verbs_end_request(&world, &piece, 0, 100, IBV_WR_RDMA_WRITE);
    request.wr.rdma.rkey ^= 1;
    EXPECT_EQ(ibv_post_send(world.ends[0].qp, &request, &bad), 0);
    EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).status, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(ibv_post_send(world.ends[0].qp, &request, &bad), 0);
    EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).status, IBV_WC_WR_FLUSH_ERR);
    EXPECT_EQ(ibv_query_qp(world.ends[0].qp, &attr, IBV_QP_STATE, &init), 0);
    EXPECT_EQ(attr.qp_state, IBV_QPS_ERR);
    EXPECT_EQ(world.ends[0].qp->state, IBV_QPS_ERR);
    EXPECT_EQ(init.cap.max_send_wr, 16);
    EXPECT(init.send_cq == world.ends[0].cq);
    EXPECT_EQ(ibv_get_async_event(world.api.ends[1].verbs, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_QP_ACCESS_ERR);
    EXPECT(event.element.qp == world.ends[1].qp);
    EXPECT_EQ(world.ends[1].qp->state, IBV_QPS_ERR);
    ibv_ack_async_event(&event);
    verbs_world_close(&world);
}

SPEC("a QP of verbs and a QP of mrc.h exchange data")
{
    struct verbs_world world;
    struct ibv_qp_init_attr attr;
    struct api_address verbs;
    struct api_address mrc;
    struct ibv_send_wr request;
    struct ibv_send_wr *bad;
    struct ibv_sge piece;

    verbs_world_open_queues(&world);
    attr = verbs_end_qp_attr(&world.ends[0]);
    world.ends[0].qp = ibv_create_qp(world.api.ends[0].pd, &attr);
    EXPECT(world.ends[0].qp != NULL);
    api_end_create_qp(&world.api.ends[1]);
    verbs = verbs_end_address(&world.ends[0]);
    mrc = api_end_address(&world.api.ends[1]);
    verbs_end_connect(&world.ends[0], &mrc);
    api_end_connect(&world.api.ends[1], &verbs);

    api_fill(world.api.ends[0].memory, 5000, 6);
    request = verbs_end_request(&world, &piece, 0, 5000, IBV_WR_RDMA_WRITE);
    EXPECT_EQ(ibv_post_send(world.ends[0].qp, &request, &bad), 0);
    EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    EXPECT_MEM_EQ(api_end_received(&world.api.ends[1]), world.api.ends[0].memory, 5000);
    EXPECT_EQ(api_end_write(&world.api.ends[1], &verbs, 6000, 100, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(world.api.ends[1].cq).status, IBV_WC_SUCCESS);
    verbs_world_close(&world);
}

SPEC("a signalled request frees the queue entries of all requests before it")
{
    struct verbs_world world;
    struct ibv_send_wr request;
    struct ibv_send_wr *bad;
    struct ibv_sge piece;

    verbs_world_open(&world);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 16; i++) {
            request = verbs_end_request(&world, &piece, (uint64_t)i, 64, IBV_WR_RDMA_WRITE);
            request.send_flags = i == 15 ? IBV_SEND_SIGNALED : 0;
            EXPECT_EQ(ibv_post_send(world.ends[0].qp, &request, &bad), 0);
        }
        EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).wr_id, 15);
    }
    verbs_world_close(&world);
}

SPEC("MRC_DEVICES hides all other devices")
{
    struct api_world world;
    struct ibv_device **list;
    int count;

    api_world_start(&world, 1, NULL);
    setenv("MRC_DEVICES", "mrc10,mrc1", 1);
    list = ibv_get_device_list(&count);
    EXPECT_EQ(count, 1);
    EXPECT_STR_EQ(ibv_get_device_name(list[0]), "mrc1");
    ibv_free_device_list(list);
    unsetenv("MRC_DEVICES");
    api_world_stop(&world);
}

SPEC("a QP keeps its total retry time, and probes its paths as often as MRC does")
{
    struct verbs_world world;
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .timeout = 20, .retry_cnt = 7 };
    struct mrc_qp_attr mrc;
    struct host_config host;
    uint64_t waited_ns = 0;

    host_config_init(&host);
    verbs_world_open(&world);
    EXPECT_EQ(
        ibv_modify_qp(world.ends[0].qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT),
        0);
    EXPECT_EQ(mrc_query_qp(((struct qp *)world.ends[0].qp)->mrc, NULL, 0, &mrc,
                  MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT, NULL),
        0);
    EXPECT_EQ(mrc.timeout, host.parameters.timeout);
    for (uint32_t i = 0; i <= mrc.retry.linear_cnt; i++)
        waited_ns += UINT64_C(1024) << mrc.timeout;
    for (uint32_t i = 1; i <= mrc.retry.exp_cnt; i++)
        waited_ns += UINT64_C(1024) << (mrc.timeout + i);
    EXPECT_GE(waited_ns, 8 * (UINT64_C(4096) << 20)); /* 34 s */
    EXPECT_LE(waited_ns, 16 * (UINT64_C(4096) << 20));
    attr.timeout = 0;
    EXPECT_EQ(ibv_modify_qp(world.ends[0].qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT), 0);
    EXPECT_EQ(mrc_query_qp(((struct qp *)world.ends[0].qp)->mrc, NULL, 0, &mrc,
                  MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT, NULL),
        0);
    EXPECT_EQ(mrc.retry.exp_cnt, 25);
    verbs_world_close(&world);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tests verbs/cq_ex.c and verbs/wr.c: extended queues and QPs, and the ibv_wr_ calls. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "patience.h"
#include "verbs_world.h"

static struct ibv_qp_init_attr_ex qp_attr(const struct verbs_end *end)
{
    struct ibv_qp_init_attr plain = verbs_end_qp_attr(end);

    return (struct ibv_qp_init_attr_ex){ .send_cq = plain.send_cq,
        .recv_cq = plain.recv_cq,
        .cap = plain.cap,
        .qp_type = IBV_QPT_RC,
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
        .pd = end->end->pd,
        .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM };
}

static struct ibv_qp_ex *open_ex(struct verbs_world *world)
{
    struct api_address addresses[2];

    verbs_world_open_queues(world);
    for (int i = 0; i < 2; i++) {
        struct ibv_qp_init_attr_ex attr = qp_attr(&world->ends[i]);

        world->ends[i].qp = ibv_create_qp_ex(world->ends[i].end->verbs, &attr);
        EXPECT(world->ends[i].qp != NULL);
        addresses[i] = verbs_end_address(&world->ends[i]);
    }
    verbs_end_connect(&world->ends[0], &addresses[1]);
    verbs_end_connect(&world->ends[1], &addresses[0]);
    EXPECT(ibv_qp_to_qp_ex(world->ends[0].qp) != NULL);
    return ibv_qp_to_qp_ex(world->ends[0].qp);
}

static uint64_t target(const struct verbs_world *world, uint64_t offset)
{
    return (uintptr_t)world->api.ends[1].memory + offset;
}

SPEC("ibv_wr_ calls post writes from lists of pieces, inline bytes, and with immediates")
{
    struct verbs_world world;
    struct ibv_qp_ex *qp = open_ex(&world);
    uint8_t *memory = world.api.ends[0].memory;
    uint32_t lkey = world.api.ends[0].mr->lkey;
    uint32_t rkey = world.api.ends[1].mr->rkey;
    struct ibv_sge pieces[2] = { { (uintptr_t)memory, 100, lkey },
        { (uintptr_t)memory + 500, 200, lkey } };
    struct ibv_recv_wr receive = { .wr_id = 9 };
    struct ibv_recv_wr *bad;
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    char word[] = "inline";

    api_fill(memory, 1000, 7);
    EXPECT_EQ(ibv_post_recv(world.ends[1].qp, &receive, &bad), 0);
    ibv_wr_start(qp);
    qp->wr_id = 1;
    qp->wr_flags = 0;
    ibv_wr_rdma_write(qp, rkey, target(&world, 0));
    ibv_wr_set_sge_list(qp, 2, pieces);
    ibv_wr_rdma_write(qp, rkey, target(&world, 1000));
    ibv_wr_set_inline_data(qp, word, 6);
    memset(word, 'x', 6);
    qp->wr_id = 3;
    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write_imm(qp, rkey, target(&world, 2000), htobe32(42));
    ibv_wr_set_sge(qp, lkey, (uintptr_t)memory + 700, 50);
    EXPECT_EQ(ibv_wr_complete(qp), 0);

    EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).wr_id, 3);
    EXPECT_EQ(be32toh(verbs_cq_wait(world.ends[1].cq).imm_data), 42);
    EXPECT_EQ(ibv_query_qp(world.ends[1].qp, &attr, IBV_QP_STATE, &init), 0);
    EXPECT_MEM_EQ(world.api.ends[1].memory, memory, 100);
    EXPECT_MEM_EQ(world.api.ends[1].memory + 100, memory + 500, 200);
    EXPECT_MEM_EQ(world.api.ends[1].memory + 1000, "inline", 6);
    EXPECT_MEM_EQ(world.api.ends[1].memory + 2000, memory + 700, 50);
    verbs_world_close(&world);
}

SPEC("after an error between wr_start and wr_complete, or wr_abort, nothing is posted")
{
    struct verbs_world world;
    struct ibv_qp_ex *qp = open_ex(&world);
    uint32_t rkey = world.api.ends[1].mr->rkey;
    uint8_t much[65] = { 0 };
    struct ibv_wc wc;

    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_start(qp);
    ibv_wr_rdma_write(qp, rkey, target(&world, 0));
    ibv_wr_rdma_write(qp, rkey, target(&world, 0));
    ibv_wr_set_inline_data(qp, much, sizeof(much));
    EXPECT_EQ(ibv_wr_complete(qp), EINVAL);
    ibv_wr_start(qp);
    for (int i = 0; i < 17; i++)
        ibv_wr_rdma_write(qp, rkey, target(&world, 0));
    EXPECT_EQ(ibv_wr_complete(qp), ENOMEM);
    ibv_wr_start(qp);
    ibv_wr_rdma_write(qp, rkey, target(&world, 0));
    ibv_wr_abort(qp);
    ibv_wr_start(qp);
    EXPECT_EQ(ibv_wr_complete(qp), 0);
    EXPECT_EQ(ibv_poll_cq(world.ends[0].cq, 1, &wc), 0);
    ibv_wr_start(qp);
    qp->wr_id = 8;
    ibv_wr_rdma_write(qp, rkey, target(&world, 0));
    EXPECT_EQ(ibv_wr_complete(qp), 0);
    EXPECT_EQ(verbs_cq_wait(world.ends[0].cq).wr_id, 8);
    verbs_world_close(&world);
}

SPEC("an extended QP for operations that MRC lacks is refused")
{
    static const uint64_t flags[] = { IBV_QP_EX_WITH_SEND, IBV_QP_EX_WITH_RDMA_READ,
        IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, IBV_QP_EX_WITH_BIND_MW, IBV_QP_EX_WITH_TSO };
    struct verbs_world world;

    setenv("MRC_LOG_LEVEL", "ERROR", 1);
    verbs_world_open_queues(&world);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        struct ibv_qp_init_attr_ex attr = qp_attr(&world.ends[0]);

        attr.send_ops_flags |= flags[i];
        errno = 0;
        EXPECT(ibv_create_qp_ex(world.api.ends[0].verbs, &attr) == NULL);
        EXPECT_EQ(errno, EOPNOTSUPP);
    }
    verbs_world_close(&world);
}

static int start_poll(struct ibv_cq_ex *cq)
{
    struct ibv_poll_cq_attr attr = { 0 };
    int64_t end_s = patience_end_s();
    int number = ENOENT;

    while (number == ENOENT && patience_lasts(end_s))
        number = ibv_start_poll(cq, &attr);
    return number;
}

SPEC("an extended queue is polled completion by completion, and read member by member")
{
    struct ibv_cq_init_attr_ex attr = { .cqe = 16,
        .wc_flags = IBV_WC_STANDARD_FLAGS,
        .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
        .flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED };
    struct verbs_world world;
    struct ibv_qp_init_attr plain;
    struct ibv_send_wr requests[2];
    struct ibv_poll_cq_attr none = { 0 };
    struct api_address addresses[2];
    struct ibv_sge pieces[2];
    struct ibv_send_wr *bad;
    struct ibv_cq_ex *cq;
    struct ibv_qp *own[2];

    verbs_world_open_queues(&world);
    cq = ibv_create_cq_ex(world.api.ends[0].verbs, &attr);
    EXPECT(cq != NULL);
    EXPECT_EQ(ibv_start_poll(cq, &none), ENOENT);
    for (int i = 0; i < 2; i++) {
        plain = verbs_end_qp_attr(&world.ends[i]);
        if (i == 0)
            plain.send_cq = plain.recv_cq = ibv_cq_ex_to_cq(cq);
        own[i] = world.ends[i].qp = ibv_create_qp(world.api.ends[i].pd, &plain);
        addresses[i] = verbs_end_address(&world.ends[i]);
    }
    verbs_end_connect(&world.ends[0], &addresses[1]);
    verbs_end_connect(&world.ends[1], &addresses[0]);
    requests[0] = verbs_end_request(&world, &pieces[0], 1, 10, IBV_WR_RDMA_WRITE);
    requests[1] = verbs_end_request(&world, &pieces[1], 2, 20, IBV_WR_RDMA_WRITE);
    requests[0].next = &requests[1];
    EXPECT_EQ(ibv_post_send(own[0], requests, &bad), 0);

    for (uint64_t i = 1; i <= 2; i++) {
        EXPECT_EQ(start_poll(cq), 0);
        EXPECT_EQ(cq->wr_id, i);
        EXPECT_EQ(cq->status, IBV_WC_SUCCESS);
        EXPECT_EQ(ibv_wc_read_opcode(cq), IBV_WC_RDMA_WRITE);
        EXPECT_EQ(ibv_wc_read_qp_num(cq), own[0]->qp_num);
        if (i == 2)
            EXPECT_EQ(ibv_next_poll(cq), ENOENT);
        ibv_end_poll(cq);
    }
    EXPECT_EQ(ibv_destroy_qp(own[0]), 0);
    world.ends[0].qp = NULL;
    EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
    verbs_world_close(&world);
}

SPEC("an extended queue with members that completions lack is refused")
{
    struct ibv_cq_init_attr_ex attr = { .cqe = 16,
        .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };
    struct verbs_world world;

    setenv("MRC_LOG_LEVEL", "ERROR", 1);
    verbs_world_open_queues(&world);
    errno = 0;
    EXPECT(ibv_create_cq_ex(world.api.ends[0].verbs, &attr) == NULL);
    EXPECT_EQ(errno, EOPNOTSUPP);
    verbs_world_close(&world);
}

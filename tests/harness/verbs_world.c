/* SPDX-License-Identifier: Apache-2.0 */
/* Devices used through verbs. */
#include "verbs_world.h"

#include <string.h>
#include <time.h>

#include "patience.h"

struct ibv_qp_init_attr verbs_end_qp_attr(const struct verbs_end *end)
{
    return (struct ibv_qp_init_attr){ .send_cq = end->cq,
        .recv_cq = end->cq,
        .cap = { .max_send_wr = 16,
            .max_recv_wr = 16,
            .max_send_sge = 2,
            .max_recv_sge = 1,
            .max_inline_data = 64 },
        .qp_type = IBV_QPT_RC };
}

struct api_address verbs_end_address(const struct verbs_end *end)
{
    struct api_address address = { .qpn = end->qp->qp_num,
        .psn = 0xfffff0,
        .rkey = end->end->mr->rkey,
        .va = (uintptr_t)end->end->memory };

    EXPECT_EQ(ibv_query_gid(end->end->verbs, 1, 3, &address.gid), 0);
    return address;
}

/* With the attributes that perftest and NCCL give. */
void verbs_end_connect(struct verbs_end *end, const struct api_address *peer)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE
    };

    EXPECT_EQ(ibv_modify_qp(end->qp, &attr,
                  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
        0);
    attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_4096,
        .dest_qp_num = peer->qpn,
        .rq_psn = peer->psn,
        .max_dest_rd_atomic = 1,
        .min_rnr_timer = 12,
        .ah_attr = { .is_global = 1,
            .port_num = 1,
            .grh = { .dgid = peer->gid, .sgid_index = 3, .hop_limit = 255 } } };
    EXPECT_EQ(ibv_modify_qp(end->qp, &attr,
                  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
        0);
    attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS,
        .sq_psn = 0xfffff0,
        .timeout = 20, /* 34 s in all: the machine may be busy */
        .retry_cnt = 7,
        .rnr_retry = 7,
        .max_rd_atomic = 1 };
    EXPECT_EQ(ibv_modify_qp(end->qp, &attr,
                  IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
        0);
    EXPECT_EQ(end->qp->state, IBV_QPS_RTS);
}

void verbs_world_open_queues(struct verbs_world *world)
{
    memset(world, 0, sizeof(*world));
    api_world_start(&world->api, 2, NULL);
    api_end_open(&world->api.ends[0], "mrc0");
    api_end_open(&world->api.ends[1], "mrc1");
    api_world_claim(&world->api);
    for (int i = 0; i < 2; i++) {
        struct verbs_end *end = &world->ends[i];

        end->end = &world->api.ends[i];
        end->channel = ibv_create_comp_channel(end->end->verbs);
        EXPECT(end->channel != NULL);
        end->cq = ibv_create_cq(end->end->verbs, 64, end, end->channel, 0);
        EXPECT(end->cq != NULL);
    }
}

void verbs_world_open(struct verbs_world *world)
{
    struct api_address addresses[2];

    verbs_world_open_queues(world);
    for (int i = 0; i < 2; i++) {
        struct ibv_qp_init_attr attr = verbs_end_qp_attr(&world->ends[i]);

        world->ends[i].qp = ibv_create_qp(world->ends[i].end->pd, &attr);
        EXPECT(world->ends[i].qp != NULL);
        addresses[i] = verbs_end_address(&world->ends[i]);
    }
    verbs_end_connect(&world->ends[0], &addresses[1]);
    verbs_end_connect(&world->ends[1], &addresses[0]);
}

void verbs_world_close(struct verbs_world *world)
{
    for (int i = 0; i < 2; i++) {
        struct verbs_end *end = &world->ends[i];

        if (end->qp)
            EXPECT_EQ(ibv_destroy_qp(end->qp), 0);
        EXPECT_EQ(ibv_destroy_cq(end->cq), 0);
        EXPECT_EQ(ibv_destroy_comp_channel(end->channel), 0);
    }
    api_world_close(&world->api);
}

struct ibv_send_wr verbs_end_request(struct verbs_world *world, struct ibv_sge *piece,
    uint64_t offset, uint32_t length, enum ibv_wr_opcode opcode)
{
    struct api_end *from = &world->api.ends[0];
    struct api_end *to = &world->api.ends[1];

    *piece = (struct ibv_sge){
        .addr = (uintptr_t)from->memory + offset, .length = length, .lkey = from->mr->lkey
    };
    return (struct ibv_send_wr){ .wr_id = offset,
        .sg_list = piece,
        .num_sge = length ? 1 : 0,
        .opcode = opcode,
        .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = { .remote_addr = (uintptr_t)to->memory + offset, .rkey = to->mr->rkey } };
}

struct ibv_wc verbs_cq_wait(struct ibv_cq *cq)
{
    int64_t end_s = patience_end_s();
    struct ibv_wc wc;
    int count = 0;

    while (count == 0 && patience_lasts(end_s))
        count = ibv_poll_cq(cq, 1, &wc);
    EXPECT_EQ(count, 1);
    return wc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/error.h, api/context.c, api/hint.c and api/cq.c: every call of mrc.h and mrc_ctl.h
 * reports wrong arguments and then does nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api_world.h"

/* One world for all: nothing here changes it. */
static struct api_world world;

static void tidy_up(void)
{
    api_world_stop(&world);
}

static struct api_world *shared(void)
{
    static int is_open;

    if (!is_open)
        api_world_open(&world, 2, NULL);
    if (!is_open)
        atexit(tidy_up);
    is_open = 1;
    return &world;
}

#define EXPECT_MINUS_ONE(call, number)                                                             \
    do {                                                                                           \
        errno = 0;                                                                                 \
        EXPECT_EQ(call, -1);                                                                       \
        EXPECT_EQ(errno, number);                                                                  \
    } while (0)
#define EXPECT_NULL(call, number)                                                                  \
    do {                                                                                           \
        errno = 0;                                                                                 \
        EXPECT((call) == NULL);                                                                    \
        EXPECT_EQ(errno, number);                                                                  \
    } while (0)
#define EXPECT_NUMBER(call, number)                                                                \
    do {                                                                                           \
        errno = 0;                                                                                 \
        EXPECT_EQ(call, number);                                                                   \
        EXPECT_EQ(errno, number);                                                                  \
    } while (0)

SPEC("mrc_query_device checks its arguments and does not support devices of others")
{
    struct api_end *end = &shared()->ends[0];
    struct ibv_context stranger = { 0 };
    struct mrc_device_attr attr = { .cap = 99 };
    int supported = 7;

    EXPECT_MINUS_ONE(mrc_query_device(NULL, &attr, &supported), EINVAL);
    EXPECT_MINUS_ONE(mrc_query_device(end->verbs, NULL, &supported), EINVAL);
    EXPECT_MINUS_ONE(mrc_query_device(end->verbs, &attr, NULL), EINVAL);
    EXPECT_EQ(mrc_query_device(&stranger, &attr, &supported), 0);
    EXPECT_EQ(supported, 0);
    EXPECT_EQ(attr.cap, 99);
    EXPECT_EQ(mrc_query_device(end->verbs, &attr, &supported), 0);
    EXPECT_EQ(supported, 1);
    EXPECT_EQ(attr.mrc_protocol_version, MRC_PROTOCOL_VERSION_1);
    EXPECT_GE(attr.mpr_attr.max_mpr, 8);
    EXPECT_EQ(attr.mpr_attr.mpr_resolution, 1);
    EXPECT_GE(attr.wimm_attr.max_wimm, 128);
    EXPECT_EQ(attr.cap, 7);
    EXPECT_EQ(mrc_query_device_ex(end->verbs, end->mrc, &attr, &supported), 0);
    EXPECT_EQ(mrc_query_device_ex(end->verbs, NULL, &attr, &supported), 0);
    EXPECT_MINUS_ONE(
        mrc_query_device_ex(end->verbs, shared()->ends[1].mrc, &attr, &supported), EINVAL);
    EXPECT_NULL(mrc_create_context(&stranger, NULL), EOPNOTSUPP);
    EXPECT_NULL(mrc_create_context(NULL, NULL), EINVAL);
}

SPEC("a query of the version fills in each argument that is not NULL")
{
    uint32_t current;
    uint32_t oldest;

    mrc_query_version(&current, &oldest, NULL, NULL);
    EXPECT_EQ(current, 0x01000001);
    EXPECT_EQ(oldest, 0);
    mrc_ctl_query_version(NULL, NULL, &current, &oldest);
    EXPECT_EQ(current, 0x01000000);
    EXPECT_EQ(oldest, 0);
}

SPEC("a context with objects cannot be closed")
{
    struct api_end *end = &shared()->ends[0];

    EXPECT_MINUS_ONE(mrc_destroy_context(NULL), EINVAL);
    EXPECT_MINUS_ONE(mrc_destroy_context(end->mrc), EBUSY);
}

SPEC("completion channels and queues refuse invalid arguments")
{
    struct api_end *end = &shared()->ends[0];
    struct mrc_comp_channel *channel;
    struct mrc_comp_channel *foreign;
    struct mrc_cq *cq;
    struct ibv_wc wc;
    void *context;
    int fd;

    EXPECT_MINUS_ONE(mrc_create_comp_channel(NULL, &channel), EINVAL);
    EXPECT_MINUS_ONE(mrc_create_comp_channel(end->mrc, NULL), EINVAL);
    EXPECT_EQ(mrc_create_comp_channel(end->mrc, &channel), 0);
    EXPECT_EQ(mrc_create_comp_channel(shared()->ends[1].mrc, &foreign), 0);
    EXPECT_MINUS_ONE(mrc_get_comp_channel_fd(NULL, &fd), EINVAL);
    EXPECT_MINUS_ONE(mrc_get_comp_channel_fd(channel, NULL), EINVAL);
    EXPECT_NULL(mrc_create_cq(NULL, 10, NULL, NULL, 0), EINVAL);
    EXPECT_NULL(mrc_create_cq(end->mrc, 0, NULL, NULL, 0), EINVAL);
    EXPECT_NULL(mrc_create_cq(end->mrc, -1, NULL, NULL, 0), EINVAL);
    EXPECT_NULL(mrc_create_cq(end->mrc, 1 << 30, NULL, NULL, 0), EINVAL);
    EXPECT_NULL(mrc_create_cq(end->mrc, 10, NULL, NULL, 1), EINVAL);
    EXPECT_NULL(mrc_create_cq(end->mrc, 10, NULL, NULL, -1), EINVAL);
    EXPECT_NULL(mrc_create_cq(end->mrc, 10, NULL, foreign, 0), EINVAL);
    cq = mrc_create_cq(end->mrc, 10, NULL, channel, 0);
    EXPECT(cq != NULL);
    EXPECT_NUMBER(mrc_destroy_comp_channel(channel), EBUSY);
    EXPECT_NUMBER(mrc_destroy_comp_channel(NULL), EINVAL);
    EXPECT_MINUS_ONE(mrc_poll_cq(NULL, 1, &wc), EINVAL);
    EXPECT_MINUS_ONE(mrc_poll_cq(cq, -1, &wc), EINVAL);
    EXPECT_MINUS_ONE(mrc_poll_cq(cq, 1, NULL), EINVAL);
    EXPECT_EQ(mrc_poll_cq(cq, 0, NULL), 0);
    EXPECT_NUMBER(mrc_req_notify_cq(NULL, 0), EINVAL);
    EXPECT_MINUS_ONE(mrc_get_cq_event(NULL, &cq, &context), EINVAL);
    EXPECT_MINUS_ONE(mrc_get_cq_event(channel, NULL, &context), EINVAL);
    EXPECT_MINUS_ONE(mrc_get_cq_event(channel, &cq, NULL), EINVAL);
    EXPECT_NUMBER(mrc_destroy_cq(NULL), EINVAL);
    EXPECT_NUMBER(mrc_destroy_cq(end->cq), EBUSY); /* its QP */
    EXPECT_EQ(mrc_destroy_cq(cq), 0);
    EXPECT_EQ(mrc_destroy_comp_channel(channel), 0);
    EXPECT_EQ(mrc_destroy_comp_channel(foreign), 0);
}

SPEC("hints are stored and checked, and cannot be destroyed while QPs use them")
{
    struct api_end *end = &shared()->ends[0];
    struct mrc_qp_hint_init_attr init = { .attr = { .num_send_peers = 4, .vendor_cfg = { 9 } } };
    struct mrc_qp_hint_attr attr = { .num_qps_per_peer = -1, .num_send_peers = 5 };
    struct mrc_qp_attr qp_attr = { 0 };
    struct mrc_qp_hint *hint;

    EXPECT_NULL(mrc_create_qp_hint(NULL, &init), EINVAL);
    EXPECT_NULL(mrc_create_qp_hint(end->mrc, NULL), EINVAL);
    hint = mrc_create_qp_hint(end->mrc, &init);
    EXPECT(hint != NULL);
    EXPECT_MINUS_ONE(mrc_modify_qp_hint(NULL, &attr, MRC_QP_HINT_NUM_SEND_PEERS), EINVAL);
    EXPECT_MINUS_ONE(mrc_modify_qp_hint(hint, NULL, MRC_QP_HINT_NUM_SEND_PEERS), EINVAL);
    EXPECT_MINUS_ONE(mrc_modify_qp_hint(hint, &attr, 0), EINVAL);
    EXPECT_MINUS_ONE(mrc_modify_qp_hint(hint, &attr, 1 << 7), EINVAL);
    EXPECT_MINUS_ONE(
        mrc_modify_qp_hint(hint, &attr, MRC_QP_HINT_NUM_SEND_PEERS | MRC_QP_HINT_NUM_QPS_PER_PEER),
        EINVAL);
    EXPECT_EQ(
        mrc_query_qp_hint(hint, &attr, MRC_QP_HINT_NUM_SEND_PEERS | MRC_QP_HINT_VENDOR_CFG), 0);
    EXPECT_EQ(attr.num_send_peers, 4);
    EXPECT_EQ(attr.vendor_cfg[0], 9);
    EXPECT_MINUS_ONE(mrc_query_qp_hint(hint, &attr, 1 << 20), EINVAL);
    EXPECT_MINUS_ONE(mrc_query_qp_hint(NULL, &attr, 1), EINVAL);
    qp_attr.qp_hint = hint;
    EXPECT_EQ(mrc_modify_qp(end->qp, NULL, 0, &qp_attr, MRC_QP_HINT), 0);
    EXPECT_MINUS_ONE(mrc_destroy_qp_hint(hint), EBUSY);
    EXPECT_NUMBER(mrc_modify_qp(shared()->ends[1].qp, NULL, 0, &qp_attr, MRC_QP_HINT), EINVAL);
    qp_attr.qp_hint = NULL;
    EXPECT_EQ(mrc_modify_qp(end->qp, NULL, 0, &qp_attr, MRC_QP_HINT), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
    EXPECT_MINUS_ONE(mrc_destroy_qp_hint(NULL), EINVAL);
}

SPEC("a QP refuses parts of another context and sizes beyond the limits of the device")
{
    struct api_end *end = &shared()->ends[0];
    const struct mrc_qp_init_attr good = { .send_cq = end->cq,
        .recv_cq = end->cq,
        .cap = { .max_send_wr = 4, .max_recv_wr = 0, .max_send_sge = 1 },
        .pd = end->pd };
    struct mrc_qp_init_attr bad[12];
    struct mrc_qp *qp;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        bad[i] = good;
    bad[0].send_cq = NULL;
    bad[1].recv_cq = NULL;
    bad[2].pd = NULL;
    bad[3].send_cq = shared()->ends[1].cq;
    bad[4].recv_cq = shared()->ends[1].cq;
    bad[5].pd = shared()->ends[1].pd;
    bad[6].cap.max_send_wr = 1u << 20;
    bad[7].cap.max_recv_wr = 1u << 20;
    bad[8].cap.max_send_sge = 1000;
    bad[9].cap.max_inline_data = 1u << 20;
    bad[10].protocol_version = (enum mrc_protocol_version)2;
    bad[11].send_ops_flags = IBV_QP_EX_WITH_RDMA_READ;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        EXPECT_NULL(mrc_create_qp(end->mrc, &bad[i]), EINVAL);
    EXPECT_NULL(mrc_create_qp(NULL, &bad[0]), EINVAL);
    EXPECT_NULL(mrc_create_qp(end->mrc, NULL), EINVAL);
    bad[0] = good;
    qp = mrc_create_qp(end->mrc, &bad[0]);
    EXPECT(qp != NULL);
    EXPECT_GE(bad[0].cap.max_send_wr, 4);
    EXPECT_EQ(ibv_dealloc_pd(end->pd), EBUSY);
    EXPECT_EQ(mrc_destroy_qp(qp), 0);
    EXPECT_NUMBER(mrc_destroy_qp(NULL), EINVAL);
    EXPECT_MINUS_ONE(mrc_get_qpn(NULL, &(uint32_t){ 0 }), EINVAL);
    EXPECT_MINUS_ONE(mrc_get_qpn(end->qp, NULL), EINVAL);
}

SPEC("work that MRC cannot do is refused when it is posted")
{
    struct api_end *end = &shared()->ends[0];
    static const enum ibv_wr_opcode refused[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
        IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_LOCAL_INV,
        IBV_WR_BIND_MW, IBV_WR_SEND_WITH_INV, IBV_WR_TSO };
    struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
    struct ibv_send_wr *bad;
    struct ibv_recv_wr recv = { .num_sge = 2 };
    struct ibv_recv_wr *bad_recv;
    uint8_t bytes[65];
    struct ibv_sge piece = { .addr = (uintptr_t)bytes, .length = sizeof(bytes) };

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        wr.opcode = refused[i];
        bad = NULL;
        EXPECT_NUMBER(mrc_post_send(end->qp, &wr, &bad), EINVAL);
        EXPECT(bad == &wr);
    }
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.num_sge = 5;
    EXPECT_NUMBER(mrc_post_send(end->qp, &wr, &bad), EINVAL);
    wr.num_sge = -1;
    EXPECT_NUMBER(mrc_post_send(end->qp, &wr, &bad), EINVAL);
    wr.num_sge = 1; /* no list */
    EXPECT_NUMBER(mrc_post_send(end->qp, &wr, &bad), EINVAL);
    wr.sg_list = &piece;
    wr.send_flags = IBV_SEND_INLINE; /* one byte more than was asked for */
    EXPECT_NUMBER(mrc_post_send(end->qp, &wr, &bad), EINVAL);
    wr.send_flags = 1u << 30;
    EXPECT_NUMBER(mrc_post_send(end->qp, &wr, &bad), EINVAL);
    EXPECT_NUMBER(mrc_post_send(NULL, &wr, &bad), EINVAL);
    EXPECT_NUMBER(mrc_post_send(end->qp, NULL, &bad), EINVAL);
    EXPECT_NUMBER(mrc_post_send(end->qp, &wr, NULL), EINVAL);
    EXPECT_MINUS_ONE(mrc_post_recv(end->qp, &recv, &bad_recv), EINVAL);
    EXPECT(bad_recv == &recv);
    recv.num_sge = -1;
    EXPECT_MINUS_ONE(mrc_post_recv(end->qp, &recv, &bad_recv), EINVAL);
    EXPECT_MINUS_ONE(mrc_post_recv(NULL, &recv, &bad_recv), EINVAL);
    EXPECT_MINUS_ONE(mrc_post_recv(end->qp, NULL, &bad_recv), EINVAL);
    EXPECT_MINUS_ONE(mrc_post_recv(end->qp, &recv, NULL), EINVAL);
}

SPEC("asynchronous events refuse NULL; acknowledging no event has no effect")
{
    struct mrc_async_event event = { .event_type = IBV_EVENT_PORT_ERR };

    EXPECT_MINUS_ONE(mrc_get_async_event(NULL, &event), EINVAL);
    EXPECT_MINUS_ONE(mrc_get_async_event(shared()->ends[0].mrc, NULL), EINVAL);
    mrc_ack_async_event(NULL);
    mrc_ack_async_event(&event);
    mrc_ack_cq_events(NULL, 1);
}

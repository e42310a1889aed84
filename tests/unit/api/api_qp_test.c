/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/api_qp.c and api/qp_change.c, the life of a QP through mrc_modify_qp(): its steps, the
 * attributes that they need, and the defaults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api_world.h"
#include "host/host.h"

#define RTR_MASK (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RTS_MASK (IBV_QP_STATE | IBV_QP_SQ_PSN)

static void open_qp(struct api_world *world)
{
    api_world_start(world, 2, NULL);
    api_end_open(&world->ends[0], "mrc0");
    api_end_open(&world->ends[1], "mrc1");
    api_world_claim(world);
    api_end_create_qp(&world->ends[0]);
    api_end_create_qp(&world->ends[1]);
}

static int go(struct mrc_qp *qp, enum ibv_qp_state state)
{
    struct ibv_qp_attr attr = { .qp_state = state };

    return mrc_modify_qp(qp, &attr, IBV_QP_STATE, NULL, 0);
}

static struct ibv_qp_attr rtr_attr(struct api_world *world)
{
    struct api_address peer = api_end_address(&world->ends[1]);

    return (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_1024,
        .dest_qp_num = peer.qpn,
        .rq_psn = 5,
        .ah_attr = { .is_global = 1, .grh = { .dgid = peer.gid } } };
}

static enum ibv_qp_state state_of(struct mrc_qp *qp)
{
    struct ibv_qp_attr attr;

    EXPECT_EQ(mrc_query_qp(qp, &attr, IBV_QP_STATE, NULL, 0, NULL), 0);
    return attr.qp_state;
}

SPEC("a QP starts in RESET with the defaults of the interface")
{
    struct api_world world;
    struct mrc_qp_attr mrc;
    struct mrc_qp_init_attr init;
    struct ibv_qp_attr attr;
    struct host_config host;

    host_config_init(&host);
    open_qp(&world);
    EXPECT_EQ(mrc_query_qp(world.ends[0].qp, &attr, IBV_QP_STATE, &mrc, MRC_QP_MPR, &init), 0);
    EXPECT_EQ(attr.qp_state, IBV_QPS_RESET);
    EXPECT_EQ(mrc.mpr.mpr, 32); /* four windows are more: the most there is */
    EXPECT_EQ(mrc.mpr.mpr_dest, 32);
    EXPECT_EQ(mrc.wimm.max_wimm, 128);
    EXPECT_EQ(mrc.wimm.max_wimm_dest, 128);
    EXPECT_EQ(mrc.timeout, host.parameters.timeout);
    EXPECT_EQ(mrc.retry.linear_cnt, 3);
    EXPECT_EQ(mrc.retry.exp_cnt, host.parameters.retry_exponential);
    EXPECT_EQ(mrc.profile.ev_profile_id, 0);
    EXPECT_EQ(mrc.profile.cc_profile_id, 0);
    EXPECT(mrc.qp_hint == NULL);
    EXPECT_EQ(mrc.cap, 0);
    EXPECT(init.pd == world.ends[0].pd);
    api_world_close(&world);
}

SPEC("a QP enters one state at a time, with its attributes, and is unchanged by a refused step")
{
    struct api_world world;
    struct ibv_qp_attr attr;
    struct mrc_qp *qp;

    open_qp(&world);
    qp = world.ends[0].qp;
    attr = rtr_attr(&world);
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK, NULL, 0), EINVAL); /* from RESET */
    EXPECT_EQ(go(qp, IBV_QPS_SQD), EINVAL);
    EXPECT_EQ(go(qp, IBV_QPS_INIT), 0);
    for (int bit = 1; bit <= RTR_MASK; bit <<= 1)
        if (RTR_MASK & bit && bit != IBV_QP_STATE)
            EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK & ~bit, NULL, 0), EINVAL);
    EXPECT_EQ(state_of(qp), IBV_QPS_INIT);
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK, NULL, 0), 0);
    EXPECT_EQ(state_of(qp), IBV_QPS_RTR);
    EXPECT_EQ(go(qp, IBV_QPS_RTS), EINVAL); /* no PSN */
    EXPECT_EQ(go(qp, IBV_QPS_INIT), EINVAL);
    attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = 9 };
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTS_MASK, NULL, 0), 0);
    EXPECT_EQ(state_of(qp), IBV_QPS_RTS);
    EXPECT_EQ(go(qp, IBV_QPS_ERR), 0);
    EXPECT_EQ(state_of(qp), IBV_QPS_ERR);
    EXPECT_EQ(go(qp, IBV_QPS_RTS), EINVAL);
    EXPECT_EQ(go(qp, IBV_QPS_RESET), 0);
    EXPECT_EQ(go(qp, IBV_QPS_INIT), 0);
    api_world_close(&world);
}

SPEC("attributes out of range are refused, one by one")
{
    static const struct {
        struct mrc_qp_attr attr;
        int mask;
    } bad[] = {
        { { .mpr.mpr = 0 }, MRC_QP_MPR },
        { { .mpr.mpr = 33 }, MRC_QP_MPR },
        { { .mpr.mpr_dest = 0 }, MRC_QP_MPR_DEST },
        { { .mpr.mpr_dest = 33 }, MRC_QP_MPR_DEST },
        { { .wimm.max_wimm = 257 }, MRC_QP_MAX_WIMM },
        { { .wimm.max_wimm_dest = 257 }, MRC_QP_MAX_WIMM_DEST },
        { { .timeout = 25 }, MRC_QP_TIMEOUT },
        { { .retry.linear_cnt = 8 }, MRC_QP_RETRY_CNT },
        { { .retry.exp_cnt = 26 }, MRC_QP_RETRY_CNT },
        { { .profile.ev_profile_id = 4711 }, MRC_QP_EV_PROFILE_ID },
        { { .profile.cc_profile_id = 4711 }, MRC_QP_CC_PROFILE_ID },
        { { .cap = 8 }, MRC_QP_CAP },
        { { .cap = 0 }, 1 << 10 },
    };
    struct api_world world;
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .pkey_index = 1 };
    struct mrc_qp *qp;

    open_qp(&world);
    qp = world.ends[0].qp;
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX, NULL, 0), EINVAL);
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_STATE, NULL, 0), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mrc_qp_attr mrc = bad[i].attr;

        EXPECT_EQ(mrc_modify_qp(qp, NULL, 0, &mrc, bad[i].mask), EINVAL);
    }
    EXPECT_EQ(mrc_modify_qp(NULL, &attr, IBV_QP_STATE, NULL, 0), EINVAL);
    EXPECT_EQ(mrc_modify_qp(qp, NULL, IBV_QP_STATE, NULL, 0), EINVAL);
    EXPECT_EQ(mrc_modify_qp(qp, NULL, 0, NULL, MRC_QP_MPR), EINVAL);
    EXPECT_EQ(mrc_modify_qp(qp, NULL, 0, NULL, 0), EINVAL);
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_ALT_PATH, NULL, 0), EINVAL);
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_PATH_MIG_STATE, NULL, 0), EINVAL);
    attr.cur_qp_state = IBV_QPS_RTS;
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS, NULL, 0), EINVAL);
    attr = rtr_attr(&world);
    attr.ah_attr.is_global = 0;
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK, NULL, 0), EINVAL);
    attr = rtr_attr(&world);
    attr.ah_attr.grh.sgid_index = 1;
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK, NULL, 0), EINVAL);
    attr = rtr_attr(&world);
    attr.path_mtu = (enum ibv_mtu)6;
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK, NULL, 0), EINVAL);
    attr = rtr_attr(&world);
    attr.dest_qp_num = 1u << 24;
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK, NULL, 0), EINVAL);
    EXPECT_EQ(mrc_query_qp(NULL, &attr, 1, NULL, 0, NULL), EINVAL);
    EXPECT_EQ(mrc_query_qp(qp, NULL, 1, NULL, 0, NULL), EINVAL);
    EXPECT_EQ(mrc_query_qp(qp, NULL, 0, NULL, 1, NULL), EINVAL);
    api_world_close(&world);
}

SPEC("MRC attributes may be set before they are required, and set again")
{
    struct api_world world;
    struct mrc_qp_attr mrc = { .mpr = { 4, 6 },
        .wimm = { 10, 20 },
        .timeout = 21,
        .retry = { 1, 2 },
        .cap = MRC_QP_CAP_DYNAMIC_MPR };
    struct mrc_qp_attr now;
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
    const int all = MRC_QP_MPR | MRC_QP_MPR_DEST | MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST |
                    MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT | MRC_QP_CAP | MRC_QP_EV_PROFILE_ID |
                    MRC_QP_CC_PROFILE_ID | MRC_QP_HINT | MRC_QP_VENDOR_CFG;
    struct mrc_qp *qp;

    open_qp(&world);
    qp = world.ends[0].qp;
    mrc.vendor_cfg[127] = 3;
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_STATE, &mrc, all), 0);
    EXPECT_EQ(mrc_query_qp(qp, NULL, 0, &now, all, NULL), 0);
    EXPECT_MEM_EQ(&now.mpr, &mrc.mpr, sizeof(mrc.mpr));
    EXPECT_MEM_EQ(&now.wimm, &mrc.wimm, sizeof(mrc.wimm));
    EXPECT_MEM_EQ(&now.retry, &mrc.retry, sizeof(mrc.retry));
    EXPECT_EQ(now.timeout, 21);
    EXPECT_EQ(now.cap, MRC_QP_CAP_DYNAMIC_MPR);
    EXPECT_EQ(now.vendor_cfg[127], 3);
    attr = rtr_attr(&world);
    EXPECT_EQ(mrc_modify_qp(qp, &attr, RTR_MASK, &mrc, all), 0);
    api_world_close(&world);
}

SPEC("attributes of RoCE are translated, or refused in strict mode")
{
    struct host_config host;
    struct api_world world;
    struct mrc_qp_attr mrc;
    struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
    struct mrc_qp *qp;

    host_config_init(&host);
    open_qp(&world);
    qp = world.ends[0].qp;
    setenv("MRC_STRICT", "1", 1);
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT, NULL, 0), EINVAL);
    unsetenv("MRC_STRICT");
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT, NULL, 0), 0);
    attr = rtr_attr(&world);
    attr.min_rnr_timer = 12;
    EXPECT_EQ(mrc_modify_qp(
                  qp, &attr, RTR_MASK | IBV_QP_MIN_RNR_TIMER | IBV_QP_MAX_DEST_RD_ATOMIC, NULL, 0),
        0);
    attr = (struct ibv_qp_attr){
        .qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 14, .rnr_retry = 7
    };
    EXPECT_EQ(mrc_modify_qp(qp, &attr,
                  RTS_MASK | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                      IBV_QP_MAX_QP_RD_ATOMIC,
                  NULL, 0),
        0);
    EXPECT_EQ(mrc_query_qp(qp, NULL, 0, &mrc, MRC_QP_TIMEOUT, NULL), 0);
    EXPECT_EQ(mrc.timeout, 20);
    EXPECT_EQ(mrc.retry.linear_cnt, 7);
    EXPECT_EQ(mrc.retry.exp_cnt, host.parameters.retry_exponential);
    attr.timeout = 0; /* for ever */
    EXPECT_EQ(mrc_modify_qp(qp, &attr, IBV_QP_TIMEOUT, NULL, 0), 0);
    EXPECT_EQ(mrc_query_qp(qp, NULL, 0, &mrc, MRC_QP_TIMEOUT, NULL), 0);
    EXPECT_EQ(mrc.retry.exp_cnt, 25);
    api_world_close(&world);
}

/* Asks for MRC attributes, or for those of verbs with `verbs_timeout`. */
static void expect_in_force(
    struct mrc_qp *qp, struct mrc_qp_attr wanted, uint8_t verbs_timeout, uint8_t timeout_in_force)
{
    struct ibv_qp_attr verbs = { .timeout = verbs_timeout, .retry_cnt = 14 };
    struct mrc_qp_attr mrc;

    if (verbs_timeout)
        EXPECT_EQ(mrc_modify_qp(qp, &verbs, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT, NULL, 0), 0);
    else
        EXPECT_EQ(mrc_modify_qp(qp, NULL, 0, &wanted, MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT), 0);
    EXPECT_EQ(
        mrc_query_qp(qp, &verbs, IBV_QP_TIMEOUT, &mrc, MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT, NULL), 0);
    EXPECT_EQ(mrc.timeout, timeout_in_force);
    if (verbs_timeout)
        EXPECT_EQ(verbs.timeout, timeout_in_force - 2);
    else
        EXPECT_EQ(mrc.retry.linear_cnt, wanted.retry.linear_cnt);
}

SPEC("a timeout too short for a real clock is raised, and queries return the value in force")
{
    struct api_world world;
    struct mrc_qp *qp;
    struct mrc_qp_attr few = { .timeout = 7, .retry = { .linear_cnt = 7, .exp_cnt = 0 } };
    struct mrc_qp_attr many = { .timeout = 7, .retry = { .linear_cnt = 3, .exp_cnt = 5 } };
    struct mrc_qp_attr longer = { .timeout = 21, .retry = { .linear_cnt = 7, .exp_cnt = 0 } };

    open_qp(&world);
    qp = world.ends[0].qp;
    EXPECT_EQ(go(qp, IBV_QPS_INIT), 0);
    expect_in_force(qp, few, 7, 17);
    expect_in_force(qp, few, 0, 19);  /* eight times 537 ms */
    expect_in_force(qp, many, 0, 17); /* 134 ms, and more than 8 s in all */
    expect_in_force(qp, longer, 0, 21);
    api_world_close(&world);
}

SPEC("a QP that peers may not write to answers with an access error")
{
    struct api_world world;
    struct api_address peer;
    struct ibv_qp_attr attr = { .qp_access_flags = 0 };

    api_world_open(&world, 1, NULL);
    peer = api_end_address(&world.ends[1]);
    EXPECT_EQ(mrc_modify_qp(world.ends[1].qp, &attr, IBV_QP_ACCESS_FLAGS, NULL, 0), 0);
    EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 8, IBV_WR_RDMA_WRITE), 0);
    EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_REM_ACCESS_ERR);
    api_world_close(&world);
}

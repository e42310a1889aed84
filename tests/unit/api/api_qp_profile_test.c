/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/device_profile.c: EV and CC profiles of a QP through mrc_modify_qp(), in each state and
 * with traffic. */
#include <errno.h>
#include <string.h>

#include "api_world.h"

#define RTR_MASK (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RTS_MASK (IBV_QP_STATE | IBV_QP_SQ_PSN)
#define PROFILES (MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID)

enum { FMT = 7, EV = 9, CC = 11, EVS = 6, WRITES = 60, BYTES = 16000 };

static int ev_state(struct mrc_context *mrc, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = state };

    return mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_STATE);
}

/* Source ports of UDP, three on each of two ports. */
static void make_ev_profile(struct mrc_context *mrc)
{
    struct mrc_ctl_ev_op_entry entries[EVS] = { 0 };
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = FMT,
        .ev_count = EVS,
        .ev_op = { .entries = entries, .entry_count = EVS } };

    for (uint8_t i = 0; i < EVS; i++)
        entries[i].ev_new = (struct mrc_ctl_ev){ .val = { 0x20, i }, .port = (uint8_t)(1 + i % 2) };
    api_world_udp_format(mrc, FMT);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr,
                  MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
                      MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_EV_OP),
        0);
    EXPECT_EQ(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), 0);
}

static void make_cc_profile(struct mrc_context *mrc)
{
    struct mrc_ctl_cc_nscc_cfg config = { .max_cwnd = 100000 };
    struct mrc_ctl_cc_profile_attr attr = {
        .profile_state = MRC_CTL_PROFILE_OFFLINE, .algorithm = "uet-1.0-nscc", .cc_config = &config
    };

    EXPECT_EQ(
        mrc_ctl_modify_cc_profile(mrc, CC, &attr,
            MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM | MRC_CTL_CC_PROFILE_CONFIG),
        0);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_EQ(mrc_ctl_modify_cc_profile(mrc, CC, &attr, MRC_CTL_CC_PROFILE_STATE), 0);
}

static int set(struct mrc_qp *qp, uint64_t ev, uint64_t cc)
{
    struct mrc_qp_attr attr = { .profile = { .ev_profile_id = ev, .cc_profile_id = cc } };

    return mrc_modify_qp(qp, NULL, 0, &attr, PROFILES);
}

static void expect_profiles(struct mrc_qp *qp, uint64_t ev, uint64_t cc)
{
    struct mrc_qp_attr attr;

    EXPECT_EQ(mrc_query_qp(qp, NULL, 0, &attr, PROFILES, NULL), 0);
    EXPECT_EQ(attr.profile.ev_profile_id, ev);
    EXPECT_EQ(attr.profile.cc_profile_id, cc);
}

static void step(struct api_world *world, enum ibv_qp_state state, int mask, uint64_t ev)
{
    struct api_address peer = api_end_address(&world->ends[1]);
    struct ibv_qp_attr attr = { .qp_state = state,
        .path_mtu = IBV_MTU_1024,
        .dest_qp_num = peer.qpn,
        .ah_attr = { .is_global = 1, .grh = { .dgid = peer.gid } } };
    struct mrc_qp_attr mrc = { .profile.ev_profile_id = ev };

    EXPECT_EQ(mrc_modify_qp(world->ends[0].qp, &attr, mask, &mrc, MRC_QP_EV_PROFILE_ID), 0);
    expect_profiles(world->ends[0].qp, ev, 0);
}

SPEC("profiles change in INIT, RTR and RTS and with every step there, not in RESET and ERR")
{
    struct api_world world;
    struct mrc_qp *qp;

    api_world_start(&world, 2, NULL);
    api_end_open(&world.ends[0], "mrc0");
    api_end_open(&world.ends[1], "mrc1");
    api_world_claim(&world);
    api_end_create_qp(&world.ends[0]);
    api_end_create_qp(&world.ends[1]);
    make_ev_profile(world.ends[0].mrc);
    make_cc_profile(world.ends[0].mrc);
    qp = world.ends[0].qp;
    EXPECT_EQ(set(qp, EV, CC), EINVAL);
    expect_profiles(qp, 0, 0);
    step(&world, IBV_QPS_INIT, IBV_QP_STATE, EV);
    EXPECT_EQ(set(qp, EV, CC), 0);
    EXPECT_EQ(set(qp, 0, 0), 0);
    step(&world, IBV_QPS_RTR, RTR_MASK, EV);
    EXPECT_EQ(set(qp, 0, CC), 0);
    expect_profiles(qp, 0, CC);
    EXPECT_EQ(set(qp, 0, 0), 0);
    step(&world, IBV_QPS_RTS, RTS_MASK, EV);
    EXPECT_EQ(set(qp, 0, CC), 0);
    EXPECT_EQ(set(qp, EV, CC), 0);
    expect_profiles(qp, EV, CC);
    EXPECT_EQ(
        mrc_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR }, IBV_QP_STATE, NULL, 0),
        0);
    EXPECT_EQ(set(qp, 0, 0), EINVAL);
    expect_profiles(qp, EV, CC);
    api_world_close(&world);
}

SPEC("a profile that is missing or not ONLINE is refused in RTS, and the QP keeps its profile")
{
    struct api_world world;
    struct mrc_qp *qp;

    api_world_open(&world, 2, NULL);
    make_ev_profile(world.ends[0].mrc);
    qp = world.ends[0].qp;
    EXPECT_EQ(set(qp, EV, 0), 0);
    EXPECT_EQ(set(qp, EV + 1, 0), EINVAL);
    EXPECT_EQ(set(qp, 0, CC), EINVAL);
    expect_profiles(qp, EV, 0);
    EXPECT_EQ(set(qp, 0, 0), 0);
    EXPECT_EQ(ev_state(world.ends[0].mrc, MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(set(qp, EV, 0), EINVAL);
    expect_profiles(qp, 0, 0);
    api_world_close(&world);
}

SPEC("a profile is busy as long as a QP in RTS uses it")
{
    struct api_world world;

    api_world_open(&world, 2, NULL);
    make_ev_profile(world.ends[0].mrc);
    EXPECT_EQ(set(world.ends[0].qp, EV, 0), 0);
    EXPECT_EQ(ev_state(world.ends[0].mrc, MRC_CTL_PROFILE_OFFLINE), -1);
    EXPECT_EQ(errno, EBUSY);
    EXPECT_EQ(set(world.ends[0].qp, 0, 0), 0);
    EXPECT_EQ(ev_state(world.ends[0].mrc, MRC_CTL_PROFILE_OFFLINE), 0);
    api_world_close(&world);
}

SPEC("profiles change under traffic, and every byte arrives")
{
    struct api_world world;
    struct api_address peer;

    api_world_open(&world, 2, NULL);
    make_ev_profile(world.ends[0].mrc);
    make_cc_profile(world.ends[0].mrc);
    peer = api_end_address(&world.ends[1]);
    api_fill(world.ends[0].memory, WRITES * BYTES, 8);
    for (uint32_t i = 0; i < WRITES; i++) {
        EXPECT_EQ(api_end_write(&world.ends[0], &peer, i * BYTES, BYTES, IBV_WR_RDMA_WRITE), 0);
        if (i % 4 == 0)
            EXPECT_EQ(set(world.ends[0].qp, i % 8 ? 0 : EV, i % 12 ? CC : 0), 0);
        if (i >= 8)
            EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    }
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    EXPECT_MEM_EQ(api_end_received(&world.ends[1]), world.ends[0].memory, WRITES * BYTES);
    api_world_close(&world);
}

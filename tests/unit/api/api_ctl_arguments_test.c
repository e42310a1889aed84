/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/ctl.c and api/profile_fmt.c: wrong arguments of mrc_ctl.h, call by call and bit by bit.
 * */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api_world.h"

static struct api_world world;

static void tidy_up(void)
{
    api_world_stop(&world);
}

static struct api_world *shared(void)
{
    static int is_open;

    if (!is_open) {
        api_world_start(&world, 2, NULL);
        api_end_open(&world.ends[0], "mrc0");
    }
    if (!is_open)
        atexit(tidy_up);
    is_open = 1;
    return &world;
}

#define EXPECT_FAILS(call, number)                                                                 \
    do {                                                                                           \
        errno = 0;                                                                                 \
        EXPECT_EQ(call, -1);                                                                       \
        EXPECT_EQ(errno, number);                                                                  \
    } while (0)

SPEC("queries of a controller check their arguments and return the attributes of the device")
{
    struct api_end *end = &shared()->ends[0];
    struct ibv_context stranger = { 0 };
    struct mrc_ctl_device_attr attr;
    int supported;

    EXPECT_FAILS(mrc_ctl_query_device(NULL, &attr), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_device(end->verbs, NULL), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_device(&stranger, &attr), EOPNOTSUPP);
    EXPECT_FAILS(mrc_ctl_query_device_ex(NULL, NULL, &attr, &supported), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_device_ex(end->verbs, NULL, NULL, &supported), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_device_ex(end->verbs, NULL, &attr, NULL), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_device_ex(&stranger, end->mrc, &attr, &supported), EINVAL);
    EXPECT_EQ(mrc_ctl_query_device_ex(&stranger, NULL, &attr, &supported), 0);
    EXPECT_EQ(supported, 0);
    EXPECT_EQ(mrc_ctl_query_device_ex(end->verbs, end->mrc, &attr, &supported), 0);
    EXPECT_EQ(supported, 1);
    EXPECT_EQ(attr.phy_port_mask, 1u << 1 | 1u << 2);
    EXPECT_STR_EQ(attr.cc.algorithms[0], "uet-1.0-nscc");
    EXPECT(attr.cc.algorithms[1] == NULL);
    EXPECT_EQ(attr.ev.ev_fmt_mode_mask, 7);
    EXPECT_EQ(attr.ev.ev_mode_mask, 7);
    EXPECT_EQ(attr.ev.ev_max_width, 256);
}

SPEC("port numbers begin at 1, and unknown ports and attributes are refused")
{
    struct mrc_context *mrc = shared()->ends[0].mrc;
    struct mrc_ctl_port_attr attr = { .port_admin_state = MRC_CTL_PORT_ADMIN_DISABLED };

    EXPECT_FAILS(mrc_ctl_query_port(NULL, 1, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_port(mrc, 0, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_port(mrc, 3, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_port(mrc, 1, NULL, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_port(mrc, 1, &attr, 0), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_port(mrc, 1, &attr, 3), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_port(NULL, 1, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_port(mrc, 0, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_port(mrc, 3, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_port(mrc, 1, NULL, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_port(mrc, 1, &attr, 2), EINVAL);
    attr.port_admin_state = (enum mrc_ctl_port_admin_state)2;
    EXPECT_FAILS(mrc_ctl_modify_port(mrc, 1, &attr, 1), EINVAL);
}

SPEC("format profiles refuse unknown bits, modes and operations")
{
    struct mrc_context *mrc = shared()->ends[0].mrc;
    struct mrc_ctl_ev_fmt_field field = { 8 };
    const struct mrc_ctl_ev_fmt_profile_attr good = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP,
        .ev_fmt_op = { .fmt_fields = &field, .fmt_field_count = 1 } };
    const int all =
        MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP;
    struct mrc_ctl_ev_fmt_profile_attr attr = good;

    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(NULL, 1, &attr, all), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, NULL, all), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, 0), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all | 1 << 9), EINVAL);
    attr.ev_fmt_mode = (enum mrc_ctl_ev_fmt_mode)3;
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all), EINVAL);
    attr = good;
    attr.ev_fmt_op.op = (enum mrc_ctl_ev_fmt_op)9;
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all), EINVAL);
    attr = good;
    attr.ev_fmt_op.fmt_fields = NULL;
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all), EINVAL);
    attr = good;
    attr.ev_fmt_op.fmt_field_count = 0;
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all), EINVAL);
    attr.ev_fmt_op.fmt_field_count = 1000;
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all), E2BIG);
    attr = good;
    attr.cur_profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_FAILS(
        mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all | MRC_CTL_EV_FMT_PROFILE_CUR_STATE),
        EINVAL);
    attr.profile_state = (enum mrc_ctl_profile_state)3;
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(mrc, 1, &attr, all), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_fmt_profile(NULL, 1, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_fmt_profile(mrc, 1, NULL, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_fmt_profile(mrc, 1, &attr, 0), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_fmt_profile(mrc, 1, &attr, 1 << 4), EINVAL);
}

static void make_fmt(struct mrc_context *mrc, uint64_t id)
{
    struct mrc_ctl_ev_fmt_field field = { 8 };
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP,
        .ev_fmt_op = { .fmt_fields = &field, .fmt_field_count = 1 } };

    EXPECT_EQ(
        mrc_ctl_modify_ev_fmt_profile(mrc, id, &attr,
            MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP),
        0);
}

SPEC("EV profiles refuse missing, excess and contradictory attributes")
{
    struct mrc_context *mrc = shared()->ends[0].mrc;
    const int create = MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE |
                       MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT;
    const struct mrc_ctl_ev_profile_attr good = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = 20,
        .ev_count = 4 };
    struct mrc_ctl_ev_op_entry entry = { .ev_new = { .port = 1 } };
    struct mrc_ctl_ev_field field = { .width = 8, .mask = 0xff };
    struct mrc_ctl_ev_profile_attr attr = good;

    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr, create), EINVAL); /* no such format */
    make_fmt(mrc, 20);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(NULL, 2, &attr, create), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, NULL, create), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr, 0), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr, create | 1 << 9), EINVAL);
    for (int bit = 1; bit <= create; bit <<= 1)
        if (create & bit)
            EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr, create & ~bit), EINVAL);
    attr.ev_mode = (enum mrc_ctl_ev_mode)3;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr, create), EINVAL);
    attr = good;
    attr.ev_count = 0;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr, create), EINVAL);
    attr.ev_count = 1025;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr, create), E2BIG);
    attr = good;
    attr.ev_min_active = 5;
    EXPECT_FAILS(
        mrc_ctl_modify_ev_profile(mrc, 2, &attr, create | MRC_CTL_EV_PROFILE_MIN_ACTIVE), EINVAL);
    attr = good;
    attr.ev_event_mask = MRC_CTL_EV_DENIED;
    EXPECT_FAILS(
        mrc_ctl_modify_ev_profile(mrc, 2, &attr, create | MRC_CTL_EV_PROFILE_EVENT_MASK), EINVAL);
    attr = good;
    attr.ev_op.entries = &entry;
    attr.ev_op.entry_count = 1;
    attr.ev_fields_op.fields = &field;
    attr.ev_fields_op.field_count = 1;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 2, &attr,
                     create | MRC_CTL_EV_PROFILE_EV_OP | MRC_CTL_EV_PROFILE_EV_FIELDS_OP),
        EINVAL);
    attr.ev_fields_op.op = MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS;
    EXPECT_FAILS(
        mrc_ctl_modify_ev_profile(mrc, 2, &attr, create | MRC_CTL_EV_PROFILE_EV_FIELDS_OP), EINVAL);
    attr.ev_fields_op.op = MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS;
    field.width = 9;
    EXPECT_FAILS(
        mrc_ctl_modify_ev_profile(mrc, 2, &attr, create | MRC_CTL_EV_PROFILE_EV_FIELDS_OP), E2BIG);
    attr = good;
    EXPECT_EQ(mrc_ctl_query_ev_profile(mrc, 2, &attr, MRC_CTL_EV_PROFILE_STATE), 0);
    EXPECT_EQ(attr.profile_state, MRC_CTL_PROFILE_INIT); /* nothing was half done */
}

SPEC("EV operations refuse unknown ports, bits, states and flags")
{
    struct mrc_context *mrc = shared()->ends[0].mrc;
    const int create = MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE |
                       MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT;
    struct mrc_ctl_ev_op_entry entry = { .ev_new = { .val = { 1 }, .port = 1 } };
    const struct mrc_ctl_ev_op_entry good = entry;
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = 21,
        .ev_count = 4,
        .ev_op = { .entries = &entry, .entry_count = 1 } };
    const int op = MRC_CTL_EV_PROFILE_EV_OP;

    make_fmt(mrc, 21);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, 3, &attr, create), 0);
    entry.ev_new.port = 3;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    entry.ev_new.port = 0;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    entry = good;
    entry.ev_new.val[1] = 1; /* a ninth bit */
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    entry = good;
    entry.state = MRC_CTL_EV_UNKNOWN;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    entry = good;
    entry.flags = 2;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    entry = good;
    attr.ev_op.op = MRC_CTL_EV_OP_QUERY_EV_ARRAY;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    attr.ev_op.op = MRC_CTL_EV_OP_REPLACE_EV;
    attr.ev_op.entry_count = 0;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    attr.ev_op.entry_count = -1;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    attr.ev_op.entry_count = 1;
    attr.ev_op.entries = NULL;
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), EINVAL);
    attr.ev_op.entries = &entry;
    EXPECT_FAILS(mrc_ctl_query_ev_profile(mrc, 3, &attr, op), EINVAL); /* REPLACE in a query */
    EXPECT_FAILS(mrc_ctl_query_ev_profile(mrc, 3, &attr, 0), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_profile(mrc, 3, &attr, 1 << 9), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_profile(mrc, 4, &attr, MRC_CTL_EV_PROFILE_COUNT), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_profile(NULL, 3, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_ev_profile(mrc, 3, NULL, 1), EINVAL);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, 3, &attr, op), 0);
}

SPEC("congestion control profiles refuse unknown algorithms and invalid numbers")
{
    struct mrc_context *mrc = shared()->ends[0].mrc;
    const int create = MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM;
    struct mrc_ctl_cc_nscc_cfg configs[] = { { .gamma = -0.1f }, { .gamma = 1.5f }, { .eta = NAN },
        { .fi = -1 }, { .max_md_jump = 2 }, { .disable_qa = 2 }, { .base_rtt = 2000000000 } };
    struct mrc_ctl_cc_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .algorithm = "swift" };

    EXPECT_FAILS(mrc_ctl_modify_cc_profile(mrc, 5, &attr, create), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_cc_profile(mrc, 5, &attr, MRC_CTL_CC_PROFILE_STATE), EINVAL);
    attr.algorithm = "uet-1.0-nscc";
    EXPECT_FAILS(mrc_ctl_modify_cc_profile(NULL, 5, &attr, create), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_cc_profile(mrc, 5, NULL, create), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_cc_profile(mrc, 0, &attr, create), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_cc_profile(mrc, 5, &attr, create | 1 << 4), EINVAL);
    EXPECT_FAILS(
        mrc_ctl_modify_cc_profile(mrc, 5, &attr, create | MRC_CTL_CC_PROFILE_CONFIG), EINVAL);
    for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
        attr.cc_config = &configs[i];
        EXPECT_FAILS(
            mrc_ctl_modify_cc_profile(mrc, 5, &attr, create | MRC_CTL_CC_PROFILE_CONFIG), EINVAL);
    }
    attr.algorithm = NULL; /* none has nothing to configure */
    EXPECT_FAILS(
        mrc_ctl_modify_cc_profile(mrc, 5, &attr, create | MRC_CTL_CC_PROFILE_CONFIG), EINVAL);
    EXPECT_EQ(mrc_ctl_modify_cc_profile(mrc, 5, &attr, create), 0);
    EXPECT_FAILS(mrc_ctl_query_cc_profile(NULL, 5, &attr, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_cc_profile(mrc, 5, NULL, 1), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_cc_profile(mrc, 5, &attr, 0), EINVAL);
    EXPECT_FAILS(mrc_ctl_query_cc_profile(mrc, 6, &attr, MRC_CTL_CC_PROFILE_CONFIG), EINVAL);
}

SPEC("EV event queues and endpoint requests refuse wrong arguments")
{
    struct api_end *end = &shared()->ends[0];
    struct mrc_ctl_ev_event event;
    struct mrc_ctl_ep_req req = { .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_UDP, .req_ev.port = 1 };
    const enum mrc_ctl_ep_op_type probe = MRC_CTL_EP_OP_EV_PROBE;
    struct mrc_ctl_ep_rsp rsp;
    struct mrc_cq *cq;
    int count;

    EXPECT(mrc_ctl_create_ev_event_cq(NULL, 1, NULL, NULL, 0) == NULL);
    EXPECT(mrc_ctl_create_ev_event_cq(end->mrc, 0, NULL, NULL, 0) == NULL);
    EXPECT(mrc_ctl_create_ev_event_cq(end->mrc, 1 << 20, NULL, NULL, 0) == NULL);
    cq = mrc_ctl_create_ev_event_cq(end->mrc, 8, NULL, NULL, 0);
    EXPECT(cq != NULL);
    EXPECT_EQ(mrc_ctl_poll_ev_event(NULL, 1, &event), -EINVAL);
    EXPECT_EQ(mrc_ctl_poll_ev_event(cq, -1, &event), -EINVAL);
    EXPECT_EQ(mrc_ctl_poll_ev_event(cq, 1, NULL), -EINVAL);
    EXPECT_EQ(mrc_ctl_poll_ev_event(cq, 1, &event), 0);
    EXPECT_EQ(mrc_poll_cq(cq, 1, &(struct ibv_wc){ 0 }), -1); /* it has no completions */
    EXPECT_EQ(mrc_destroy_cq(cq), 0);

    EXPECT_EQ(ibv_query_gid(end->verbs, 1, 0, &req.sgid), 0);
    EXPECT_FAILS(mrc_ctl_ep_batch_send_wait(NULL, 0, probe, &req, 1, 1, &rsp, &count), EINVAL);
    EXPECT_FAILS(mrc_ctl_ep_batch_send_wait(end->mrc, 0, probe, NULL, 1, 1, &rsp, &count), EINVAL);
    EXPECT_FAILS(mrc_ctl_ep_batch_send_wait(end->mrc, 0, probe, &req, 0, 1, &rsp, &count), EINVAL);
    EXPECT_FAILS(mrc_ctl_ep_batch_send_wait(end->mrc, 0, probe, &req, 1, 1, NULL, &count), EINVAL);
    EXPECT_FAILS(mrc_ctl_ep_batch_send_wait(end->mrc, 0, probe, &req, 1, 1, &rsp, NULL), EINVAL);
    EXPECT_FAILS(mrc_ctl_ep_batch_send_wait(
                     end->mrc, 0, MRC_CTL_EP_OP_PORT_STATUS_UPDATE, &req, 1, 1, &rsp, &count),
        ENOTSUP);
    EXPECT_FAILS(/* no class has this code point */
        mrc_ctl_ep_batch_send_wait(end->mrc, 63, probe, &req, 1, 1, &rsp, &count), EINVAL);
}

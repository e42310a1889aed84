/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/profile_own.c: the denylist of the device's own EV profile, by mrc_ctl.h and by
 * control/ev_admin.h. */
#include <errno.h>

#include "api_world.h"
#include "control/control.h"

enum { OWN = 0 };

static int set_states(struct mrc_context *mrc, struct mrc_ctl_ev_op_entry *entries, int count)
{
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_MODIFY_EV_STATE, .entries = entries, .entry_count = count }
    };

    return mrc_ctl_modify_ev_profile(mrc, OWN, &attr, MRC_CTL_EV_PROFILE_EV_OP);
}

static int list_denied(struct mrc_context *mrc, struct mrc_ctl_ev_op_entry *entries, int room)
{
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_ARRAY, .entries = entries, .entry_count = room }
    };
    int result = mrc_ctl_query_ev_profile(mrc, OWN, &attr, MRC_CTL_EV_PROFILE_EV_OP);

    return result == 0 ? attr.ev_op.entry_count : -errno;
}

static struct mrc_ctl_ev_op_entry entry_of(uint8_t value, uint8_t port, enum mrc_ctl_ev_state state)
{
    return (struct mrc_ctl_ev_op_entry){ .ev = { .val = { 0, 0, 0, value }, .port = port },
        .state = state };
}

SPEC("the denylist keeps what is denied until it is allowed, also for the next process")
{
    struct api_world world;
    struct mrc_ctl_ev_op_entry evs[2] = { entry_of(1, 1, MRC_CTL_EV_DENIED),
        entry_of(2, 2, MRC_CTL_EV_DENIED) };
    struct mrc_ctl_ev_op_entry found[4];

    api_world_start(&world, 2, NULL);
    api_end_open(&world.ends[0], "mrc0");
    EXPECT_EQ(list_denied(world.ends[0].mrc, found, 4), 0);
    EXPECT_EQ(set_states(world.ends[0].mrc, evs, 2), 0);
    EXPECT_EQ(set_states(world.ends[0].mrc, evs, 2), 0);
    api_end_close(&world.ends[0]);

    api_end_open(&world.ends[0], "mrc0");
    EXPECT_EQ(list_denied(world.ends[0].mrc, found, 1), -E2BIG);
    EXPECT_EQ(list_denied(world.ends[0].mrc, found, 4), 2);
    EXPECT_EQ(found[1].ev.val[3], 2);
    EXPECT_EQ(found[1].state, MRC_CTL_EV_DENIED);
    evs[0].state = MRC_CTL_EV_GOOD;
    EXPECT_EQ(set_states(world.ends[0].mrc, evs, 1), 0);
    EXPECT_EQ(list_denied(world.ends[0].mrc, found, 4), 1);
    api_end_close(&world.ends[0]);
    api_world_stop(&world);
}

SPEC("a call with one wrong entry changes nothing")
{
    struct api_world world;
    struct mrc_ctl_ev_op_entry evs[2] = { entry_of(1, 1, MRC_CTL_EV_DENIED),
        entry_of(1, 3, MRC_CTL_EV_DENIED) };
    struct mrc_ctl_ev_op_entry found[4];

    api_world_start(&world, 2, NULL);
    api_end_open(&world.ends[0], "mrc0");
    EXPECT_EQ(set_states(world.ends[0].mrc, evs, 2), -1);
    EXPECT_EQ(errno, EINVAL);
    evs[1] = entry_of(1, 2, MRC_CTL_EV_ASSUMED_BAD);
    EXPECT_EQ(set_states(world.ends[0].mrc, evs, 2), -1);
    evs[1] = entry_of(1, 2, MRC_CTL_EV_DENIED);
    evs[1].ev.val[4] = 1; /* an EV has 32 bits */
    EXPECT_EQ(set_states(world.ends[0].mrc, evs, 2), -1);
    EXPECT_EQ(list_denied(world.ends[0].mrc, found, 4), 0);
    api_end_close(&world.ends[0]);
    api_world_stop(&world);
}

SPEC("a denylist is replaced in one change")
{
    struct api_world world;
    struct port_admin device;
    const struct ev_admin_ev first[] = { { 1, 0 }, { 2, 1 } };
    const struct ev_admin_ev second[] = { { 2, 1 }, { 3, 1 }, { 4, 1 } };
    struct ev_admin_ev found[EV_ADMIN_MAX];

    api_world_start(&world, 2, NULL);
    EXPECT(port_admin_open(&device, "mrc0"));
    EXPECT_EQ(ev_admin_replace(&device, first, 2), 0);
    EXPECT_EQ(ev_admin_list(&device, found), 2);
    EXPECT_EQ(ev_admin_replace(&device, second, 3), 0);
    EXPECT_EQ(ev_admin_list(&device, found), 3);
    EXPECT_EQ(ev_admin_replace(&device, NULL, 0), 0);
    EXPECT_EQ(ev_admin_list(&device, found), 0);
    EXPECT_EQ(ev_admin_set(&device, &(struct ev_admin_ev){ 1, 2 }, 1, true), -EINVAL);
    port_admin_close(&device);
    api_world_stop(&world);
}

SPEC("writes arrive with half of the EVs denied while they run")
{
    struct api_world world;
    struct api_address peer;
    struct port_admin device;
    struct ev_admin_ev evs[8];

    api_world_open(&world, 2, "  uplinks: 8\n");
    peer = api_end_address(&world.ends[1]);
    EXPECT(port_admin_open(&device, "mrc0"));
    for (uint32_t i = 0; i < 8; i++)
        evs[i] = (struct ev_admin_ev){ .ev = i % 2 << 8 | i, .plane = i % 2 };
    for (uint32_t turn = 0; turn < 20; turn++) {
        EXPECT_EQ(ev_admin_set(&device, evs, 8, turn % 2 == 0), 0);
        EXPECT_EQ(api_end_write(&world.ends[0], &peer, 0, 65536, IBV_WR_RDMA_WRITE), 0);
        EXPECT_EQ(api_cq_wait(world.ends[0].cq).status, IBV_WC_SUCCESS);
    }
    port_admin_close(&device);
    api_world_close(&world);
}

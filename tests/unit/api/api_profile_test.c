/* SPDX-License-Identifier: Apache-2.0 */
/* Tests api/profile.c, api/profile_cc.c, api/profile_ev.c and api/profile_ev_entries.c: the states
 * of profiles, when they may change, and which of them outlive a process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_world.h"
#include "patience.h"

#define EXPECT_FAILS(call, number)                                                                 \
    do {                                                                                           \
        errno = 0;                                                                                 \
        EXPECT_EQ(call, -1);                                                                       \
        EXPECT_EQ(errno, number);                                                                  \
    } while (0)

enum { FMT = 7, EV = 9, CC = 11 };

static void open_device(struct api_world *world, uint32_t planes)
{
    api_world_start(world, planes, NULL);
    api_end_open(&world->ends[0], "mrc0");
}

static void close_device(struct api_world *world)
{
    api_end_close(&world->ends[0]);
    api_world_stop(world);
}

static int fmt_state(struct mrc_context *mrc, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = state };

    return mrc_ctl_modify_ev_fmt_profile(mrc, FMT, &attr, MRC_CTL_EV_FMT_PROFILE_STATE);
}

static int ev_state(struct mrc_context *mrc, enum mrc_ctl_profile_state state)
{
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = state };

    return mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_STATE);
}

/* A structured format 16 + 16, ONLINE. */
static void make_fmt(struct mrc_context *mrc)
{
    struct mrc_ctl_ev_fmt_field fields[2] = { { 16 }, { 16 } };
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV,
        .ev_fmt_op = {
            .op = MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, .fmt_fields = fields, .fmt_field_count = 2 } };

    EXPECT_EQ(
        mrc_ctl_modify_ev_fmt_profile(mrc, FMT, &attr,
            MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP),
        0);
    EXPECT_EQ(fmt_state(mrc, MRC_CTL_PROFILE_ONLINE), 0);
}

#define CREATE                                                                                     \
    (MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |              \
        MRC_CTL_EV_PROFILE_COUNT)

static void make_explicit(struct mrc_context *mrc, uint32_t count)
{
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = FMT,
        .ev_count = count };

    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr, CREATE), 0);
}

static struct mrc_ctl_ev ev_of(uint8_t value, uint8_t port)
{
    return (struct mrc_ctl_ev){ .val = { 0, value }, .port = port };
}

static int op(struct mrc_context *mrc, enum mrc_ctl_ev_op kind, struct mrc_ctl_ev_op_entry *entries,
    int count)
{
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = kind, .entries = entries, .entry_count = count }
    };

    return mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP);
}

static int replace(struct mrc_context *mrc, struct mrc_ctl_ev from, struct mrc_ctl_ev to)
{
    struct mrc_ctl_ev_op_entry entry = { .ev = from, .ev_new = to };

    return op(mrc, MRC_CTL_EV_OP_REPLACE_EV, &entry, 1);
}

static int set_state(struct mrc_context *mrc, struct mrc_ctl_ev ev, enum mrc_ctl_ev_state state)
{
    struct mrc_ctl_ev_op_entry entry = { .ev = ev, .state = state };

    return op(mrc, MRC_CTL_EV_OP_MODIFY_EV_STATE, &entry, 1);
}

static int look(struct mrc_context *mrc, struct mrc_ctl_ev ev)
{
    struct mrc_ctl_ev_op_entry entry = { .ev = ev };
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_STATE, .entries = &entry, .entry_count = 1 }
    };

    if (mrc_ctl_query_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP) != 0)
        return -errno;
    return (int)entry.state;
}

SPEC("the states of a format are INIT, OFFLINE and ONLINE, entered one by one in both directions")
{
    struct api_world world;
    struct mrc_context *mrc;
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_ONLINE };

    open_device(&world, 2);
    mrc = world.ends[0].mrc;
    EXPECT_EQ(mrc_ctl_query_ev_fmt_profile(mrc, FMT, &attr, MRC_CTL_EV_FMT_PROFILE_STATE), 0);
    EXPECT_EQ(attr.profile_state, MRC_CTL_PROFILE_INIT);
    EXPECT_FAILS(fmt_state(mrc, MRC_CTL_PROFILE_ONLINE), EINVAL);
    EXPECT_FAILS(fmt_state(mrc, MRC_CTL_PROFILE_OFFLINE), EINVAL); /* needs a mode */
    make_fmt(mrc);
    EXPECT_FAILS(fmt_state(mrc, MRC_CTL_PROFILE_INIT), EINVAL);
    EXPECT_FAILS(fmt_state(mrc, MRC_CTL_PROFILE_ONLINE), EINVAL);
    EXPECT_EQ(fmt_state(mrc, MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(fmt_state(mrc, MRC_CTL_PROFILE_INIT), 0);
    EXPECT_FAILS(fmt_state(mrc, MRC_CTL_PROFILE_INIT), EINVAL);
    close_device(&world);
}

SPEC("fields of a format without a mode are refused because the mode is missing")
{
    struct api_world world;
    struct mrc_ctl_ev_fmt_field fields[1] = { { 16 } };
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_op = { .fmt_fields = fields, .fmt_field_count = 1 } };

    open_device(&world, 2);
    EXPECT_FAILS(mrc_ctl_modify_ev_fmt_profile(world.ends[0].mrc, FMT, &attr,
                     MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_OP),
        EINVAL);
    close_device(&world);
}

SPEC("a query of a format returns its fields, or the room that they need")
{
    struct api_world world;
    struct mrc_ctl_ev_fmt_field fields[2] = { { 0 } };
    struct mrc_ctl_ev_fmt_profile_attr attr = { .ev_fmt_op = { .op = MRC_CTL_EV_FMT_OP_QUERY_FIELDS,
                                                    .fmt_fields = fields,
                                                    .fmt_field_count = 1 } };

    open_device(&world, 2);
    make_fmt(world.ends[0].mrc);
    EXPECT_FAILS(
        mrc_ctl_query_ev_fmt_profile(world.ends[0].mrc, FMT, &attr, MRC_CTL_EV_FMT_PROFILE_OP),
        E2BIG);
    EXPECT_EQ(attr.ev_fmt_op.fmt_field_count, 2);
    EXPECT_EQ(mrc_ctl_query_ev_fmt_profile(world.ends[0].mrc, FMT, &attr,
                  MRC_CTL_EV_FMT_PROFILE_OP | MRC_CTL_EV_FMT_PROFILE_MODE),
        0);
    EXPECT_EQ(fields[1].width, 16);
    EXPECT_EQ(attr.ev_fmt_mode, MRC_CTL_EV_FMT_MODE_STEV);
    attr.ev_fmt_op.op = MRC_CTL_EV_FMT_OP_MODIFY_FIELDS;
    EXPECT_FAILS(
        mrc_ctl_query_ev_fmt_profile(world.ends[0].mrc, FMT, &attr, MRC_CTL_EV_FMT_PROFILE_OP),
        EINVAL);
    close_device(&world);
}

SPEC("a format with too many bits is refused and not stored")
{
    struct api_world world;
    struct mrc_ctl_ev_fmt_field fields[3] = { { 16 }, { 16 }, { 1 } };
    struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV,
        .ev_fmt_op = { .fmt_fields = fields, .fmt_field_count = 3 } };

    open_device(&world, 2);
    EXPECT_FAILS(
        mrc_ctl_modify_ev_fmt_profile(world.ends[0].mrc, FMT, &attr,
            MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP),
        E2BIG);
    EXPECT_FAILS(
        mrc_ctl_query_ev_fmt_profile(world.ends[0].mrc, FMT, &attr, MRC_CTL_EV_FMT_PROFILE_MODE),
        EINVAL);
    close_device(&world);
}

SPEC("an explicit profile goes ONLINE when every entry has an EV")
{
    struct api_world world;
    struct mrc_context *mrc;

    open_device(&world, 2);
    mrc = world.ends[0].mrc;
    make_fmt(mrc);
    make_explicit(mrc, 2);
    EXPECT_EQ(look(mrc, MRC_CTL_EV_UNPOPULATED), MRC_CTL_EV_UNKNOWN);
    EXPECT_FAILS(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), EINVAL);
    EXPECT_EQ(replace(mrc, MRC_CTL_EV_UNPOPULATED, ev_of(1, 1)), 0);
    EXPECT_FAILS(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), EINVAL);
    EXPECT_EQ(replace(mrc, MRC_CTL_EV_UNPOPULATED, ev_of(2, 2)), 0);
    EXPECT_FAILS(replace(mrc, MRC_CTL_EV_UNPOPULATED, ev_of(3, 1)), ENOENT);
    EXPECT_EQ(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(look(mrc, ev_of(2, 2)), MRC_CTL_EV_GOOD);
    EXPECT_EQ(look(mrc, ev_of(2, 1)), -ENOENT);
    close_device(&world);
}

SPEC("in ONLINE, an EV can be denied or replaced on its port, but the structure cannot change")
{
    struct api_world world;
    struct mrc_context *mrc;
    struct mrc_ctl_ev_profile_attr attr = { .ev_count = 3 };

    open_device(&world, 2);
    mrc = world.ends[0].mrc;
    make_fmt(mrc);
    make_explicit(mrc, 2);
    EXPECT_EQ(replace(mrc, MRC_CTL_EV_UNPOPULATED, ev_of(1, 1)), 0);
    EXPECT_EQ(replace(mrc, MRC_CTL_EV_UNPOPULATED, ev_of(2, 2)), 0);
    EXPECT_EQ(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(set_state(mrc, ev_of(1, 1), MRC_CTL_EV_DENIED), 0);
    EXPECT_EQ(look(mrc, ev_of(1, 1)), MRC_CTL_EV_DENIED);
    EXPECT_EQ(replace(mrc, ev_of(1, 1), ev_of(5, 1)), 0);
    EXPECT_EQ(look(mrc, ev_of(5, 1)), MRC_CTL_EV_GOOD);
    EXPECT_FAILS(replace(mrc, ev_of(5, 1), ev_of(5, 2)), EINVAL);
    EXPECT_FAILS(replace(mrc, ev_of(5, 1), MRC_CTL_EV_UNPOPULATED), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_COUNT), EINVAL);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_MIN_ACTIVE), EINVAL);
    attr.ev_event_mask = MRC_CTL_EV_GOOD;
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EVENT_MASK), 0);
    EXPECT_FAILS(fmt_state(mrc, MRC_CTL_PROFILE_OFFLINE), EBUSY);
    EXPECT_EQ(ev_state(mrc, MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(fmt_state(mrc, MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_FAILS(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), EINVAL); /* its format is not */
    close_device(&world);
}

SPEC("a batch stops at its first bad entry and keeps the entries before it")
{
    struct api_world world;
    struct mrc_context *mrc;
    struct mrc_ctl_ev_op_entry entries[3] = { { .ev_new = ev_of(1, 1) },
        { .ev = ev_of(99, 1), .ev_new = ev_of(2, 2) }, { .ev_new = ev_of(3, 1) } };

    open_device(&world, 2);
    mrc = world.ends[0].mrc;
    make_fmt(mrc);
    make_explicit(mrc, 3);
    EXPECT_FAILS(op(mrc, MRC_CTL_EV_OP_REPLACE_EV, entries, 3), ENOENT);
    EXPECT_EQ(look(mrc, ev_of(1, 1)), MRC_CTL_EV_GOOD);
    EXPECT_EQ(look(mrc, ev_of(3, 1)), -ENOENT);
    close_device(&world);
}

SPEC("ALL_COPIES applies to every entry with that EV, otherwise only to the first")
{
    struct api_world world;
    struct mrc_context *mrc;
    struct mrc_ctl_ev_op_entry array[3];
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_ARRAY, .entries = array, .entry_count = 3 }
    };
    struct mrc_ctl_ev_op_entry entry = { .ev_new = ev_of(4, 1),
        .flags = MRC_CTL_EV_OP_F_ALL_COPIES };

    open_device(&world, 2);
    mrc = world.ends[0].mrc;
    make_fmt(mrc);
    make_explicit(mrc, 3);
    EXPECT_EQ(op(mrc, MRC_CTL_EV_OP_REPLACE_EV, &entry, 1), 0);
    EXPECT_EQ(replace(mrc, ev_of(4, 1), ev_of(5, 1)), 0);
    EXPECT_EQ(mrc_ctl_query_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    EXPECT_EQ(array[0].ev.val[1], 5);
    EXPECT_EQ(array[1].ev.val[1], 4);
    EXPECT_EQ(array[2].ev.val[1], 4);
    attr.ev_op.entry_count = 2;
    EXPECT_FAILS(mrc_ctl_query_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), E2BIG);
    EXPECT_EQ(attr.ev_op.entry_count, 3);
    close_device(&world);
}

SPEC("generated EVs are all different, within limits, and the same number on each port")
{
    enum { COUNT = 64 };
    struct api_world world;
    struct mrc_context *mrc;
    struct mrc_ctl_ev_field fields[2] = {
        { .width = 16, .init_val = 0x4000, .mask = 0xff, .min_val = 10, .max_val = 73 },
        { .width = 16, .init_val = 1 }
    };
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_GEN,
        .ev_fmt_profile_id = FMT,
        .ev_count = COUNT,
        .ev_fields_op = { .fields = fields, .field_count = 2 } };
    struct mrc_ctl_ev_op_entry array[COUNT];
    uint32_t per_port[5] = { 0 };
    uint8_t seen[256] = { 0 };

    open_device(&world, 4);
    mrc = world.ends[0].mrc;
    make_fmt(mrc);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, EV, &attr, CREATE), EINVAL); /* no fields */
    EXPECT_EQ(
        mrc_ctl_modify_ev_profile(mrc, EV, &attr, CREATE | MRC_CTL_EV_PROFILE_EV_FIELDS_OP), 0);
    EXPECT_EQ(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), 0);
    attr.ev_op.op = MRC_CTL_EV_OP_QUERY_EV_ARRAY;
    attr.ev_op.entries = array;
    attr.ev_op.entry_count = COUNT;
    EXPECT_EQ(mrc_ctl_query_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    for (int i = 0; i < COUNT; i++) {
        EXPECT_GE(array[i].ev.val[0], 10);
        EXPECT_LE(array[i].ev.val[0], 73);
        EXPECT_EQ(seen[array[i].ev.val[0]]++, 0);
        EXPECT_EQ(array[i].ev.val[1], 0);
        per_port[array[i].ev.port]++;
        EXPECT_EQ(array[i].state, MRC_CTL_EV_GOOD);
    }
    for (int port = 1; port <= 4; port++)
        EXPECT_EQ(per_port[port], COUNT / 4);
    close_device(&world);
}

SPEC("a request for more EVs than there are values is refused")
{
    struct api_world world;
    struct mrc_ctl_ev_field field = { .width = 16, .mask = 0x3 };
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_GEN,
        .ev_fmt_profile_id = FMT,
        .ev_count = 9,
        .ev_fields_op = { .fields = &field, .field_count = 1 } };

    open_device(&world, 2);
    make_fmt(world.ends[0].mrc);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(
                     world.ends[0].mrc, EV, &attr, CREATE | MRC_CTL_EV_PROFILE_EV_FIELDS_OP),
        EINVAL);
    attr.ev_count = 8; /* four on each port */
    EXPECT_EQ(mrc_ctl_modify_ev_profile(
                  world.ends[0].mrc, EV, &attr, CREATE | MRC_CTL_EV_PROFILE_EV_FIELDS_OP),
        0);
    close_device(&world);
}

SPEC("a controller can neither read nor replace the EVs of an AUTO profile")
{
    struct api_world world;
    struct mrc_context *mrc;
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_AUTO,
        .ev_fmt_profile_id = FMT,
        .ev_count = 8 };
    struct mrc_ctl_ev_op_entry array[8];

    open_device(&world, 2);
    mrc = world.ends[0].mrc;
    make_fmt(mrc);
    EXPECT_EQ(mrc_ctl_modify_ev_profile(mrc, EV, &attr, CREATE), 0);
    EXPECT_EQ(ev_state(mrc, MRC_CTL_PROFILE_ONLINE), 0);
    attr.ev_op.op = MRC_CTL_EV_OP_QUERY_EV_ARRAY;
    attr.ev_op.entries = array;
    attr.ev_op.entry_count = 8;
    EXPECT_FAILS(mrc_ctl_query_ev_profile(mrc, EV, &attr, MRC_CTL_EV_PROFILE_EV_OP), EINVAL);
    EXPECT_FAILS(replace(mrc, MRC_CTL_EV_UNPOPULATED, ev_of(1, 1)), EINVAL);

    EXPECT_EQ(
        mrc_ctl_query_ev_profile(mrc, 0, &attr, MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE),
        0);
    EXPECT_EQ(attr.profile_state, MRC_CTL_PROFILE_ONLINE);
    EXPECT_EQ(attr.ev_mode, MRC_CTL_EV_MODE_AUTO);
    EXPECT_FAILS(mrc_ctl_modify_ev_profile(mrc, 0, &attr, CREATE), EINVAL);
    close_device(&world);
}

SPEC("a congestion control profile keeps its configuration")
{
    struct api_world world;
    struct mrc_context *mrc;
    struct mrc_ctl_cc_nscc_cfg config = { .base_rtt = 20000, .gamma = 0.5f, .max_cwnd = 1000000 };
    struct mrc_ctl_cc_profile_attr attr = {
        .profile_state = MRC_CTL_PROFILE_OFFLINE, .algorithm = "uet-1.0-nscc", .cc_config = &config
    };
    const struct mrc_ctl_cc_nscc_cfg *kept;

    open_device(&world, 2);
    mrc = world.ends[0].mrc;
    EXPECT_EQ(
        mrc_ctl_modify_cc_profile(mrc, CC, &attr,
            MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM | MRC_CTL_CC_PROFILE_CONFIG),
        0);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_EQ(mrc_ctl_modify_cc_profile(mrc, CC, &attr, MRC_CTL_CC_PROFILE_STATE), 0);
    EXPECT_FAILS(mrc_ctl_modify_cc_profile(mrc, CC, &attr, MRC_CTL_CC_PROFILE_CONFIG), EINVAL);
    memset(&attr, 0, sizeof(attr));
    EXPECT_EQ(
        mrc_ctl_query_cc_profile(mrc, CC, &attr,
            MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM | MRC_CTL_CC_PROFILE_CONFIG),
        0);
    kept = attr.cc_config;
    EXPECT_EQ(attr.profile_state, MRC_CTL_PROFILE_ONLINE);
    EXPECT_STR_EQ(attr.algorithm, "uet-1.0-nscc");
    EXPECT_MEM_EQ(kept, &config, sizeof(config));
    close_device(&world);
}

SPEC("a change of one process is visible to the next, until it is undone")
{
    struct api_world world;
    struct mrc_ctl_port_attr port = { .port_admin_state = MRC_CTL_PORT_ADMIN_DISABLED };
    struct mrc_ctl_device_attr device;
    int status;
    pid_t child;

    api_world_start(&world, 2, NULL);
    child = fork();
    if (child == 0) {
        api_end_open(&world.ends[0], "mrc0");
        make_fmt(world.ends[0].mrc);
        make_explicit(world.ends[0].mrc, 2);
        EXPECT_EQ(replace(world.ends[0].mrc, MRC_CTL_EV_UNPOPULATED, ev_of(1, 1)), 0);
        EXPECT_EQ(mrc_ctl_modify_port(world.ends[0].mrc, 2, &port, MRC_CTL_PORT_ADMIN_STATE), 0);
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    api_end_open(&world.ends[0], "mrc0");
    EXPECT_EQ(look(world.ends[0].mrc, ev_of(1, 1)), MRC_CTL_EV_GOOD);
    EXPECT_EQ(mrc_ctl_query_port(world.ends[0].mrc, 2, &port, MRC_CTL_PORT_ADMIN_STATE), 0);
    EXPECT_EQ(port.port_admin_state, MRC_CTL_PORT_ADMIN_DISABLED);
    EXPECT_EQ(mrc_ctl_query_port(world.ends[0].mrc, 1, &port, MRC_CTL_PORT_ADMIN_STATE), 0);
    EXPECT_EQ(port.port_admin_state, MRC_CTL_PORT_ADMIN_ENABLED);
    EXPECT_EQ(mrc_ctl_query_device(world.ends[0].verbs, &device), 0);
    EXPECT_EQ(device.ev.ev_free_count, device.ev.ev_max_count - 2);
    EXPECT_EQ(ev_state(world.ends[0].mrc, MRC_CTL_PROFILE_INIT), 0);
    EXPECT_EQ(mrc_ctl_query_device(world.ends[0].verbs, &device), 0);
    EXPECT_EQ(device.ev.ev_free_count, device.ev.ev_max_count);
    close_device(&world);
}

/* In a process that owns nothing and may nothing. */
static int as_nobody(struct api_world *world)
{
    struct mrc_ctl_port_attr port = { .port_admin_state = MRC_CTL_PORT_ADMIN_DISABLED };
    struct mrc_ctl_ev_fmt_profile_attr fmt = { .profile_state = MRC_CTL_PROFILE_OFFLINE };
    struct mrc_context *mrc;

    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 1;
    api_end_open(&world->ends[0], "mrc0");
    mrc = world->ends[0].mrc;
    EXPECT_FAILS(mrc_ctl_modify_port(mrc, 1, &port, MRC_CTL_PORT_ADMIN_STATE), EPERM);
    EXPECT_FAILS(
        mrc_ctl_modify_ev_fmt_profile(mrc, FMT, &fmt, MRC_CTL_EV_FMT_PROFILE_STATE), EPERM);
    EXPECT_FAILS(ev_state(mrc, MRC_CTL_PROFILE_OFFLINE), EPERM);
    EXPECT_EQ(look(mrc, ev_of(1, 1)), MRC_CTL_EV_GOOD); /* looking is free */
    return 0;
}

static void open_to_others(const struct api_world *world)
{
    static const char *const folders[] = { "", "/mrc", "/mrc/mrc0" };
    char path[128];

    for (uint32_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s%s", world->folder, folders[i]);
        EXPECT_EQ(chmod(path, 0755), 0);
    }
}

/* In a process of another user: 0 if the device cannot be opened. */
static int is_refused_to_nobody(void)
{
    struct ibv_device **list;
    bool is_open;

    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 1;
    list = ibv_get_device_list(NULL);
    is_open = list && list[0] && ibv_open_device(list[0]);
    if (list)
        ibv_free_device_list(list);
    return is_open ? 2 : 0;
}

SPEC("a lock that another process does not release is an error after some time")
{
    struct mrc_ctl_port_attr port = { .port_admin_state = MRC_CTL_PORT_ADMIN_DISABLED };
    struct api_world world;
    char path[128];
    int lock;

    open_device(&world, 2);
    snprintf(path, sizeof(path), "%s/mrc/mrc0/lock", world.folder);
    lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(flock(lock, LOCK_EX), 0);
    alarm(PATIENCE_S);
    EXPECT_FAILS(
        mrc_ctl_modify_port(world.ends[0].mrc, 1, &port, MRC_CTL_PORT_ADMIN_STATE), ETIMEDOUT);
    alarm(0);
    close(lock);
    EXPECT_EQ(mrc_ctl_modify_port(world.ends[0].mrc, 1, &port, MRC_CTL_PORT_ADMIN_STATE), 0);
    close_device(&world);
}

SPEC("only its user can access the folder of a device")
{
    struct api_world world;
    int status;
    pid_t child;

    if (geteuid() != 0)
        SKIP("needs root, to become nobody");
    open_device(&world, 2);
    EXPECT_EQ(chmod(world.folder, 0755), 0);
    close_device(&(struct api_world){ .ends = { world.ends[0] }, .folder = "/nonexistent" });
    child = fork();
    if (child == 0)
        _exit(is_refused_to_nobody());
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    api_world_stop(&world);
}

SPEC("a user who neither owns the device nor is an administrator can read it if permitted, not "
     "change it")
{
    struct api_world world;
    int status;
    pid_t child;

    if (geteuid() != 0)
        SKIP("needs root, to become nobody");
    open_device(&world, 2);
    open_to_others(&world);
    make_fmt(world.ends[0].mrc);
    make_explicit(world.ends[0].mrc, 1);
    EXPECT_EQ(replace(world.ends[0].mrc, MRC_CTL_EV_UNPOPULATED, ev_of(1, 1)), 0);
    close_device(&(struct api_world){ .ends = { world.ends[0] }, .folder = "/nonexistent" });
    child = fork();
    if (child == 0)
        _exit(as_nobody(&world));
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    api_world_stop(&world);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Orders carried out on a device: its denylist, its profiles, its ports. Tests ctl/ctl_device.c and
 * ctl/ctl_agent.c, too. */
#include "ctl/ctl_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_world.h"
#include "ctl/ctl_agent.h"
#include "ctl/ctl_device.h"

enum { PROFILE = 5, CC = 6 };

static json_t *orders_of(const char *deny, int ports_down)
{
    char text[512];
    json_t *orders;

    snprintf(text, sizeof(text),
        "{\"deny\": %s, \"ports_down\": %d, \"ev_profile\": 5, \"cc_profile\": 6,"
        " \"evs\": [[0, 0], [1, 0], [256, 1], [257, 1]]}",
        deny, ports_down);
    orders = json_loads(text, 0, NULL);
    EXPECT(orders != NULL);
    return orders;
}

static int obey(struct ctl_agent_device *device, json_t *orders)
{
    int err = ctl_device_obey(device, orders);

    json_decref(orders);
    return err;
}

/* Returns the states of the EVs of the profile, as letters. */
static const char *states(struct mrc_context *mrc)
{
    static char letters[8];
    struct mrc_ctl_ev_op_entry entries[8];
    struct mrc_ctl_ev_profile_attr attr = {
        .ev_op = { .op = MRC_CTL_EV_OP_QUERY_EV_ARRAY, .entries = entries, .entry_count = 8 }
    };

    memset(letters, 0, sizeof(letters));
    EXPECT_EQ(mrc_ctl_query_ev_profile(mrc, PROFILE, &attr, MRC_CTL_EV_PROFILE_EV_OP), 0);
    for (int i = 0; i < attr.ev_op.entry_count; i++)
        letters[i] = entries[i].state == MRC_CTL_EV_DENIED ? 'd' : 'g';
    return letters;
}

SPEC("profiles are made once, and follow the denylist")
{
    struct api_world world;
    struct ctl_agent_device device = { .name = "mrc0" };
    struct mrc_ctl_cc_profile_attr cc;

    api_world_start(&world, 2, NULL);
    api_end_open(&world.ends[0], "mrc0");
    EXPECT_EQ(obey(&device, orders_of("[]", 0)), 0);
    EXPECT_STR_EQ(states(world.ends[0].mrc), "gggg");
    EXPECT_EQ(obey(&device, orders_of("[[257, 1]]", 0)), 0);
    EXPECT_STR_EQ(states(world.ends[0].mrc), "gggd");
    EXPECT_EQ(obey(&device, orders_of("[[0, 0]]", 0)), 0);
    EXPECT_STR_EQ(states(world.ends[0].mrc), "dggg");
    EXPECT_EQ(mrc_ctl_query_cc_profile(world.ends[0].mrc, CC, &cc,
                  MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM),
        0);
    EXPECT_EQ(cc.profile_state, MRC_CTL_PROFILE_ONLINE);
    EXPECT_STR_EQ(cc.algorithm, "uet-1.0-nscc");
    api_end_close(&world.ends[0]);
    api_world_stop(&world);
}

SPEC("a profile that was left half made is completed")
{
    struct api_world world;
    struct ctl_agent_device device = { .name = "mrc0" };
    struct mrc_ctl_ev_profile_attr attr = { .profile_state = MRC_CTL_PROFILE_OFFLINE,
        .ev_mode = MRC_CTL_EV_MODE_EXP,
        .ev_fmt_profile_id = 1,
        .ev_count = 3 };

    api_world_start(&world, 2, NULL);
    api_end_open(&world.ends[0], "mrc0");
    EXPECT_EQ(obey(&device, orders_of("[]", 0)), 0);
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(
        mrc_ctl_modify_ev_profile(world.ends[0].mrc, PROFILE, &attr, MRC_CTL_EV_PROFILE_STATE), 0);
    EXPECT_EQ(obey(&device, orders_of("[[1, 0]]", 0)), 0);
    EXPECT_STR_EQ(states(world.ends[0].mrc), "gdgg");
    api_end_close(&world.ends[0]);
    api_world_stop(&world);
}

static bool port_is_up(struct mrc_context *mrc, uint8_t port)
{
    struct mrc_ctl_port_attr attr;

    EXPECT_EQ(mrc_ctl_query_port(mrc, port, &attr, MRC_CTL_PORT_ADMIN_STATE), 0);
    return attr.port_admin_state == MRC_CTL_PORT_ADMIN_ENABLED;
}

SPEC("a port that mrcd disabled is enabled again, and one that others disabled is not")
{
    struct api_world world;
    struct ctl_agent_device device = { .name = "mrc0" };
    struct mrc_ctl_port_attr down = { .port_admin_state = MRC_CTL_PORT_ADMIN_DISABLED };

    api_world_start(&world, 2, NULL);
    api_end_open(&world.ends[0], "mrc0");
    EXPECT_EQ(mrc_ctl_modify_port(world.ends[0].mrc, 1, &down, MRC_CTL_PORT_ADMIN_STATE), 0);
    EXPECT_EQ(obey(&device, orders_of("[]", 2)), 0);
    EXPECT(!port_is_up(world.ends[0].mrc, 1));
    EXPECT(!port_is_up(world.ends[0].mrc, 2));
    EXPECT_EQ(obey(&device, orders_of("[]", 0)), 0);
    EXPECT(!port_is_up(world.ends[0].mrc, 1));
    EXPECT(port_is_up(world.ends[0].mrc, 2));
    api_end_close(&world.ends[0]);
    api_world_stop(&world);
}

/* An agent with its store in a file of the world. */
static void run_agent(const struct api_world *world, struct ctl_store **store, const char *orders)
{
    static struct ctl_agent agent;
    char path[96], reason[CTL_REASON_BYTES];

    snprintf(path, sizeof(path), "%s/agent.db", world->folder);
    EXPECT_EQ(ctl_store_open(store, path, NULL, reason), 0);
    ctl_agent_init(&agent, *store, "node");
    ctl_agent_tick(&agent, 100000);
    if (orders)
        EXPECT_EQ(ctl_agent_take_orders(&agent, orders, reason), 0);
    ctl_agent_fini(&agent);
    ctl_store_close(*store);
}

SPEC("an agent that returns carries out its last orders, and frees ports it had disabled")
{
    struct api_world world;
    struct ctl_store *store;
    char orders[256];
    struct ctl_agent_device probe = { .name = "mrc0" };

    api_world_start(&world, 2, NULL);
    api_end_open(&world.ends[0], "mrc0");
    ctl_device_find_address(&probe);
    snprintf(orders, sizeof(orders),
        "{\"version\": 7, \"nics\": {\"%s\": {\"deny\": [], \"ports_down\": 2}}}", probe.address);
    run_agent(&world, &store, orders);
    EXPECT(!port_is_up(world.ends[0].mrc, 2));
    EXPECT_EQ(port_admin_set(&(struct port_admin){ .mrc = world.ends[0].mrc }, 2, true), 0);
    run_agent(&world, &store, NULL);
    EXPECT(!port_is_up(world.ends[0].mrc, 2));
    run_agent(&world, &store, "{\"version\": 8, \"nics\": {}}");
    EXPECT(!port_is_up(world.ends[0].mrc, 2)); /* no orders for this device */
    snprintf(orders, sizeof(orders),
        "{\"version\": 9, \"nics\": {\"%s\": {\"deny\": [], \"ports_down\": 0}}}", probe.address);
    run_agent(&world, &store, orders);
    EXPECT(port_is_up(world.ends[0].mrc, 2));
    api_end_close(&world.ends[0]);
    api_world_stop(&world);
}

SPEC("malformed orders are refused, and the last ones stay in force")
{
    static const char *const wrong[] = { "", "{", "[]", "{\"version\": 1}",
        "{\"version\": \"1\", \"nics\": {}}", "{\"version\": 1, \"nics\": {\"a\": {}}}",
        "{\"version\": 1, \"nics\": {\"a\": {\"deny\": [[1]], \"ports_down\": 0}}}",
        "{\"version\": 1, \"nics\": {\"a\": {\"deny\": [[1, 99]], \"ports_down\": 0}}}",
        "{\"version\": 1, \"nics\": {\"a\": {\"deny\": [], \"ports_down\": -1}}}",
        "{\"version\": 1, \"nics\": {\"a\": {\"deny\": [], \"ports_down\": 0, \"evs\": 3}}}" };
    static struct ctl_agent agent;
    char reason[CTL_REASON_BYTES];
    struct ctl_store *store;

    EXPECT_EQ(ctl_store_open(&store, ":memory:", NULL, reason), 0);
    ctl_agent_init(&agent, store, "node");
    EXPECT_EQ(ctl_agent_take_orders(&agent, "{\"version\": 3, \"nics\": {}}", reason), 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        EXPECT_EQ(ctl_agent_take_orders(&agent, wrong[i], reason), -EINVAL);
    EXPECT_EQ(agent.version, 3);
    ctl_agent_fini(&agent);
    ctl_store_close(store);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* EVs as numbers and as words. */
#include "spec.h"

#include "plan/plan.h"

SPEC("EV 0x059C is uplink 0x9C of plane 5 when uplinks have 8 bits")
{
    struct ev_path path = plan_ev_split(8, 0x059c);

    EXPECT_EQ(path.plane, 5);
    EXPECT_EQ(path.uplink, 0x9c);
    EXPECT_EQ(plan_ev_join(8, path), 0x059c);
}

SPEC("uplinks have 8 bits, or more if there are more than 256")
{
    EXPECT_EQ(plan_ev_bits(0), 8);
    EXPECT_EQ(plan_ev_bits(256), 8);
    EXPECT_EQ(plan_ev_bits(257), 9);
    EXPECT_EQ(plan_ev_bits(1024), 10);
}

SPEC("a path is written as its plane and uplink, and read again")
{
    char name[PLAN_EV_NAME_BYTES];
    struct ev_path path;

    plan_ev_name((struct ev_path){ .plane = 7, .uplink = 511 }, name);
    EXPECT_STR_EQ(name, "p7/u511");
    EXPECT(plan_ev_read(name, &path));
    EXPECT_EQ(path.plane, 7);
    EXPECT_EQ(path.uplink, 511);
}

SPEC("text that is not a path is refused")
{
    const char *refused[] = { "", "p", "p1", "p1/", "p1/u", "p1/u2x", "u2", "p1/t2", "p-1/u2",
        "p99999999999/u1" };
    struct ev_path path;

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        EXPECT(!plan_ev_read(refused[i], &path));
}

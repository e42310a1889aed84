/* SPDX-License-Identifier: Apache-2.0 */
/* When a packet arrives over a link, and what the faults of the link do to it. */
#include "network/network.h"
#include "spec.h"

enum { DELAY_PS = 700000, END_PS = 5000000 };

static const struct link cable = { .delay_ps = DELAY_PS, .has_cable = true };

static struct link_passage carry(const struct fault *fault, uint32_t ev)
{
    struct fault_link faults = { 0 };
    struct fault_hold hold;

    fault_link_impair(&faults, &hold, 0, fault, 1);
    return link_carry(
        &cable, &faults, &hold, &(struct link_packet){ .end_ps = END_PS, .coin = 7, .ev = ev });
}

SPEC("the delay of a link is that of its cable and of the nodes at its ends")
{
    struct topology_config config;
    struct topology_problem problem;
    struct topology_link_kind kind = { 0 };
    struct plan plan;
    struct topology_end nic = { .is_nic = true, .node = 1 };
    struct link up;
    struct link down;

    topology_config_init(&config);
    config.nic_latency_ps = 20000;
    config.switch_latency_ps = 300000;
    EXPECT(plan_init(&plan, &config, NULL, &problem));
    up = link_of_port(&plan.topology, nic, &kind);
    down = link_of_port(&plan.topology, link_peer(&up, plan.topology.nic_count), &kind);
    EXPECT_EQ(kind.rate_bps, config.host_link.rate_bps);
    EXPECT_EQ(up.delay_ps, config.host_link.delay_ps + 20000 + 300000);
    EXPECT_EQ(down.delay_ps, config.host_link.delay_ps + 20000);
    EXPECT(link_peer(&down, plan.topology.nic_count).is_nic);
    EXPECT_EQ(link_peer(&down, plan.topology.nic_count).node, nic.node);
}

SPEC("a wire carries packets one after the other, and is idle without one")
{
    uint64_t byte_time = byte_time_at(UINT64_C(100000000000));
    uint64_t free_ps = 0;

    EXPECT_EQ(link_occupy(&free_ps, byte_time, 1000, 500), 500 + 80000);
    EXPECT_EQ(link_occupy(&free_ps, byte_time, 1000, 600), 500 + 160000);
    EXPECT_EQ(link_occupy(&free_ps, byte_time, 1000, 1000000), 1080000);
    EXPECT_EQ(free_ps, 1080000);
}

SPEC("over a healthy link every packet arrives after the delay")
{
    struct link_passage passage = link_carry(
        &cable, &(struct fault_link){ 0 }, NULL, &(struct link_packet){ .end_ps = END_PS });

    EXPECT(!passage.is_lost && !passage.is_damaged);
    EXPECT_EQ(passage.arrives_ps, END_PS + DELAY_PS);
}

SPEC("each fault that loses a packet has its reason")
{
    static const struct {
        struct fault fault;
        enum loss_reason reason;
    } rows[] = {
        { { .kind = FAULT_DOWN }, LOST_LINK_DOWN },
        { { .kind = FAULT_BLACKHOLE }, LOST_BLACKHOLE },
        { { .kind = FAULT_LOSS, .probability = UINT32_MAX }, LOST_FAULT },
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct link_passage passage = carry(&rows[i].fault, 0);

        EXPECT(passage.is_lost && !passage.is_damaged);
        EXPECT_EQ(passage.reason, rows[i].reason);
    }
}

SPEC("a damaged packet arrives, and a slow link loses no packet")
{
    struct link_passage damaged =
        carry(&(struct fault){ .kind = FAULT_CORRUPT, .probability = UINT32_MAX }, 0);
    struct link_passage slow = carry(&(struct fault){ .kind = FAULT_SLOW, .rate_bps = 1000000 }, 0);

    EXPECT(!damaged.is_lost && damaged.is_damaged);
    EXPECT_EQ(damaged.reason, LOST_CORRUPT);
    EXPECT_EQ(damaged.arrives_ps, END_PS + DELAY_PS);
    EXPECT(!slow.is_lost && !slow.is_damaged);
}

SPEC("a fault of one EV does not affect packets of other EVs")
{
    struct fault fault = { .kind = FAULT_BLACKHOLE, .of_ev = true, .ev = 3 };

    EXPECT(carry(&fault, 3).is_lost);
    EXPECT(!carry(&fault, 4).is_lost);
}

SPEC("nothing can be sent over a missing link, or over one that is down")
{
    struct fault_link down = { .down_count = 1 };
    struct fault_link healthy = { 0 };

    EXPECT_EQ(link_refusal(&(struct link){ 0 }, &healthy), LOST_NO_ROUTE);
    EXPECT_EQ(link_refusal(&cable, &down), LOST_LINK_DOWN);
    EXPECT_EQ(link_refusal(&cable, &healthy), LOSS_REASON_COUNT);
}

SPEC("a link that goes down loses exactly the packets that are on it")
{
    enum { WAY_PS = 1000, ARRIVES_PS = 5000 };

    EXPECT(!link_was_cut(0, ARRIVES_PS, WAY_PS));
    EXPECT(!link_was_cut(ARRIVES_PS - WAY_PS, ARRIVES_PS, WAY_PS));
    EXPECT(link_was_cut(ARRIVES_PS - WAY_PS + 1, ARRIVES_PS, WAY_PS));
    EXPECT(link_was_cut(ARRIVES_PS, ARRIVES_PS, WAY_PS));
    EXPECT(!link_was_cut(ARRIVES_PS + 1, ARRIVES_PS, WAY_PS));
}

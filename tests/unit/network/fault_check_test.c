/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that cannot be: which, and what is wrong with them. */
#include "spec.h"

#include <string.h>

#include "base/problem.h"
#include "network/network.h"

static struct plan fabric;
static const struct topology_element link = {
    .kind = TOPOLOGY_UPLINK, .plane = 1, .t0 = 1, .t1 = 1
};

static const struct fault good = {
    .kind = FAULT_LOSS, .where = &link, .where_count = 1, .probability = 1, .until_ps = 1
};

/* The member at fault, "" when there is none. */
static const char *member_of(bool is_fine, const struct problem *problem)
{
    if (is_fine)
        return "";
    EXPECT_GT(strlen(problem->reason), 10);
    return problem->member;
}

static const char *problem_with(const struct fault *fault)
{
    static const struct topology_exception missing = {
        .link = { .kind = TOPOLOGY_UPLINK, .plane = 2, .t0 = 2, .t1 = 2 }, .missing = true
    };
    static struct topology_exception sorted[1];
    struct topology_problem problem;
    struct problem found;
    struct topology_config wiring;

    topology_config_init(&wiring);
    wiring.exceptions = &missing;
    wiring.exception_count = 1;
    EXPECT(plan_init(&fabric, &wiring, sorted, &problem));
    return member_of(fault_check(&fabric, fault, &found), &found);
}

static const char *problem_at(struct topology_element where)
{
    struct fault fault = good;

    fault.where = &where;
    return problem_with(&fault);
}

SPEC("a fault of a component that does not exist is refused")
{
    EXPECT_STR_EQ(problem_with(&good), "");
    EXPECT_STR_EQ(problem_at((struct topology_element){ .kind = TOPOLOGY_NIC, .nic = 63 }), "");
    EXPECT_STR_EQ(
        problem_at((struct topology_element){ .kind = TOPOLOGY_NIC, .nic = 64 }), "where");
    EXPECT_STR_EQ(
        problem_at((struct topology_element){ .kind = TOPOLOGY_PLANE, .plane = 4 }), "where");
    EXPECT_STR_EQ(problem_at((struct topology_element){ .kind = TOPOLOGY_T0, .t0 = 8 }), "where");
    EXPECT_STR_EQ(problem_at((struct topology_element){ .kind = TOPOLOGY_T1, .t1 = 8 }), "where");
    EXPECT_STR_EQ(problem_at((struct topology_element){
                      .kind = TOPOLOGY_UPLINK, .plane = 2, .t0 = 2, .t1 = 2 }),
        "where");
    EXPECT_STR_EQ(
        problem_at((struct topology_element){ .kind = TOPOLOGY_HOST_LINK, .nic = 64 }), "where");
}

SPEC("a fault without effect, or that is impossible, is refused")
{
    struct fault bad = good;

    bad.probability = 0;
    EXPECT_STR_EQ(problem_with(&bad), "probability");
    bad = good, bad.where_count = 0;
    EXPECT_STR_EQ(problem_with(&bad), "where");
    bad = good, bad.from_ps = 1;
    EXPECT_STR_EQ(problem_with(&bad), "until");
    bad = good, bad.kind = FAULT_REBOOT;
    EXPECT_STR_EQ(problem_with(&bad), "where");
    bad = good, bad.kind = FAULT_SLOW;
    EXPECT_STR_EQ(problem_with(&bad), "rate");
    bad = good, bad.of_ev = true, bad.ev = UINT32_MAX;
    EXPECT_STR_EQ(problem_with(&bad), "ev");
    bad = good, bad.kind = FAULT_DOWN, bad.of_ev = true;
    EXPECT_STR_EQ(problem_with(&bad), "ev");
    bad = good, bad.kind = FAULT_DOWN, bad.direction = FAULT_UPWARD;
    EXPECT_STR_EQ(problem_with(&bad), "direction");
    bad = good, bad.kind = FAULT_FLAP;
    EXPECT_STR_EQ(problem_with(&bad), "period");
    bad.period_ps = 1000000, bad.duty_permille = 1001;
    EXPECT_STR_EQ(problem_with(&bad), "duty");
    bad.duty_permille = 0;
    EXPECT_STR_EQ(problem_with(&bad), "duty");
    bad.duty_permille = 1000;
    EXPECT_STR_EQ(problem_with(&bad), "");
}

static const char *problem_with_generator(struct fault_generator from)
{
    struct problem found;

    EXPECT_STR_EQ(problem_with(&good), "");
    return member_of(fault_generator_check(&fabric, &from, &found), &found);
}

SPEC("a generator without a rate, a duration or a component is refused")
{
    struct fault_generator from = {
        .fault = good, .component = TOPOLOGY_T1, .mean_between_ps = 1, .duration_ps = 1
    };

    from.fault.where_count = 0;
    EXPECT_STR_EQ(problem_with_generator(from), "");
    from.mean_between_ps = 0;
    EXPECT_STR_EQ(problem_with_generator(from), "mean_between");
    from.mean_between_ps = 1, from.duration_ps = 0;
    EXPECT_STR_EQ(problem_with_generator(from), "for");
    from.duration_ps = 1, from.component = TOPOLOGY_COMPONENT_COUNT;
    EXPECT_STR_EQ(problem_with_generator(from), "component");
    from.component = TOPOLOGY_NIC, from.fault.kind = FAULT_REBOOT;
    EXPECT_STR_EQ(problem_with_generator(from), "component");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which a test network does damage. */
#include "fault.h"

#include "spec.h"

static const struct fault_where here = {
    .from = 1, .to = 2, .plane = 3, .uplink = 4, .traffic = FAULT_DATA
};

static bool hits(struct fault_where where)
{
    struct fault_list list = { 0 };

    fault_list_begin(&list, fault_list_add(&list, &(struct fault_rule){ .where = where,
                                                      .chance[FAULT_DOWN] = FAULT_ALWAYS }));
    return fault_list_is_dead(&list, &here);
}

SPEC("a rule applies to packets that match each of its fields")
{
    struct fault_where control = fault_everywhere();

    control.traffic = FAULT_CONTROL;
    EXPECT(hits(fault_everywhere()));
    EXPECT(hits(fault_on_plane(3)));
    EXPECT(!hits(fault_on_plane(4)));
    EXPECT(hits(fault_on_path(3, 4)));
    EXPECT(!hits(fault_on_path(3, 3)));
    EXPECT(hits(fault_from(fault_to(fault_everywhere(), 2), 1)));
    EXPECT(!hits(fault_from(fault_everywhere(), 2)));
    EXPECT(!hits(fault_to(fault_on_plane(3), 1)));
    EXPECT(!hits(control));
}

SPEC("a rule applies from its beginning to its end")
{
    struct fault_list list = { 0 };
    uint32_t rule = fault_list_add(&list,
        &(struct fault_rule){ .where = fault_everywhere(), .chance[FAULT_LOSS] = FAULT_ALWAYS });

    EXPECT(!fault_list_roll(&list, &here).lost);
    fault_list_begin(&list, rule);
    EXPECT(fault_list_roll(&list, &here).lost);
    fault_list_end(&list, rule);
    EXPECT(!fault_list_roll(&list, &here).lost);
}

SPEC("a rule of 1 % applies to 1 % of the packets, and several rules add up")
{
    struct fault_list list = { .prng = prng_stream(1, 0) };
    struct fault_rule fault = { .where = fault_everywhere(),
        .chance[FAULT_LOSS] = FAULT_PERCENT(1) };
    uint32_t lost = 0;

    fault_list_begin(&list, fault_list_add(&list, &fault));
    fault_list_begin(&list, fault_list_add(&list, &fault));
    for (uint32_t i = 0; i < 100000; i++)
        lost += fault_list_roll(&list, &here).lost;
    EXPECT_GE(lost, 1850);
    EXPECT_LE(lost, 2130);
}

SPEC("each effect has its own probability")
{
    struct fault_list list = { .prng = prng_stream(1, 0) };
    struct fault_rule fault = { .where = fault_everywhere(),
        .chance[FAULT_CORRUPT] = FAULT_ALWAYS,
        .chance[FAULT_DUPLICATE] = FAULT_ALWAYS,
        .chance[FAULT_DELAY] = FAULT_ALWAYS,
        .delay_max_ps = 1000 };
    struct fault_effect effect;

    fault_list_begin(&list, fault_list_add(&list, &fault));
    effect = fault_list_roll(&list, &here);
    EXPECT(effect.corrupted && !effect.lost && !effect.marked && !effect.trimmed);
    EXPECT_EQ(effect.duplicates, 1);
    EXPECT_LT(effect.delay_ps, 1000);
}

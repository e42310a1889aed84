/* SPDX-License-Identifier: Apache-2.0 */
/* What loss and reordering cost: one QP, 8 planes of 32 paths, 400 Gb/s, 10 us; 1 MiB writes, 32
 * outstanding; measured for 50 ms after 10 ms of warm-up. */
#include "scenario.h"

#include <stdio.h>

#include "spec.h"

#define WARM_UP   MS(10)
#define MEASURED  MS(50)
#define LINE_BPS  (GBPS(400) / 4184 * 4096) /* the payload that full packets leave room for */
#define THOUSANDS 1000

static struct network_config eight_planes(uint64_t seed)
{
    struct network_config config = network_config_usual(seed);

    config.payload = NETWORK_LENGTHS;
    return config;
}

static void print(const struct scenario *s, const char *what, uint64_t goodput_bps)
{
    printf("# %s: %.2f Gb/s, %llu repeats, %llu spurious, %u EVs bad, %llu turned bad\n", what,
        (double)goodput_bps / 1e9,
        (unsigned long long)scenario_counter(s, HOST_A, COUNTER_DATA_RETRANSMITTED),
        (unsigned long long)scenario_counter(s, HOST_A, COUNTER_SPURIOUS_LOSS),
        path_bad_count(scenario_paths(s, HOST_A, HOST_B)),
        (unsigned long long)scenario_counter(s, HOST_A, COUNTER_EV_TURNED_BAD));
}

/* Of the line rate, in thousandths. */
static uint64_t measure(struct scenario *s, const char *what)
{
    uint64_t goodput_bps;

    scenario_stream(s, HOST_A, HOST_B, MIB(1), 32);
    scenario_run_until(s, WARM_UP);
    goodput_bps = scenario_goodput_bps(s, HOST_A, HOST_B, MEASURED);
    print(s, what, goodput_bps);
    EXPECT_EQ(scenario_failures(s, HOST_A), 0);
    EXPECT_EQ(scenario_counter(s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
    return goodput_bps * THOUSANDS / LINE_BPS;
}

static struct scenario with_loss(const struct network_config *config, uint32_t probability)
{
    struct scenario s = scenario_of(config);

    scenario_lose(&s, fault_everywhere(), probability);
    return s;
}

SPEC("one QP alone fills 8 planes to 99.9 %, and sends nothing twice")
{
    struct network_config config = eight_planes(1);
    struct scenario s = scenario_of(&config);

    EXPECT_GE(measure(&s, "no loss"), 999);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_EV_TURNED_BAD), 0);
}

PROPERTY("0.1 % loss on all paths, both ways, keeps 98 % of the goodput", 2)
{
    struct network_config config = eight_planes(seed);
    struct scenario s = with_loss(&config, FAULT_PERMILLE(1));

    EXPECT_GE(measure(&s, "0.1 % loss"), 980);
}

PROPERTY("1 % loss on all paths, both ways, keeps 90 % of the goodput", 2)
{
    struct network_config config = eight_planes(seed);
    struct scenario s = with_loss(&config, FAULT_PERMILLE(10));

    EXPECT_GE(measure(&s, "1 % loss"), 900);
}

/* ---- §24: every loss is silence ------------------------------------------------------------ */

static struct network_config without_help(uint64_t seed)
{
    struct network_config config = eight_planes(seed);

    config.trims = false;
    config.marks = false;
    return config;
}

SPEC("§24: without trimming and ECN one QP still fills 8 planes, and sends nothing twice")
{
    struct network_config config = without_help(1);
    struct scenario s = scenario_of(&config);

    EXPECT_GE(measure(&s, "no loss, no trimming, no ECN"), 999);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 0);
}

PROPERTY("§24: without trimming and ECN 0.1 % loss keeps 98 % and 1 % keeps 90 %", 1)
{
    struct network_config config = without_help(seed);
    struct scenario little = with_loss(&config, FAULT_PERMILLE(1));
    struct scenario more = with_loss(&config, FAULT_PERMILLE(10));

    EXPECT_GE(measure(&little, "0.1 % loss, no trimming, no ECN"), 980);
    EXPECT_GE(measure(&more, "1 % loss, no trimming, no ECN"), 900);
}

/* ---- silence, and disorder ------------------------------------------------------------------ */

PROPERTY("losing every SACK for ten round trips loses nothing, and 1 ms later all is as before", 5)
{
    struct network_config config = eight_planes(seed);
    struct scenario s = scenario_of(&config);
    struct fault_where back = fault_from(fault_everywhere(), HOST_B);
    uint64_t goodput_bps;

    back.traffic = FAULT_CONTROL;
    scenario_stream(&s, HOST_A, HOST_B, MIB(1), 32);
    scenario_fail_way(&s, back, WARM_UP, WARM_UP + US(100));
    scenario_run_until(&s, WARM_UP + MS(1));
    goodput_bps = scenario_goodput_bps(&s, HOST_A, HOST_B, MS(10));
    print(&s, "after 100 us without SACKs", goodput_bps);

    EXPECT_GE(goodput_bps * THOUSANDS / LINE_BPS, 990);
    EXPECT_EQ(scenario_failures(&s, HOST_A), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 0);
}

static struct scenario with_disorder(uint64_t seed, uint64_t delay_max_ps)
{
    struct network_config config = eight_planes(seed);
    struct fault_rule fault = { .where = fault_to(fault_everywhere(), HOST_B),
        .chance[FAULT_DELAY] = FAULT_PERCENT(50),
        .delay_max_ps = delay_max_ps };
    struct scenario s;

    s = scenario_of(&config);
    fault.where.traffic = FAULT_DATA;
    scenario_fault(&s, &fault);
    return s;
}

PROPERTY("losing every SACK for ten round trips makes no EV bad, in whatever order packets came", 5)
{
    struct scenario s = with_disorder(seed, US(5));
    struct fault_where back = fault_from(fault_everywhere(), HOST_B);

    back.traffic = FAULT_CONTROL;
    scenario_stream(&s, HOST_A, HOST_B, MIB(1), 32);
    scenario_fail_way(&s, back, WARM_UP, WARM_UP + US(100));
    scenario_run_until(&s, WARM_UP + MS(1));
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_EV_TURNED_BAD), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 0);
}

SPEC("packets disordered by up to 0.8 round trips are not sent again")
{
    struct scenario s = with_disorder(1, US(8));

    EXPECT_GE(measure(&s, "half of the packets up to 8 us late"), 900);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 0);
}

SPEC("packets disordered by up to 3 round trips: fewer than 1 in 100 is sent again for nothing")
{
    struct scenario s = with_disorder(1, US(30));

    measure(&s, "half of the packets up to 30 us late");
    EXPECT_LT(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED) * 100,
        scenario_counter(&s, HOST_A, COUNTER_DATA_SENT));
    EXPECT_GT(scenario_counter(&s, HOST_A, COUNTER_SPURIOUS_LOSS), 0);
    EXPECT_EQ(path_bad_count(scenario_paths(&s, HOST_A, HOST_B)), 0);
}

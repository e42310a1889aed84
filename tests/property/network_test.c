/* SPDX-License-Identifier: Apache-2.0 */
/* Whole scenarios: what no schedule of faults may change. */
#include "scenario.h"

#include "spec.h"

static struct network_config small(uint64_t seed)
{
    struct prng prng = prng_stream(seed, 9);
    struct network_config config = network_config_default(seed);

    config.host_count = 2 + prng_below(&prng, 2);
    config.plane_count = 1 + prng_below(&prng, 4);
    config.uplink_count = 1 + prng_below(&prng, 16);
    config.port_bps = GBPS(25) << prng_below(&prng, 4);
    config.room_packets = 1 + prng_below(&prng, 4);
    config.trims = prng_below(&prng, 4) > 0;
    if (prng_below(&prng, 2))
        config.host_limit_bytes = 4184 * (2 + prng_below(&prng, 10));
    config.marks_last_hop = prng_below(&prng, 4) == 0;
    config.delays_only = prng_below(&prng, 8) == 0;
    config.payload = prng_below(&prng, 4) ? NETWORK_BYTES : NETWORK_FRAMES;
    config.checks = true;
    config.parameters.timeout = 6 + prng_below(&prng, 4);
    return config;
}

static void write_at_random(struct scenario *s, struct prng *prng, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = prng_below(prng, network_host_count(s->network));
        uint32_t to = (from + 1) % network_host_count(s->network);
        uint32_t length_bytes = prng_below(prng, prng_below(prng, 5) ? 60000 : 9);

        if (prng_below(prng, 3))
            scenario_write(s, from, to, length_bytes);
        else
            scenario_write_immediate(s, from, to, length_bytes);
    }
}

PROPERTY("whatever a network does to its packets, writes arrive once, in order, or fail", 300)
{
    struct network_config config = small(seed);
    struct scenario s = scenario_of(&config);
    struct prng prng = prng_stream(seed, 10);
    uint64_t until_ps = US(200 + prng_below(&prng, 1000));

    scenario_chaos(&s, seed,
        &(struct scenario_chaos){
            .until_ps = until_ps, .faults_max = 12, .spared_plane = FAULT_ANY, .ports = true });
    for (uint32_t round = 0; round < 8; round++) {
        write_at_random(&s, &prng, 1 + prng_below(&prng, 20));
        scenario_run_for(&s, until_ps / 8);
    }
    scenario_run_until_idle(&s);
    scenario_run_for(&s, MS(1));
}

PROPERTY("losing one of two planes costs no retransmission timeout", 50)
{
    struct scenario s = scenario_two_planes(seed);

    scenario_write(&s, HOST_A, HOST_B, MIB(16));
    scenario_fail_plane(&s, 1, US(200));
    scenario_run_until_idle(&s);

    EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
}

PROPERTY("no timeout fires while one plane is whole, whatever happens on the others", 300)
{
    struct network_config config = network_config_default(seed);
    struct prng prng = prng_stream(seed, 5);
    uint64_t until_ps = US(300 + prng_below(&prng, 3000));
    struct scenario_chaos chaos = { .until_ps = until_ps, .faults_max = 10 };
    struct scenario s;

    config.plane_count = 2 + prng_below(&prng, 4);
    config.uplink_count = 1 + prng_below(&prng, 16);
    config.trims = prng_below(&prng, 3) > 0;
    config.payload = NETWORK_LENGTHS;
    config.parameters.timeout = 8; /* 262 us: 26 base RTTs */
    chaos.spared_plane = prng_below(&prng, config.plane_count);
    chaos.spared_loss = prng_below(&prng, 2) ? FAULT_PERMILLE(10) : 0;
    s = scenario_of(&config);
    scenario_chaos(&s, seed, &chaos);
    for (uint32_t round = 0; round < 8; round++) {
        write_at_random(&s, &prng, prng_below(&prng, 30));
        scenario_run_for(&s, until_ps / 8);
    }
    scenario_run_until_idle(&s);

    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_B, COUNTER_TIMEOUT_FIRED), 0);
    EXPECT_EQ(scenario_failures(&s, HOST_A) + scenario_failures(&s, HOST_B), 0);
}

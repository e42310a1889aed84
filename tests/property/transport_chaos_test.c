/* SPDX-License-Identifier: Apache-2.0 */
/* What no schedule of faults may change, whatever the two ends believe and can do.
 *
 * The network itself watches each run: every byte in place once and right when its write completes,
 * completions and immediates in order, nothing beside a region, new PSNs in sequence so that none
 * returns within 2^23, and after every event all invariants of every QP, inflight among them. */
#include "chaos.h"

#include "spec.h"

static const struct chaos_retry patient = { .timeout = 6, .linear = 7, .exponential = 25 };

static struct scenario connected(uint64_t seed, struct prng *prng, struct chaos_retry retry)
{
    struct network_config config = chaos_network(seed);
    struct scenario s = scenario_of(&config);
    uint32_t qp_count = 1 + prng_below(prng, 3);

    for (uint32_t host = 0; host < config.host_count; host++)
        chaos_parameters(&s, prng, host);
    for (uint32_t i = 0; i < qp_count; i++) {
        uint32_t from = prng_below(prng, config.host_count);

        chaos_connect(&s, prng, from, (from + 1) % config.host_count, retry);
    }
    return s;
}

static void work_through(struct scenario *s, struct prng *prng, uint64_t until_ps)
{
    for (uint32_t round = 0; round < 8; round++) {
        chaos_write(s, prng, prng_below(prng, 10));
        chaos_change_ranges(s, prng);
        scenario_run_for(s, until_ps / 8);
    }
}

PROPERTY("whatever a network does to packets for a while, all writes arrive, once, in order", 1000)
{
    struct prng prng = prng_stream(seed, 0xa11);
    struct scenario s = connected(seed, &prng, patient);
    uint64_t until_ps = US(100 + prng_below(&prng, 500));

    scenario_chaos(&s, seed,
        &(struct scenario_chaos){
            .until_ps = until_ps, .faults_max = 12, .spared_plane = FAULT_ANY, .ports = true });
    work_through(&s, &prng, until_ps);
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 0);
}

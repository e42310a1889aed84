/* SPDX-License-Identifier: Apache-2.0 */
/* What no schedule of faults may change, whatever the two ends believe and can do.
 *
 * The network itself watches each run: every byte in place once and right when its write completes,
 * completions and immediates in order, nothing beside a region, new PSNs in sequence so that none
 * returns within 2^23, and after every event all invariants of every QP, inflight among them. */
#include "chaos.h"

#include "spec.h"

static const struct chaos_terms patient = {
    .timeout = 6, .linear = 7, .exponential = 25, .mistaken = true
};

static struct scenario connected(
    uint64_t seed, struct prng *prng, struct chaos_terms terms, uint32_t qp_count)
{
    struct network_config config = chaos_network(seed);
    struct scenario s = scenario_of(&config);

    for (uint32_t host = 0; host < config.host_count; host++)
        chaos_parameters(&s, prng, host);
    for (uint32_t i = 0; i < qp_count; i++) {
        uint32_t from = prng_below(prng, config.host_count);

        chaos_connect(&s, prng, from, (from + 1) % config.host_count, terms);
    }
    return s;
}

/* Besides what scenario_chaos() does: packets, and copies of them, that come when none is expected
 * any more. */
static void add_stragglers(struct scenario *s, struct prng *prng, uint64_t until_ps)
{
    struct fault_rule late = { .where = fault_everywhere(),
        .chance[FAULT_DUPLICATE] = FAULT_PERMILLE(1) * prng_below(prng, 20),
        .chance[FAULT_DELAY] = FAULT_PERMILLE(1) * prng_below(prng, 20),
        .delay_max_ps = 1 + prng_next(prng) % until_ps };

    if (prng_below(prng, 3) == 0)
        network_fault_between(s->network, &late, 0, until_ps);
}

/* The operator of some host changes which of its ports are drained. */
static void drain(struct scenario *s, struct prng *prng)
{
    uint32_t host = prng_below(prng, network_host_count(s->network));

    if (prng_below(prng, 4) == 0)
        transport_drain_ports(network_transport(s->network, host), prng_below(prng, 4));
}

static void run_through_chaos(struct scenario *s, struct prng *prng, uint64_t seed)
{
    uint64_t until_ps = US(100 + prng_below(prng, 500));

    add_stragglers(s, prng, until_ps);
    scenario_chaos(s, seed,
        &(struct scenario_chaos){
            .until_ps = until_ps, .faults_max = 12, .spared_plane = FAULT_ANY, .ports = true });
    for (uint32_t round = 0; round < 8; round++) {
        chaos_write(s, prng, prng_below(prng, 10));
        chaos_change_ranges(s, prng);
        if (prng_below(prng, 8) == 0)
            chaos_parameters(s, prng, prng_below(prng, network_host_count(s->network)));
        if (prng_below(prng, 8) == 0)
            chaos_control(s, prng, false);
        drain(s, prng);
        scenario_run_for(s, until_ps / 8);
    }
    chaos_control(s, prng, true);
}

PROPERTY("whatever a network does to packets for a while, all writes arrive, once, in order", 1000)
{
    struct prng prng = prng_stream(seed, 0xa11);
    struct scenario s = connected(seed, &prng, patient, 1 + prng_below(&prng, 3));

    run_through_chaos(&s, &prng, seed);
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 0);
}

PROPERTY("with little patience a QP does all of its work, or fails with the right status", 300)
{
    struct prng prng = prng_stream(seed, 0xa12);
    struct chaos_terms hasty = { .timeout = 5,
        .linear = (uint8_t)prng_below(&prng, 3),
        .exponential = (uint8_t)prng_below(&prng, 3) };
    struct scenario s = connected(seed, &prng, hasty, 1 + prng_below(&prng, 3));

    run_through_chaos(&s, &prng, seed);
    chaos_expect_end(&s, network_now_ps(s.network) + 10 * chaos_patience_ps(hasty, 20000) + MS(10));
}

PROPERTY("messages of several MiB arrive once and in order over such a network", 10)
{
    struct prng prng = prng_stream(seed, 0xa13);
    struct scenario s = connected(seed, &prng, patient, 1 + prng_below(&prng, 3));

    for (uint32_t i = 0; i < 2; i++)
        traffic_write_immediate(s.network, i, MIB(1) + prng_below(&prng, MIB(3)));
    run_through_chaos(&s, &prng, seed);
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 0);
}

PROPERTY("messages of fifty QPs at once arrive once and in order over such a network", 10)
{
    struct prng prng = prng_stream(seed, 0xa14);
    struct scenario s = connected(seed, &prng, patient, 50);

    chaos_write(&s, &prng, 200);
    run_through_chaos(&s, &prng, seed);
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 0);
}

SPEC("70,000 messages with immediates survive 1 % loss: 16 bits of msn and rqmsn have wrapped")
{
    struct scenario s = scenario_two_planes(1);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);
    uint32_t flow = traffic_connect(s.network, &a, &b);

    scenario_lose(&s, fault_everywhere(), FAULT_PERMILLE(10));
    traffic_start(s.network, flow,
        &(struct traffic_stream){ .length_bytes = 64,
            .outstanding = 100,
            .message_count = 70000,
            .with_immediates = true });
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 70000);
    EXPECT_EQ(scenario_immediates(&s, HOST_B), 70000);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
}

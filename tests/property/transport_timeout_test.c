/* SPDX-License-Identifier: Apache-2.0 */
/* Timeouts are the last resort: none fires while one plane works, and when they do they keep their
 * schedule. */
#include "chaos.h"

#include "spec.h"

enum { ROUND_TRIPS = 25 };

/* The shortest T of at least 25 base RTTs. */
static uint8_t timeout_for(uint64_t base_rtt_ps)
{
    uint8_t timeout = 0;

    while (NS(UINT64_C(1024) << timeout) < ROUND_TRIPS * base_rtt_ps)
        timeout++;
    return timeout;
}

static struct scenario connected(uint64_t seed, struct prng *prng, struct chaos_terms terms)
{
    struct network_config config = chaos_network(seed);
    struct scenario s;

    config.plane_count = 2 + prng_below(prng, 7);
    config.parameters.port_up_holddown = prng_below(prng, 1000000);
    terms.timeout = timeout_for(config.base_rtt_ps);
    config.parameters.timeout = terms.timeout;
    s = scenario_of(&config);
    for (uint32_t i = 0; i < 1 + prng_below(prng, 2); i++)
        chaos_connect(&s, prng, HOST_A, HOST_B, terms);
    return s;
}

PROPERTY("no timeout fires while one plane is whole and loses no more than 1 % each way", 400)
{
    struct prng prng = prng_stream(seed, 0x71);
    struct scenario s =
        connected(seed, &prng, (struct chaos_terms){ .linear = 7, .exponential = 25 });
    uint64_t until_ps = US(200 + prng_below(&prng, 800));

    scenario_chaos(&s, seed,
        &(struct scenario_chaos){ .until_ps = until_ps,
            .faults_max = 16,
            .spared_plane = prng_below(&prng, network_plane_count(s.network)),
            .spared_loss = FAULT_PERMILLE(1) * prng_below(&prng, 11),
            .ports = true });
    for (uint32_t round = 0; round < 8; round++) {
        chaos_write(&s, &prng, prng_below(&prng, 20));
        scenario_run_for(&s, until_ps / 8);
    }
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 0);
    for (uint32_t host = 0; host < network_host_count(s.network); host++)
        EXPECT_EQ(scenario_counter(&s, host, COUNTER_TIMEOUT_FIRED), 0);
}

/* ---- no answer ----------------------------------------------------------------------------- */

static struct chaos_terms any_terms(struct prng *prng)
{
    return (struct chaos_terms){ .timeout = (uint8_t)(6 + prng_below(prng, 4)),
        .linear = (uint8_t)prng_below(prng, 8),
        .exponential = (uint8_t)prng_below(prng, 4) };
}

/* When the first request of the flow that failed did so; 0: none has. */
static uint64_t failed_at_ps(const struct network *network, uint32_t flow)
{
    for (uint32_t i = 0; i < traffic_message_count(network); i++)
        if (traffic_message(network, i)->flow == flow &&
            traffic_message(network, i)->state == TRAFFIC_FAILED)
            return traffic_message(network, i)->completed_ps;
    return 0;
}

PROPERTY("a QP without answers fails when its retries are used up, and not before", 200)
{
    struct prng prng = prng_stream(seed, 0x72);
    struct chaos_terms terms = any_terms(&prng);
    struct network_config config = chaos_network(seed);
    uint64_t slack_ps = 10 * config.base_rtt_ps;
    struct scenario s = scenario_of(&config);
    uint32_t flow = chaos_connect(&s, &prng, HOST_A, HOST_B, terms);
    uint64_t patience_ps;
    uint64_t failed_ps;

    traffic_start(s.network, flow,
        &(struct traffic_stream){
            .length_bytes = KIB(10), .outstanding = 1, .message_count = UINT32_MAX });
    scenario_fail_way(&s, fault_everywhere(), US(200), MS(100000));
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 1);
    failed_ps = failed_at_ps(s.network, flow);
    patience_ps = chaos_patience_ps(terms, scenario_qp(&s, HOST_A, HOST_B).base_rtt_ns);
    EXPECT_GE(failed_ps, US(200) - slack_ps + patience_ps);
    EXPECT_LE(failed_ps, US(200) + slack_ps + patience_ps);
}

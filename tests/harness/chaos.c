/* SPDX-License-Identifier: Apache-2.0 */
/* Small networks by seed. */
#include "chaos.h"

#include "base/power.h"
#include "spec.h"
#include "transport/retry.h"

enum {
    PACKET_BYTES = 4184,
    PSN_UNIT = 128,
    MPR_MAX = 32,
    FLOWS_MAX = 128,
};

/* What sources disagree about, each way (docs/protocol.md §25). */
static const struct wire_format other_format = {
    .udp_port = FORMAT_UDP_PORT_PRINTED,
    .m_before_se = true,
    .source_port_high = true,
    .nak_write_imm_limit = 0x66,
    .uplink_bits = 8,
    .dscp = { 0, 10, 11, 12, 13, 48 },
};

static bool one_in(struct prng *prng, uint32_t count)
{
    return prng_below(prng, count) == 0;
}

struct network_config chaos_network(uint64_t seed)
{
    struct prng prng = prng_stream(seed, 0xc0);
    struct network_config config = network_config_default(seed);

    if (one_in(&prng, 2))
        parameters_init(&config.parameters, TIMERS_HARDWARE);
    config.knows_rtt = one_in(&prng, 2);
    config.host_count = 2 + one_in(&prng, 3);
    config.plane_count = 1 + prng_below(&prng, 4);
    config.uplink_count = 1 + prng_below(&prng, 16);
    config.port_bps = GBPS(25) << prng_below(&prng, 4);
    config.base_rtt_ps = US(6) + prng_next(&prng) % US(14);
    config.room_packets = 1 + prng_below(&prng, 4);
    config.trims = !one_in(&prng, 3);
    config.marks = !one_in(&prng, 4);
    config.marks_last_hop = one_in(&prng, 4);
    config.host_limit_bytes = prng_below(&prng, 2) * PACKET_BYTES * (2 + prng_below(&prng, 10));
    config.delays_only = one_in(&prng, 8);
    config.hashed = one_in(&prng, 8);
    config.payload = one_in(&prng, 3) ? NETWORK_FRAMES : NETWORK_BYTES;
    config.format = one_in(&prng, 2) ? &format_default : &other_format;
    config.checks = true;
    return config;
}

/* ---- hosts ---------------------------------------------------------------------------------- */

/* Those of software, or for one that has these, those of hardware. */
static void use_other_timers(struct parameters *parameters)
{
    const char *word = parameters->timers == TIMERS_SOFTWARE ? "hardware" : "software";
    enum parameters_error error = parameters_set(parameters, "timers", word);

    EXPECT_EQ(error, PARAMETERS_OK);
}

void chaos_parameters(struct scenario *scenario, struct prng *prng, uint32_t host)
{
    struct transport *transport = network_transport(scenario->network, host);
    struct parameters parameters = *transport_parameters(transport);

    if (one_in(prng, 4))
        use_other_timers(&parameters);
    parameters.timeout_floor = 0; /* the terms of a QP hold as they are */
    parameters.give_up_floor = 0;
    parameters.congestion_control = prng_below(prng, 3);
    parameters.stamp = prng_below(prng, 2);
    parameters.network_trims &= !one_in(prng, 4);
    parameters.retransmit_class = prng_below(prng, 2);
    parameters.sack_gen_threshold = one_in(prng, 2) ? 0 : 1 + prng_below(prng, 65536);
    parameters.sack_min_charge = one_in(prng, 2) ? 1024 : prng_below(prng, 8192);
    parameters.probe_answer_gap = one_in(prng, 2) ? 1000 : prng_below(prng, 100000);
    parameters.sack_gap = prng_below(prng, 2);
    parameters.loss_to_bad = prng_below(prng, 2);
    parameters.ev_skip = prng_below(prng, 2);
    parameters.plane_share = prng_below(prng, 2);
    parameters.ev_probe_first = 1000 + prng_below(prng, 1000000);
    parameters.ev_probe_successes = 1 + prng_below(prng, 5);
    parameters.port_up_holddown = prng_below(prng, 1000000);
    parameters.port_up_probes = prng_below(prng, 5);
    parameters.send_quantum = prng_below(prng, 9);
    parameters.send_burst = 1 + prng_below(prng, 32);
    parameters.ev_state_scope = one_in(prng, 4);
    parameters.receiver_penalty = one_in(prng, 4);
    parameters.mpr_pool = one_in(prng, 4) ? 1 + prng_below(prng, 16) : 0;
    parameters.mpr_idle = prng_below(prng, 1000000);
    parameters.reverse_plane_out = 1 + prng_below(prng, 3);
    transport_set_parameters(transport, &parameters);
}

/* ---- queue pairs ---------------------------------------------------------------------------- */

static uint8_t any_range(struct prng *prng)
{
    return (uint8_t)(one_in(prng, 2) ? 1 + prng_below(prng, 4) : 1 + prng_below(prng, MPR_MAX));
}

static struct traffic_side any_side(
    struct scenario *scenario, struct prng *prng, uint32_t host, struct chaos_terms terms)
{
    struct traffic_side side = traffic_side(scenario->network, host);
    struct qp_attributes *attributes = &side.attributes;

    attributes->sq_psn = psn((uint32_t)prng_next(prng));
    if (one_in(prng, 2)) /* soon to wrap */
        attributes->sq_psn = psn(0xffffff - prng_below(prng, 200));
    attributes->mpr = any_range(prng);
    attributes->mpr_dest = any_range(prng);
    attributes->max_wimm = (uint16_t)(1 + prng_below(prng, 128));
    attributes->max_wimm_dest = (uint16_t)(1 + prng_below(prng, 128));
    attributes->timeout = terms.timeout;
    attributes->retry_linear = terms.linear;
    attributes->retry_exponential = terms.exponential;
    attributes->trim_nack = !one_in(prng, 4);
    attributes->service_time = prng_below(prng, 2);
    side.init.send_depth = 1 + prng_below(prng, 300);
    side.init.recv_depth = attributes->max_wimm_dest + prng_below(prng, 100);
    side.init.write_imm_max_dest = attributes->max_wimm_dest + prng_below(prng, 100);
    return side;
}

/* What `peer` advertised: limits are kept, abilities known. */
static void agree(struct traffic_side *side, const struct traffic_side *peer)
{
    struct qp_attributes *attributes = &side->attributes;
    const struct qp_attributes *theirs = &peer->attributes;

    if (attributes->mpr > theirs->mpr_dest)
        attributes->mpr = theirs->mpr_dest;
    if (attributes->max_wimm > theirs->max_wimm_dest)
        attributes->max_wimm = theirs->max_wimm_dest;
    attributes->peer_trim_nack = theirs->trim_nack;
    attributes->peer_service_time = theirs->service_time;
    side->init.window_psns_max = power_of_two_at_least(attributes->mpr * PSN_UNIT);
    side->init.window_psns_max_dest = power_of_two_at_least(attributes->mpr_dest * PSN_UNIT);
}

uint32_t chaos_connect(
    struct scenario *scenario, struct prng *prng, uint32_t a, uint32_t b, struct chaos_terms terms)
{
    struct traffic_side a_side = any_side(scenario, prng, a, terms);
    struct traffic_side b_side = any_side(scenario, prng, b, terms);
    uint32_t pmtu_bytes = UINT32_C(256) << prng_below(prng, 5);
    bool dynamic = prng_below(prng, 2);

    a_side.attributes.pmtu_bytes = b_side.attributes.pmtu_bytes = pmtu_bytes;
    a_side.attributes.dynamic_mpr = b_side.attributes.dynamic_mpr = dynamic;
    agree(&a_side, &b_side);
    agree(&b_side, &a_side);
    if (terms.mistaken && one_in(prng, 4))
        a_side.attributes.peer_trim_nack = true;
    return traffic_connect(scenario->network, &a_side, &b_side);
}

void chaos_change_ranges(struct scenario *scenario, struct prng *prng)
{
    struct network *network = scenario->network;

    for (uint32_t i = 0; i < traffic_flow_count(network); i++) {
        const struct traffic_flow *flow = traffic_flow(network, i);
        struct transport *transport = network_transport(network, flow->to);
        struct qp_attributes attributes;

        EXPECT_EQ(transport_qp_query(transport, flow->to_qpn, &attributes), 0);
        if (!attributes.dynamic_mpr || one_in(prng, 2))
            continue;
        attributes.mpr_dest = any_range(prng);
        EXPECT_EQ(transport_qp_modify(transport, flow->to_qpn, &attributes, QP_ATTR_MPR_DEST,
                      network_clock_ns(network, flow->to)),
            0);
    }
}

static void control_one(
    struct scenario *scenario, struct prng *prng, const struct traffic_flow *flow, bool allows_all)
{
    struct transport *transport = network_transport(scenario->network, flow->from);
    uint64_t now_ns = network_clock_ns(scenario->network, flow->from);
    struct path_set *paths = transport_qp_paths(transport, flow->from_qpn);

    for (uint32_t i = 0; i < path_ev_count(paths); i++)
        if (allows_all || one_in(prng, 3))
            path_allow(paths, i, now_ns);
        else if (one_in(prng, 8) && path_usable_count(paths) > 1)
            path_deny(paths, i, now_ns);
    network_touch(scenario->network, flow->from);
}

void chaos_control(struct scenario *scenario, struct prng *prng, bool allows_all)
{
    for (uint32_t i = 0; i < traffic_flow_count(scenario->network); i++)
        control_one(scenario, prng, traffic_flow(scenario->network, i), allows_all);
}

/* ---- work ----------------------------------------------------------------------------------- */

static uint32_t any_length(struct prng *prng)
{
    switch (prng_below(prng, 8)) {
    case 0:
        return prng_below(prng, 9);
    case 1: /* at the edge of a packet */
        return (UINT32_C(256) << prng_below(prng, 6)) + prng_below(prng, 3) - 1;
    case 2:
        return prng_below(prng, KIB(200));
    default:
        return prng_below(prng, KIB(20));
    }
}

void chaos_write(struct scenario *scenario, struct prng *prng, uint32_t message_count)
{
    for (uint32_t i = 0; i < message_count; i++) {
        uint32_t flow = prng_below(prng, traffic_flow_count(scenario->network));
        uint32_t length_bytes = any_length(prng);

        if (one_in(prng, 3))
            traffic_write_immediate(scenario->network, flow, length_bytes);
        else
            traffic_write(scenario->network, flow, length_bytes);
    }
}

/* ---- the end -------------------------------------------------------------------------------- */

uint64_t chaos_patience_ps(struct chaos_terms terms, uint32_t base_rtt_ns)
{
    struct retry_schedule schedule = {
        .timeout = terms.timeout, .linear = terms.linear, .exponential = terms.exponential
    };
    uint64_t sum_ns = 0;

    for (uint32_t timeouts = 0; timeouts <= (uint32_t)terms.linear + terms.exponential; timeouts++)
        sum_ns += parameters_longer_ns(
            retry_interval_ns(schedule, timeouts), PARAMETER_TENTHS_timeout, base_rtt_ns);
    return NS(sum_ns);
}

/* By flow: nothing failed yet. */
static void expect_status(
    const struct traffic_message *message, enum completion_status *first_failure)
{
    EXPECT_NE(message->state, TRAFFIC_OPEN);
    if (message->state == TRAFFIC_DONE) {
        EXPECT_EQ(*first_failure, COMPLETION_SUCCESS);
        return;
    }
    EXPECT_EQ(message->status,
        *first_failure == COMPLETION_SUCCESS ? COMPLETION_RETRY_EXCEEDED : COMPLETION_FLUSHED);
    *first_failure = message->status;
}

uint32_t chaos_expect_end(struct scenario *scenario, uint64_t limit_ps)
{
    struct network *network = scenario->network;
    enum completion_status failures[FLOWS_MAX] = { COMPLETION_SUCCESS };
    bool is_idle = network_run_until_idle(network, limit_ps);
    uint32_t failed = 0;

    network_check(network);
    EXPECT_EQ(network_violations(network), 0);
    EXPECT(is_idle);
    EXPECT_LE(traffic_flow_count(network), FLOWS_MAX);
    for (uint32_t i = 0; i < traffic_message_count(network); i++)
        expect_status(traffic_message(network, i), &failures[traffic_message(network, i)->flow]);
    for (uint32_t i = 0; i < traffic_flow_count(network); i++)
        failed += failures[i] != COMPLETION_SUCCESS;
    for (uint32_t host = 0; host < network_host_count(network); host++)
        EXPECT_EQ(network_refused(network, host), 0);
    return failed;
}

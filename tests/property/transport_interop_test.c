/* SPDX-License-Identifier: Apache-2.0 */
/* Two ends that disagree about everything that they need not agree on: what one of them does, the
 * other does not, both ways at once (docs/protocol.md §2, §25). */
#include "chaos.h"

#include "literal.h"
#include "spec.h"

/* What can be on at one end and off at the other. */
enum difference {
    STAMPS,
    TRIMMING, /* network_trims: whether its data may be trimmed */
    TRIM_NACKS,
    TRIM_NACKS_UNKNOWN, /* its peer takes the missing ability for granted */
    SERVICE_TIME,
    EV_HALVES, /* flow label high, or source port high */
    SACK_EVERY_PACKET,
    SACK_FILLED_GAPS,
    RETRANSMIT_CLASS,
    COMPARED_LOSSES,
    SKIP_BY_DELAY,
    DELIVERED_SHARES,
    NO_CONGESTION_CONTROL,
    NSCC,
    PENALTY,
    DIFFERENCE_COUNT,
};

static bool has(uint32_t differences, enum difference difference)
{
    return differences >> difference & 1;
}

static void set_parameters(struct scenario *s, uint32_t host, uint32_t on)
{
    struct transport *transport = network_transport(s->network, host);
    struct parameters parameters = *transport_parameters(transport);

    parameters.stamp = has(on, STAMPS);
    parameters.network_trims &= has(on, TRIMMING);
    parameters.sack_gen_threshold = has(on, SACK_EVERY_PACKET);
    parameters.sack_gap = has(on, SACK_FILLED_GAPS);
    parameters.retransmit_class = has(on, RETRANSMIT_CLASS);
    parameters.loss_to_bad = has(on, COMPARED_LOSSES);
    parameters.ev_skip = has(on, SKIP_BY_DELAY);
    parameters.plane_share = has(on, DELIVERED_SHARES);
    parameters.congestion_control = has(on, NO_CONGESTION_CONTROL) ? CONGESTION_CONTROL_NONE
                                    : has(on, NSCC)                ? CONGESTION_CONTROL_NSCC
                                                                   : CONGESTION_CONTROL_FAIR;
    parameters.receiver_penalty = has(on, PENALTY);
    transport_set_parameters(transport, &parameters);
}

static struct traffic_side side_with(
    struct scenario *s, struct prng *prng, uint32_t host, uint32_t on, uint32_t peer_on)
{
    struct traffic_side side = traffic_side(s->network, host);
    struct qp_attributes *attributes = &side.attributes;

    attributes->trim_nack = has(on, TRIM_NACKS);
    attributes->peer_trim_nack = has(peer_on, TRIM_NACKS) || has(on, TRIM_NACKS_UNKNOWN);
    attributes->service_time = has(on, SERVICE_TIME);
    attributes->peer_service_time = has(peer_on, SERVICE_TIME);
    attributes->max_wimm = (uint16_t)(1 + prng_below(prng, attributes->max_wimm_dest));
    attributes->mpr = (uint8_t)(1 + prng_below(prng, attributes->mpr_dest));
    return side;
}

/* A host that has the halves the other way round reads them so, and echoes them so. */
struct halves {
    uint32_t on[NETWORK_HOSTS_MAX];
};

static void turn_halves(void *context, const struct network_sight *sight)
{
    const struct halves *halves = context;
    struct packet *packet = sight->packet;

    if (has(halves->on[sight->from], EV_HALVES) != has(halves->on[sight->to], EV_HALVES))
        packet->ev = packet->ev << 16 | packet->ev >> 16;
}

static struct network_config two_hosts(uint64_t seed, struct prng *prng)
{
    struct network_config config = chaos_network(seed);

    config.host_count = 2;
    config.parameters.pmtu = UINT64_C(256) << prng_below(prng, 5);
    config.parameters.mpr = 1 + prng_below(prng, 32);
    config.parameters.max_wimm = 1 + prng_below(prng, 128);
    config.parameters.timeout = 10; /* 1 ms: no timeout is needed */
    return config;
}

PROPERTY("requester and responder of opposite settings work together, without a timeout", 500)
{
    struct halves halves;
    struct prng prng = prng_stream(seed, 0x17);
    struct network_config config = two_hosts(seed, &prng);
    struct traffic_side sides[2];
    struct scenario s;

    config.filter = (struct network_filter){ .on_deliver = turn_halves, .context = &halves };
    s = scenario_of(&config);
    halves.on[HOST_A] = (uint32_t)prng_next(&prng);
    halves.on[HOST_B] = ~halves.on[HOST_A];
    for (uint32_t host = 0; host < 2; host++) {
        set_parameters(&s, host, halves.on[host]);
        sides[host] = side_with(&s, &prng, host, halves.on[host], halves.on[1 - host]);
    }
    traffic_connect(s.network, &sides[HOST_A], &sides[HOST_B]);
    scenario_lose(&s, fault_everywhere(), FAULT_PERMILLE(1) * prng_below(&prng, 11));
    scenario_fault(&s, &(struct fault_rule){
                           .where = fault_everywhere(), .chance[FAULT_MARK] = FAULT_PERCENT(5) });
    for (uint32_t round = 0; round < 5; round++) {
        chaos_write(&s, &prng, 10);
        scenario_run_for(&s, US(50));
    }
    EXPECT_EQ(chaos_expect_end(&s, MS(1000)), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_B, COUNTER_TIMEOUT_FIRED), 0);
}

/* ---- abilities that one end has alone -------------------------------------------------------- */

static void lose_first(
    void *context, const struct network_sight *sight, struct fault_effect *effect)
{
    bool *is_done = context;

    effect->lost = !*is_done && opcode_is_write(sight->packet->opcode);
    *is_done |= effect->lost;
}

static void give_other_code(void *context, const struct network_sight *sight)
{
    (void)context;
    if (sight->packet->opcode == OPCODE_ACK && sight->packet->ack.syndrome >= 0x60)
        sight->packet->ack.syndrome = 0x66;
}

SPEC("§22: whatever a responder's code for too many WriteImm, they fail with REM_OP_ERR")
{
    struct network_config config = network_config_default(1);
    bool is_first_lost = false;
    struct traffic_side a;
    struct traffic_side b;
    struct scenario s;

    config.filter = (struct network_filter){
        .on_send = lose_first, .on_deliver = give_other_code, .context = &is_first_lost
    };
    s = scenario_of(&config);
    a = traffic_side(s.network, HOST_A);
    b = traffic_side(s.network, HOST_B);
    b.attributes.max_wimm_dest = 4; /* A does not know */
    traffic_connect(s.network, &a, &b);
    for (uint32_t i = 0; i < 8; i++)
        scenario_write_immediate(&s, HOST_A, HOST_B, 64);
    scenario_run_until_idle(&s);
    EXPECT_EQ(traffic_message(s.network, 4)->status, COMPLETION_REMOTE_OPERATION);
    EXPECT_EQ(network_events_of(s.network, HOST_B, TRANSPORT_QP_FATAL), 1);
}

PROPERTY("a QP that only sends and one that only receives need no other half", 50)
{
    struct prng prng = prng_stream(seed, 0x18);
    struct network_config config = two_hosts(seed, &prng);
    struct scenario s = scenario_of(&config);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    a.init.window_psns_max_dest = 0;
    b.init.window_psns_max = 0;
    a.posts_receives = false;
    traffic_connect(s.network, &a, &b);
    scenario_lose(&s, fault_everywhere(), FAULT_PERMILLE(10));
    chaos_write(&s, &prng, 60); /* half of them refused */
    EXPECT_EQ(chaos_expect_end(&s, MS(1000)), 0);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
}

/* ---- generations ------------------------------------------------------------------------------
 */

/* A is software and literal, B is hardware and has all defaults, C is like B but of a time when
 * updates of ports told nothing about restarts. */
enum { OLD_HOST = HOST_C };

static struct parameters parameters_of_generation(
    const struct network_config *config, uint32_t host)
{
    struct parameters parameters;

    if (host == HOST_A) {
        literal_parameters(&parameters);
        EXPECT_EQ(parameters_set(&parameters, "timers", "software"), PARAMETERS_OK);
    } else {
        parameters_init(&parameters, TIMERS_HARDWARE);
        parameters.base_rtt = config->base_rtt_ps / 1000;
    }
    parameters.link_bps = config->port_bps * config->plane_count;
    parameters.network_trims = config->trims;
    parameters.last_hop_ecn = config->marks_last_hop;
    return parameters;
}

static struct traffic_side side_of_generation(struct scenario *s, uint32_t host)
{
    const struct parameters *parameters = transport_parameters(network_transport(s->network, host));
    struct traffic_side side = traffic_side(s->network, host);

    side.attributes.timeout = (uint8_t)parameters->timeout;
    side.attributes.retry_linear = (uint8_t)parameters->retry_linear;
    side.attributes.retry_exponential = 25; /* whatever a network does to them, none gives up */
    side.attributes.service_time = host == HOST_A;
    return side;
}

static void forget_incarnation(void *context, const struct network_sight *sight)
{
    (void)context;
    if (sight->packet->opcode == OPCODE_ENDPOINT_REQUEST && sight->from == OLD_HOST)
        sight->packet->endpoint.incarnation = 0;
}

static struct scenario generations(uint64_t seed)
{
    struct network_config config = chaos_network(seed);
    struct scenario s;

    config.host_count = 3;
    config.filter = (struct network_filter){ .on_deliver = forget_incarnation };
    s = scenario_of(&config);
    for (uint32_t host = 0; host < 3; host++) {
        struct parameters parameters = parameters_of_generation(&config, host);

        transport_set_parameters(network_transport(s.network, host), &parameters);
    }
    for (uint32_t host = 0; host < 3; host++) {
        struct traffic_side a = side_of_generation(&s, host);
        struct traffic_side b = side_of_generation(&s, (host + 1) % 3);

        a.attributes.peer_service_time = b.attributes.service_time;
        b.attributes.peer_service_time = a.attributes.service_time;
        traffic_connect(s.network, &a, &b);
    }
    return s;
}

PROPERTY("software, hardware and old endpoints on one wire deliver everything exactly once", 200)
{
    struct prng prng = prng_stream(seed, 0x19);
    struct scenario s = generations(seed);
    uint64_t until_ps = US(200 + prng_below(&prng, 800));

    scenario_chaos(&s, seed,
        &(struct scenario_chaos){
            .until_ps = until_ps, .faults_max = 8, .spared_plane = FAULT_ANY, .ports = true });
    for (uint32_t round = 0; round < 8; round++) {
        chaos_write(&s, &prng, 3 + prng_below(&prng, 8));
        scenario_run_for(&s, until_ps / 8);
    }
    EXPECT_EQ(chaos_expect_end(&s, MS(100000)), 0);
}

PROPERTY("in a healthy network none of them takes a packet for lost", 50)
{
    struct prng prng = prng_stream(seed, 0x1a);
    struct scenario s = generations(seed);

    for (uint32_t round = 0; round < 4; round++) {
        chaos_write(&s, &prng, 3 + prng_below(&prng, 8));
        scenario_run_for(&s, US(100));
    }
    EXPECT_EQ(chaos_expect_end(&s, MS(100000)), 0);
    for (uint32_t host = 0; host < 3; host++) {
        EXPECT_EQ(scenario_counter(&s, host, COUNTER_TIMEOUT_FIRED), 0);
        EXPECT_EQ(scenario_counter(&s, host, COUNTER_RETRANSMIT_TIME), 0);
        EXPECT_EQ(scenario_counter(&s, host, COUNTER_RETRANSMIT_PROBE), 0);
        EXPECT_EQ(scenario_counter(&s, host, COUNTER_RETRANSMIT_COUNT), 0);
    }
}

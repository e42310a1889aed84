/* SPDX-License-Identifier: Apache-2.0 */
/* Planes carry equal shares (docs/protocol.md §14.1, §14.2). With plane_share=equal, as long as
 * every plane is usable and ready and has a GOOD EV, the first transmissions of a QP take them
 * strictly in turn. By default they carry what they deliver: in a healthy network that is the same.
 */
#include "chaos.h"

#include "spec.h"

enum { FLOWS_MAX = 8 };

struct share {
    uint64_t before[NETWORK_PLANES_MAX]; /* first transmissions when the present stretch began */
    bool is_broken;
};

struct watch {
    struct network *network;
    struct share shares[FLOWS_MAX];
};

static bool every_plane_is_fit(struct network *network, const struct traffic_flow *flow)
{
    struct transport *transport = network_transport(network, flow->from);
    const struct path_set *paths = transport_qp_paths(transport, flow->from_qpn);
    uint32_t all = (UINT32_C(1) << network_plane_count(network)) - 1;
    uint32_t good = 0;
    struct qp_status status;

    EXPECT_EQ(transport_qp_status(transport, flow->from_qpn, &status), 0);
    for (uint32_t i = 0; i < path_ev_count(paths); i++)
        if (path_is_active(paths, i) && path_state_of(paths, i) == EV_GOOD)
            good |= UINT32_C(1) << path_plane_of(paths, i);
    return good == all && status.plane_mask == all;
}

static uint64_t apart(
    const struct network *network, const struct share *share, const struct traffic_flow *flow)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (uint32_t plane = 0; plane < network_plane_count(network); plane++) {
        uint64_t sent = flow->first_sent[plane] - share->before[plane];

        least = sent < least ? sent : least;
        most = sent > most ? sent : most;
    }
    return most - least;
}

static void begin_stretch(
    const struct network *network, struct share *share, const struct traffic_flow *flow)
{
    for (uint32_t plane = 0; plane < network_plane_count(network); plane++)
        share->before[plane] = flow->first_sent[plane];
    share->is_broken = false;
}

static void look(struct watch *watch, uint32_t index)
{
    const struct traffic_flow *flow = traffic_flow(watch->network, index);
    struct share *share = &watch->shares[index];

    if (!every_plane_is_fit(watch->network, flow)) {
        share->is_broken = true;
        return;
    }
    if (share->is_broken)
        begin_stretch(watch->network, share, flow);
    EXPECT_LE(apart(watch->network, share, flow), 1);
}

static void on_send(void *context, const struct network_sight *sight, struct fault_effect *effect)
{
    struct watch *watch = context;

    (void)effect;
    if (!watch->network || !opcode_is_write(sight->packet->opcode))
        return;
    for (uint32_t i = 0; i < traffic_flow_count(watch->network); i++)
        if (traffic_flow(watch->network, i)->to_qpn == sight->packet->dest_qpn)
            look(watch, i);
}

static struct scenario watched(uint64_t seed, struct prng *prng, struct watch *watch)
{
    static const struct chaos_terms patient = { .timeout = 10, .linear = 7, .exponential = 25 };
    struct network_config config = chaos_network(seed);
    struct scenario s;

    config.plane_count = 2 + prng_below(prng, 7);
    config.uplink_count = 4 + prng_below(prng, 12);
    config.delays_only = true; /* every port is ready at all times */
    config.parameters.plane_share = PLANE_SHARE_EQUAL;
    config.payload = NETWORK_LENGTHS;
    config.filter = (struct network_filter){ .on_send = on_send, .context = watch };
    s = scenario_of(&config);
    for (uint32_t i = 0; i < 1 + prng_below(prng, 3); i++)
        chaos_connect(&s, prng, HOST_A, HOST_B, patient);
    watch->network = s.network;
    return s;
}

PROPERTY("first transmissions per plane differ by at most one while every plane is fit", 200)
{
    struct watch watch = { 0 };
    struct prng prng = prng_stream(seed, 0x9a);
    struct scenario s = watched(seed, &prng, &watch);

    scenario_chaos(&s, seed,
        &(struct scenario_chaos){ .until_ps = US(400),
            .faults_max = 1 + prng_below(&prng, 8),
            .spared_plane = FAULT_ANY });
    for (uint32_t round = 0; round < 8; round++) {
        chaos_write(&s, &prng, prng_below(&prng, 20));
        scenario_run_for(&s, US(50));
    }
    EXPECT_EQ(chaos_expect_end(&s, MS(20000)), 0);
}

/* ---- by default ------------------------------------------------------------------------------ */

enum { STREAM_BYTES = 64 * 1024, MOST_PERMILLE = 5 };

/* A and B on healthy planes with real queues. */
static struct scenario healthy(uint64_t seed, struct prng *prng)
{
    struct network_config config = network_config_default(seed);

    parameters_init(&config.parameters, TIMERS_HARDWARE);
    config.plane_count = 2 + prng_below(prng, 7);
    config.uplink_count = 1 + prng_below(prng, 32);
    config.port_bps = GBPS(25) << prng_below(prng, 4);
    config.base_rtt_ps = US(6) + prng_next(prng) % US(14);
    config.room_packets = 1 + prng_below(prng, 4);
    config.knows_rtt = prng_below(prng, 2);
    config.trims = prng_below(prng, 2);
    config.payload = NETWORK_LENGTHS;
    return scenario_of(&config);
}

PROPERTY("by default a healthy plane carries an equal share within 0.5 %", 40)
{
    struct prng prng = prng_stream(seed, 0x9b);
    struct scenario s = healthy(seed, &prng);
    const struct traffic_flow *flow;
    uint64_t all = 0;

    scenario_stream(&s, HOST_A, HOST_B, STREAM_BYTES, 128);
    if (prng_below(&prng, 2))
        scenario_stream(&s, HOST_B, HOST_A, STREAM_BYTES, 128);
    scenario_run_for(&s, MS(4));
    flow = traffic_flow(s.network, traffic_find(s.network, HOST_A, HOST_B));
    for (uint32_t plane = 0; plane < network_plane_count(s.network); plane++)
        all += flow->first_sent[plane];
    EXPECT_GT(all, 2000 * network_plane_count(s.network));
    for (uint32_t plane = 0; plane < network_plane_count(s.network); plane++) {
        uint64_t sent = flow->first_sent[plane] * network_plane_count(s.network);

        EXPECT_GE(sent * 1000, all * (1000 - MOST_PERMILLE));
        EXPECT_LE(sent * 1000, all * (1000 + MOST_PERMILLE));
    }
}

/* ---- planes and paths that are not equal ------------------------------------------------------
 */

static uint64_t first_sent_on(const struct scenario *s, uint32_t plane)
{
    return traffic_flow(s->network, traffic_find(s->network, HOST_A, HOST_B))->first_sent[plane];
}

PROPERTY("a plane of half the rate carries half as much, and no plane waits for it", 10)
{
    struct prng prng = prng_stream(seed, 0x9c);
    struct network_config config = network_config_default(seed);
    struct scenario s;
    uint64_t slow;
    uint64_t fast;

    parameters_init(&config.parameters, TIMERS_HARDWARE);
    config.plane_count = 2;
    config.uplink_count = 1;
    config.port_bps = GBPS(100);
    config.payload = NETWORK_LENGTHS;
    config.knows_rtt = prng_below(&prng, 2);
    s = scenario_of(&config);
    network_path_rate(s.network, 1, 0, GBPS(50));
    scenario_stream(&s, HOST_A, HOST_B, STREAM_BYTES, 128);
    scenario_run_for(&s, MS(1));
    fast = first_sent_on(&s, 0);
    slow = first_sent_on(&s, 1);
    scenario_run_for(&s, MS(4));
    fast = first_sent_on(&s, 0) - fast;
    slow = first_sent_on(&s, 1) - slow;
    EXPECT_GE(slow * 100, fast * 45);
    EXPECT_LE(slow * 100, fast * 55);
    EXPECT_GE(fast * 4184 * 8, GBPS(95) / 1000 * 4);
}

struct counted {
    uint64_t by_uplink[NETWORK_UPLINKS_MAX];
};

static void count_uplink(
    void *context, const struct network_sight *sight, struct fault_effect *effect)
{
    struct counted *counted = context;

    (void)effect;
    if (opcode_is_write(sight->packet->opcode) && sight->from == HOST_A)
        counted->by_uplink[sight->packet->ev & 0xff]++;
}

SPEC("by default a path whose packets take longer than its siblings' carries less than they do")
{
    struct network_config config = network_config_default(1);
    struct counted counted = { 0 };
    struct scenario s;

    parameters_init(&config.parameters, TIMERS_HARDWARE);
    config.plane_count = 1;
    config.uplink_count = 4;
    config.port_bps = GBPS(100);
    config.payload = NETWORK_LENGTHS;
    config.filter = (struct network_filter){ .on_send = count_uplink, .context = &counted };
    s = scenario_of(&config);
    network_path_rate(s.network, 0, 2, GBPS(10)); /* a quarter of 100 Gb/s is too much for it */
    scenario_stream(&s, HOST_A, HOST_B, STREAM_BYTES, 128);
    scenario_run_for(&s, MS(4));
    for (uint32_t uplink = 0; uplink < 4; uplink++)
        if (uplink != 2)
            EXPECT_LE(counted.by_uplink[2] * 10, counted.by_uplink[uplink] * 6);
    EXPECT_GE(scenario_placed_bytes(&s, HOST_A, HOST_B) * 8, GBPS(85) / 1000 * 4);
}

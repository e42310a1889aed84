/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §26: the items of the checklist that take two ends and a network. */
#include <stdio.h>

#include "literal.h"
#include "observe.h"
#include "scenario.h"
#include "spec.h"

enum { BASE_RTT_US = 10 };

static struct observe_filter filter;

/* Two hosts and nothing but delays between them. */
static struct network_config delays(void)
{
    struct network_config config = network_config_default(1);

    config.plane_count = 2;
    config.uplink_count = 8;
    config.port_bps = GBPS(100);
    config.delays_only = true;
    filter = (struct observe_filter){ 0 };
    observe_filter(&config, &filter);
    return config;
}

static struct scenario two_planes_with(
    const struct parameters *parameters, enum network_payload payload)
{
    struct network_config config = network_config_default(1);

    config.plane_count = 2;
    config.uplink_count = 8;
    config.port_bps = GBPS(100);
    config.payload = payload;
    if (parameters)
        config.parameters = *parameters;
    return scenario_of(&config);
}

/* ---- 2, 6: messages -------------------------------------------------------------------------- */

SPEC("§26.2: three packets delivered in all 6 orders are one completion at the requester")
{
    static const uint8_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 },
        { 2, 0, 1 }, { 2, 1, 0 } };

    for (uint32_t order = 0; order < 6; order++) {
        struct network_config config = delays();
        struct scenario s;

        for (uint32_t k = 0; k < 3; k++)
            filter.rules[k] = (struct observe_rule){ .from = HOST_A,
                .kind = observe_is_first,
                .first = k,
                .count = 1,
                .effect.delay_ps = US(orders[order][k]) };
        s = scenario_of(&config);
        scenario_write(&s, HOST_A, HOST_B, KIB(12));
        scenario_run_until_idle(&s);
        EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
        EXPECT_EQ(scenario_counter(&s, HOST_B, COUNTER_ACK_SENT), 1);
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_SENT), 3);
    }
}

SPEC("§26.6: a requester that sends one WriteImm more than agreed fails both QPs")
{
    struct network_config config = delays();
    struct scenario s;
    struct traffic_side a;
    struct traffic_side b;

    filter.rules[0] = (struct observe_rule){
        .from = HOST_A, .kind = observe_is_first, .count = 1, .effect.lost = true
    };
    s = scenario_of(&config);
    a = traffic_side(s.network, HOST_A);
    b = traffic_side(s.network, HOST_B);
    a.attributes.max_wimm = 5;
    b.attributes.max_wimm_dest = 4;
    traffic_connect(s.network, &a, &b);
    for (uint32_t i = 0; i < 5; i++)
        scenario_write_immediate(&s, HOST_A, HOST_B, 64);
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).state, QP_ERR);
    EXPECT_EQ(traffic_message(s.network, 4)->status, COMPLETION_REMOTE_OPERATION);
    EXPECT_EQ(network_events_of(s.network, HOST_B, TRANSPORT_QP_FATAL), 1);
}

/* ---- 9: trimming ----------------------------------------------------------------------------- */

SPEC("§26.9: one packet is trimmed, at the last hop or before: repeated once, at once, elsewhere")
{
    for (uint32_t last_hop = 0; last_hop < 2; last_hop++) {
        struct network_config config = delays();
        struct scenario s;
        const struct packet *lost;
        const struct packet *repeat;

        filter.rules[0] = (struct observe_rule){ .from = HOST_A,
            .kind = observe_is_first,
            .first = 5,
            .count = 1,
            .effect = { .trimmed = !last_hop, .trimmed_last_hop = last_hop } };
        s = scenario_of(&config);
        network_record(s.network, NULL);
        scenario_write(&s, HOST_A, HOST_B, KIB(64));
        scenario_run_until_idle(&s);
        lost = &observe_record(s.network, HOST_A, observe_is_first, 5)->packet;
        EXPECT_EQ(observe_recorded(s.network, HOST_A, observe_is_repeat), 1);
        repeat = &observe_record(s.network, HOST_A, observe_is_repeat, 0)->packet;
        EXPECT_EQ(repeat->psn.value, lost->psn.value);
        EXPECT_NE(repeat->ev, lost->ev);
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_EV_SKIPPED), !last_hop);
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_EV_TURNED_BAD), 0);
    }
}

/* ---- 10, 11, 21: paths that lose --------------------------------------------------------------
 */

static uint32_t active_on(const struct path_set *paths, uint32_t plane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < 12; i++)
        count += path_plane_of(paths, i) == plane && path_is_active(paths, i) &&
                 path_state_of(paths, i) <= EV_SKIP;
    return count;
}

static uint32_t data_on(const struct scenario *s, uint32_t ev)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < network_record_count(s->network); i++) {
        const struct network_record *record = network_record_at(s->network, i);

        count += record->from == HOST_A && record->packet.ev == ev;
    }
    return count;
}

/* 8 EVs in use and 4 in reserve, 2 planes. */
static struct scenario blackhole_scenario(enum parameter_loss_to_bad loss_to_bad)
{
    struct parameters parameters;

    literal_parameters(&parameters);
    parameters.ev_active = 8;
    parameters.ev_backup = 4;
    parameters.loss_to_bad = loss_to_bad;
    return two_planes_with(&parameters, NETWORK_LENGTHS);
}

SPEC("§26.10: a blackholed EV is bad after one loss, replaced from its plane, back after 3 probes")
{
    static const enum parameter_loss_to_bad settings[] = { LOSS_TO_BAD_LITERAL,
        LOSS_TO_BAD_COMPARED };
    static const enum path_ev_state states[] = { EV_ASSUMED_BAD, EV_SUSPECT };

    for (uint32_t i = 0; i < 2; i++) {
        struct scenario s = blackhole_scenario(settings[i]);
        const struct path_set *paths;
        uint32_t ev;
        uint32_t fault;
        uint64_t probes;

        scenario_stream(&s, HOST_A, HOST_B, KIB(64), 2);
        paths = scenario_paths(&s, HOST_A, HOST_B);
        ev = path_ev_of(paths, 0); /* active, on plane 0 */
        scenario_run_until(&s, US(200));
        fault = network_fault(s.network,
            &(struct fault_rule){ .where = fault_from(fault_on_path(0, ev & 0xff), HOST_A),
                .chance[FAULT_DOWN] = FAULT_ALWAYS });
        scenario_run_for(&s, US(100));
        EXPECT_EQ(path_state_of(paths, 0), states[i]);
        EXPECT_EQ(active_on(paths, 0), 4); /* a backup took its place */
        EXPECT_EQ(active_on(paths, 1), 4);
        network_record(s.network, observe_is_data);
        scenario_run_for(&s, MS(2));
        EXPECT_EQ(path_state_of(paths, 0), EV_ASSUMED_BAD);
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_EV_TURNED_BAD), 1);
        network_fault_end(s.network, fault);
        probes = scenario_counter(&s, HOST_A, COUNTER_PROBES_ANSWERED);
        while (path_state_of(paths, 0) == EV_ASSUMED_BAD) {
            EXPECT_LT(scenario_counter(&s, HOST_A, COUNTER_PROBES_ANSWERED) - probes, 3);
            scenario_run_for(&s, US(100));
        }
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_PROBES_ANSWERED) - probes, 3);
        EXPECT_EQ(data_on(&s, ev), 0);
    }
}

/* A stream over 16 EVs that all lose 1 %, for 3 ms. */
static uint32_t bad_after_loss(enum parameter_loss_to_bad loss_to_bad)
{
    struct parameters parameters;
    struct scenario s;

    literal_parameters(&parameters);
    parameters.loss_to_bad = loss_to_bad;
    s = two_planes_with(&parameters, NETWORK_LENGTHS);
    scenario_lose(&s, fault_from(fault_everywhere(), HOST_A), FAULT_PERCENT(1));
    scenario_stream(&s, HOST_A, HOST_B, KIB(256), 4);
    scenario_run_until(&s, MS(3));
    return path_bad_count(scenario_paths(&s, HOST_A, HOST_B));
}

SPEC("§26.21: 1 % loss on all EVs: literal sinks to ev_min_active, compared makes hardly any bad")
{
    EXPECT_EQ(bad_after_loss(LOSS_TO_BAD_LITERAL), 12); /* a quarter of 16 stays */
    EXPECT_LE(bad_after_loss(LOSS_TO_BAD_COMPARED), 1);
}

SPEC("§26.11: every EV loses a few packets: ev_min_active holds on every plane")
{
    struct parameters parameters;
    struct scenario s;

    literal_parameters(&parameters);
    parameters.loss_to_bad = LOSS_TO_BAD_LITERAL;
    parameters.ev_min_active = 6;
    s = two_planes_with(&parameters, NETWORK_LENGTHS);
    scenario_lose(&s, fault_from(fault_everywhere(), HOST_A), FAULT_PERCENT(2));
    scenario_stream(&s, HOST_A, HOST_B, KIB(256), 4);
    for (uint32_t i = 0; i < 30; i++) {
        scenario_run_for(&s, US(100));
        EXPECT_GE(path_usable_count(scenario_paths(&s, HOST_A, HOST_B)), 6);
    }
    EXPECT_EQ(path_bad_count(scenario_paths(&s, HOST_A, HOST_B)), 10);
}

/* ---- 12: reordering ---------------------------------------------------------------------------
 */

static bool is_data_on_odd_path(const struct packet *packet)
{
    return observe_is_data(packet) && packet->ev & 1;
}

/* A stream of 2 ms; returns the widest reo_wnd seen. */
static uint32_t reorder_by(struct scenario *s, uint64_t delay_ps)
{
    struct network_config config = delays();
    uint32_t widest_ns = 0;

    filter.rules[0] = (struct observe_rule){ .from = HOST_A,
        .kind = is_data_on_odd_path,
        .count = OBSERVE_ANY,
        .effect.delay_ps = delay_ps };
    config.payload = NETWORK_LENGTHS;
    *s = scenario_of(&config);
    scenario_stream(s, HOST_A, HOST_B, KIB(64), 4);
    while (network_now_ps(s->network) < MS(2)) {
        uint32_t now_ns;

        scenario_run_for(s, US(20));
        now_ns = scenario_qp(s, HOST_A, HOST_B).reorder_window_ns;
        widest_ns = now_ns > widest_ns ? now_ns : widest_ns;
    }
    return widest_ns;
}

SPEC("§26.12: paths reordered by 0.8 base RTT: no retransmission")
{
    struct scenario s;

    EXPECT_LE(reorder_by(&s, US(8)), BASE_RTT_US * 1000);
    EXPECT_GT(scenario_counter(&s, HOST_A, COUNTER_DATA_SENT), 1000);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED), 0);
}

SPEC("§26.12: paths reordered by 3 base RTT, or 6: spurious retransmissions are bounded, and where "
     "there are any reo_wnd grows")
{
    for (uint32_t delay_us = 3 * BASE_RTT_US; delay_us <= 6 * BASE_RTT_US;
         delay_us += 3 * BASE_RTT_US) {
        struct scenario s;
        uint32_t widest_ns = reorder_by(&s, US(delay_us));
        bool is_spurious = scenario_counter(&s, HOST_A, COUNTER_SPURIOUS_LOSS) > 0;

        EXPECT_EQ(widest_ns > 2 * BASE_RTT_US * 1000, is_spurious);
        EXPECT(is_spurious || delay_us < 6 * BASE_RTT_US);
        EXPECT_LT(scenario_counter(&s, HOST_A, COUNTER_DATA_RETRANSMITTED),
            scenario_counter(&s, HOST_A, COUNTER_DATA_SENT) / 10);
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
    }
}

/* ---- 13, 14, 22: losses at the end, and on the way back ----------------------------------------
 */

SPEC("§26.13: the last packet is lost: a probe recovers it in under 5 base RTT, without RTO")
{
    for (uint32_t packets = 1; packets <= 8; packets++) {
        struct network_config config = delays();
        struct scenario s;

        filter.rules[0] = (struct observe_rule){ .from = HOST_A,
            .kind = observe_is_first,
            .first = packets - 1,
            .count = 1,
            .effect.lost = true };
        s = scenario_of(&config);
        network_record(s.network, observe_is_repeat);
        scenario_write(&s, HOST_A, HOST_B, packets * KIB(4));
        scenario_run_until_idle(&s);
        EXPECT_EQ(network_record_count(s.network), 1);
        EXPECT_LT(network_record_at(s.network, 0)->time_ps + US(BASE_RTT_US) / 2,
            US(5 * BASE_RTT_US)); /* when it arrives */
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_RETRANSMIT_PROBE), 1);
        EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
    }
}

static void lose_every_other_sack(
    void *context, const struct network_sight *sight, struct fault_effect *effect)
{
    uint32_t *seen = context;

    effect->lost = sight->packet->opcode == OPCODE_SACK && (*seen)++ & 1;
}

static uint64_t goodput_with(
    void (*on_send)(void *, const struct network_sight *, struct fault_effect *))
{
    struct network_config config = network_config_default(1);
    uint32_t seen = 0;
    struct scenario s;

    config.filter = (struct network_filter){ .on_send = on_send, .context = &seen };
    config.payload = NETWORK_LENGTHS;
    s = scenario_of(&config);
    scenario_stream(&s, HOST_A, HOST_B, MIB(1), 8);
    scenario_run_until(&s, MS(1));
    return scenario_goodput_bps(&s, HOST_A, HOST_B, MS(1));
}

SPEC("§26.14: half of the SACKs are lost: throughput within 5 %")
{
    uint64_t whole_bps = goodput_with(NULL);

    EXPECT_GT(whole_bps, GBPS(350));
    EXPECT_GE(goodput_with(lose_every_other_sack), whole_bps / 100 * 95);
}

SPEC("§26.22: a lost Transport ACK costs one repeat of the last packet, and no timeout")
{
    struct network_config config = delays();
    struct scenario s;
    const struct packet *repeat;

    filter.rules[0] = (struct observe_rule){
        .from = HOST_B, .kind = observe_is_ack, .count = 1, .effect.lost = true
    };
    s = scenario_of(&config);
    network_record(s.network, observe_is_data);
    scenario_write(&s, HOST_A, HOST_B, KIB(16));
    scenario_run_until_idle(&s);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 1);
    EXPECT_EQ(observe_recorded(s.network, HOST_A, observe_is_repeat), 1);
    repeat = &observe_record(s.network, HOST_A, observe_is_repeat, 0)->packet;
    EXPECT_EQ(repeat->psn.value,
        observe_record(s.network, HOST_A, observe_is_first, 3)->packet.psn.value);
    EXPECT(repeat->flags & PACKET_ACK_REQUEST);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
}

/* ---- 16, 25: ports and planes ------------------------------------------------------------------
 */

static uint32_t sent_on(const struct scenario *s, uint32_t from, uint32_t port, observe_kind *kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < network_record_count(s->network); i++) {
        const struct network_record *record = network_record_at(s->network, i);

        count += record->from == from && record->packet.port == port && kind(&record->packet);
    }
    return count;
}

SPEC("§26.16: port down: the peer leaves that plane, loads the others equally, and no QP fails")
{
    struct scenario s = scenario_eight_planes(1);

    scenario_stream(&s, HOST_A, HOST_B, KIB(256), 8);
    scenario_run_until(&s, US(300));
    network_port_set(s.network, HOST_B, 3, false);
    scenario_run_for(&s, US(2 * BASE_RTT_US));
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_PORT_UPDATES_TAKEN), 1);
    network_record(s.network, observe_is_first);
    scenario_run_for(&s, US(300));
    EXPECT_EQ(sent_on(&s, HOST_A, 3, observe_is_first), 0);
    for (uint32_t plane = 0; plane < 8; plane++)
        if (plane != 3)
            EXPECT_LE(sent_on(&s, HOST_A, plane, observe_is_first),
                sent_on(&s, HOST_A, 0, observe_is_first) + 1);
    EXPECT_GT(sent_on(&s, HOST_A, 0, observe_is_first), 300);
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).state, QP_RTS);
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).state, QP_RTS);
}

static bool is_feedback(const struct packet *packet)
{
    return observe_is_sack(packet) || observe_is_nack(packet) || observe_is_ack(packet);
}

SPEC("§26.25: a plane dead in both directions carries neither data nor answers; a probe revives it")
{
    struct network_config config = network_config_default(1);
    struct scenario s;
    uint32_t fault;

    config.plane_count = 2;
    config.uplink_count = 4;
    config.port_bps = GBPS(10);
    config.payload = NETWORK_LENGTHS;
    config.base_rtt_ps = US(30);
    config.parameters.timeout = 10; /* 1.05 ms: so soon a bad EV may be probed */
    s = scenario_of(&config);
    scenario_stream(&s, HOST_A, HOST_B, KIB(64), 4);
    scenario_run_until(&s, MS(1));
    fault = network_fault(s.network,
        &(struct fault_rule){ .where = fault_on_plane(1), .chance[FAULT_DOWN] = FAULT_ALWAYS });
    scenario_run_for(&s, MS(9)); /* 60 probes of the way back */
    network_record(s.network, NULL);
    scenario_run_for(&s, MS(3));
    EXPECT_EQ(sent_on(&s, HOST_A, 1, observe_is_data), 0);
    EXPECT_EQ(sent_on(&s, HOST_B, 1, is_feedback), 0);
    EXPECT_EQ(observe_recorded(s.network, HOST_A, observe_is_repeat), 0);
    network_fault_end(s.network, fault);
    network_record(s.network, observe_is_first);
    scenario_run_for(&s, MS(60));
    EXPECT_GT(sent_on(&s, HOST_A, 1, observe_is_first), 100);
    EXPECT_EQ(scenario_qp(&s, HOST_B, HOST_A).control_plane_mask, 3);
    EXPECT_EQ(scenario_failures(&s, HOST_A), 0);
}

/* ---- 17: dynamic MPR ----------------------------------------------------------------------------
 */

static void set_range(struct network *network, void *context)
{
    const struct traffic_flow *flow = traffic_flow(network, 0);
    struct qp_attributes attributes = { .mpr_dest = *(const uint8_t *)context };
    int error = transport_qp_modify(network_transport(network, flow->to), flow->to_qpn, &attributes,
        QP_ATTR_MPR_DEST, network_clock_ns(network, flow->to));

    EXPECT_EQ(error, 0);
    network_touch(network, flow->to);
}

SPEC("§26.17: dynamic MPR 8 -> 2 -> 8 under load: the requester follows, and no QP fails")
{
    static uint8_t narrow = 2;
    static uint8_t wide = 8;
    struct scenario s = scenario_eight_planes(1);
    struct traffic_side a = traffic_side(s.network, HOST_A);
    struct traffic_side b = traffic_side(s.network, HOST_B);

    a.attributes.dynamic_mpr = b.attributes.dynamic_mpr = true;
    traffic_connect(s.network, &a, &b);
    network_at(s.network, US(300), set_range, &narrow);
    network_at(s.network, US(600), set_range, &wide);
    scenario_stream(&s, HOST_A, HOST_B, KIB(256), 8);
    scenario_run_until(&s, US(300) - 1);
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).mpr_psns, 1024);
    scenario_run_until(&s, US(600) - 1);
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).mpr_psns, 256);
    scenario_run_until(&s, US(900));
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).mpr_psns, 1024);
    EXPECT_GT(scenario_completions(&s, HOST_A), 50);
    EXPECT_EQ(scenario_failures(&s, HOST_A), 0);
}

/* ---- 18: congestion -----------------------------------------------------------------------------
 */

/* Seven into one port of 100 Gb/s; the second half of 10 ms counts. */
static uint32_t jain_of_seven(
    enum parameter_congestion_control control, bool marks_last_hop, uint64_t unmarked_delay)
{
    struct network_config config = network_config_default(1);
    uint64_t before[7];
    uint64_t shares[7];
    struct scenario s;

    config.host_count = 8;
    config.plane_count = 1;
    config.port_bps = GBPS(100);
    config.payload = NETWORK_LENGTHS;
    config.marks_last_hop = marks_last_hop;
    config.parameters.congestion_control = control;
    config.parameters.nscc_unmarked_delay = unmarked_delay;
    s = scenario_of(&config);
    for (uint32_t i = 0; i < 7; i++) {
        scenario_stream(&s, i + 1, HOST_A, KIB(256), 4);
        scenario_run_for(&s, US(20));
    }
    scenario_run_until(&s, MS(5));
    for (uint32_t i = 0; i < 7; i++)
        before[i] = scenario_placed_bytes(&s, i + 1, HOST_A);
    scenario_run_for(&s, MS(5));
    for (uint32_t i = 0; i < 7; i++)
        shares[i] = scenario_placed_bytes(&s, i + 1, HOST_A) - before[i];
    return traffic_jain_permille(shares, 7);
}

SPEC("§26.18: one flow alone fills the link")
{
    struct scenario s = scenario_incast(1, 1);

    scenario_stream(&s, HOST_B, HOST_A, MIB(1), 4);
    scenario_run_until(&s, MS(1));
    EXPECT_GE(scenario_goodput_bps(&s, HOST_B, HOST_A, MS(2)), GBPS(96)); /* 4096 of 4184 bytes */
}

SPEC("§26.18: seven flows into one port: Jain 0.95, with and without last-hop ECN")
{
    EXPECT_GE(jain_of_seven(CONGESTION_CONTROL_FAIR, true, CC_UNMARKED_FAIR), 950);
    EXPECT_GE(jain_of_seven(CONGESTION_CONTROL_FAIR, false, CC_UNMARKED_FAIR), 950);
    EXPECT_GE(jain_of_seven(CONGESTION_CONTROL_NSCC, true, CC_UNMARKED_FAIR), 950);
    printf("# nscc without last-hop ECN: Jain 0.%03u, or 0.%03u if delay counts as mark\n",
        (unsigned)jain_of_seven(CONGESTION_CONTROL_NSCC, false, CC_UNMARKED_FAIR),
        (unsigned)jain_of_seven(CONGESTION_CONTROL_NSCC, false, CC_UNMARKED_DECREASE));
}

/* ---- 19: the way back ---------------------------------------------------------------------------
 */

SPEC("§26.19: one-way traffic keeps the reverse EV of each plane fresh")
{
    struct scenario s = scenario_eight_planes(1);
    uint32_t fresh[8] = { 0 };
    bool in_use[8] = { false };

    scenario_stream(&s, HOST_A, HOST_B, KIB(256), 8);
    scenario_run_until(&s, MS(1));
    network_record(s.network, NULL);
    scenario_run_for(&s, MS(1)); /* a hundred round trips, eight planes */
    for (uint32_t i = 0; i < network_record_count(s.network); i++) {
        const struct packet *packet = &network_record_at(s.network, i)->packet;

        if (network_record_at(s.network, i)->from != HOST_B)
            continue;
        if (observe_is_request(packet))
            fresh[packet->port] = packet->ev;
        else if (observe_is_sack(packet))
            in_use[packet->port] |= packet->ev == fresh[packet->port];
    }
    for (uint32_t plane = 0; plane < 8; plane++) {
        EXPECT_NE(fresh[plane], 0);
        EXPECT(in_use[plane]);
    }
    EXPECT_EQ(scenario_counter(&s, HOST_B, COUNTER_REVERSE_PROBES_FAILED), 0);
}

/* ---- 23: inflight
 * -------------------------------------------------------------------------------- */

SPEC("§26.23: inflight agrees with the flags after every event, and is 0 when nothing is out")
{
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.plane_count = 2;
    config.uplink_count = 8;
    config.payload = NETWORK_LENGTHS;
    config.checks = true; /* transport_check() sums it up again each time */
    s = scenario_of(&config);
    scenario_fault(&s, &(struct fault_rule){ .where = fault_everywhere(),
                           .chance[FAULT_LOSS] = FAULT_PERCENT(1),
                           .chance[FAULT_DUPLICATE] = FAULT_PERCENT(10),
                           .chance[FAULT_TRIM] = FAULT_PERCENT(3),
                           .chance[FAULT_MARK] = FAULT_PERCENT(3),
                           .chance[FAULT_DELAY] = FAULT_PERCENT(20),
                           .delay_max_ps = US(40) });
    for (uint32_t i = 0; i < 8; i++)
        scenario_write(&s, HOST_A, HOST_B, KIB(512));
    scenario_run_until_idle(&s);
    EXPECT_GT(scenario_counter(&s, HOST_A, COUNTER_SPURIOUS_LOSS), 0);
    EXPECT_GT(scenario_counter(&s, HOST_A, COUNTER_RETRANSMIT_TRIMMED), 0);
    EXPECT_GT(scenario_counter(&s, HOST_B, COUNTER_DATA_DUPLICATE), 0);
    EXPECT_EQ(scenario_qp(&s, HOST_A, HOST_B).inflight_bytes, 0);
    EXPECT_EQ(scenario_completions(&s, HOST_A), 8);
}

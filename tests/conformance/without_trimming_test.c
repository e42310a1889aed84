/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md §24: where switches do not trim, every loss is silence. */
#include "observe.h"
#include "scenario.h"
#include "spec.h"

enum {
    PMTU = BY_HAND_PMTU_BYTES,
    BASE_RTT_NS = 10000,
};

static struct by_hand nic;

static void open_nic(void)
{
    observe_prepare(&nic);
    nic.config.parameters.network_trims = 0;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
}

/* Sends `packets`, of which those on `ev` are inferred lost and the others arrive; returns how
 * many were lost. */
static uint32_t lose_on(uint32_t ev, uint64_t id, uint32_t packets)
{
    struct packet sack = { 0 };
    uint64_t bitmap = 0;
    uint32_t lost = 0;
    struct psn base;

    observe_post(&nic, id, packets * PMTU);
    base = observe_nth(&nic, observe_is_first, 0)->psn;
    for (uint32_t i = 0; i < packets; i++) {
        const struct packet *packet = observe_nth(&nic, observe_is_first, i);

        if (packet->ev == ev) {
            lost++;
        } else {
            bitmap |= UINT64_C(1) << i;
            sack = observe_sack_of(&nic, packet, psn_add(base, -1));
        }
    }
    sack.sack.bitmap = bitmap;
    nic.now_ns += BASE_RTT_NS;
    EXPECT_EQ(by_hand_receive(&nic, &sack), DROP_NONE);
    nic.ready_ports = 0;
    by_hand_wait(&nic, BASE_RTT_NS + OBSERVE_TICK_NS);
    nic.ready_ports = UINT32_MAX;
    return lost;
}

SPEC("§24: data travels as NO_TRIM, retransmissions too")
{
    open_nic();
    observe_post(&nic, 1, 64);
    EXPECT_EQ(nic.sent[0].class, DSCP_NO_TRIM);
    EXPECT_EQ(observe_nacked(&nic, &nic.sent[0], NACK_TRIMMED), DROP_NONE);
    by_hand_send(&nic);
    EXPECT_EQ(observe_nth(&nic, observe_is_repeat, 0)->class, DSCP_NO_TRIM);
    by_hand_close(&nic);
}

SPEC("§24 a: one loss makes an EV suspect, probes without an answer make it ASSUMED_BAD")
{
    uint32_t ev;

    observe_prepare(&nic);
    nic.config.parameters.network_trims = 0;
    nic.config.parameters.loss_to_bad = LOSS_TO_BAD_COMPARED;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    ev = nic.entries[1].ev;
    EXPECT_EQ(lose_on(ev, 1, 8), 1);
    EXPECT_EQ(observe_ev(&nic, ev), EV_SUSPECT);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 0);
    by_hand_wait(&nic, 1000000);
    EXPECT_EQ(observe_ev(&nic, ev), EV_ASSUMED_BAD);
    by_hand_close(&nic);
}

SPEC("§24 a: a loss while round trips are long may be congestion, and is not held against its EV")
{
    struct packet first;

    observe_prepare(&nic);
    nic.config.parameters.network_trims = 0;
    nic.config.parameters.loss_to_bad = LOSS_TO_BAD_COMPARED;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    observe_post(&nic, 1, PMTU);
    first = nic.sent[0];
    nic.now_ns += 4 * BASE_RTT_NS;
    EXPECT_EQ(observe_acked(&nic, 0, 1), DROP_NONE);
    EXPECT_EQ(observe_sacked(&nic, &first, observe_out(0)), DROP_NONE);
    EXPECT_EQ(lose_on(nic.entries[1].ev, 2, 8), 1);
    by_hand_wait(&nic, 1000000);
    EXPECT_NE(observe_ev(&nic, nic.entries[1].ev), EV_SUSPECT);
    EXPECT_EQ(by_hand_count(&nic, COUNTER_EV_TURNED_BAD), 0);
    by_hand_close(&nic);
}

SPEC("§24 a: literal still demotes with the first loss, if that is chosen")
{
    observe_prepare(&nic);
    nic.config.parameters.network_trims = 0;
    nic.config.parameters.loss_to_bad = PATH_LOSS_LITERAL;
    by_hand_open(&nic);
    by_hand_connect(&nic, OBSERVE_QPN);
    EXPECT_EQ(lose_on(nic.entries[1].ev, 1, 8), 1);
    EXPECT_EQ(observe_ev(&nic, nic.entries[1].ev), EV_ASSUMED_BAD);
    by_hand_close(&nic);
}

SPEC("§24 b: the target is one whole round trip, so a tail probe goes after two base RTT")
{
    uint64_t wait_ns;

    open_nic();
    observe_post(&nic, 1, 64);
    wait_ns = observe_wait_for(&nic, observe_is_probe, 100000);
    EXPECT_AFTER(wait_ns, 2 * BASE_RTT_NS);
    by_hand_close(&nic);
}

SPEC("§24 c: an unmarked delay lowers the window, unless the last hop marks")
{
    struct parameters parameters;
    struct cc_settings settings;

    parameters_init(&parameters, TIMERS_HARDWARE);
    parameters.network_trims = 0;
    transport_cc_settings(&parameters, 1, &settings);
    EXPECT_EQ(settings.unmarked_delay, CC_UNMARKED_DECREASE);
    parameters.last_hop_ecn = 1;
    transport_cc_settings(&parameters, 1, &settings);
    EXPECT_EQ(settings.unmarked_delay, CC_UNMARKED_FAIR);
    EXPECT(!settings.network_trims);
}

SPEC("§24 d: quick adapt by delay is in force, at four targets")
{
    open_nic();
    EXPECT_EQ(nic.cc.settings.target_delay_ns, BASE_RTT_NS);
    EXPECT_EQ(nic.cc.settings.quick_adapt_threshold_ns, 4 * BASE_RTT_NS);
    by_hand_close(&nic);
}

/* ---- over a network -------------------------------------------------------------------------- */

SPEC("§24: an incast whose queue overflows drops, and yet every write completes without a timeout")
{
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.host_count = 8;
    config.plane_count = 2;
    config.uplink_count = 8;
    config.trims = false;
    config.host_limit_bytes = 60000; /* of each port to a host: overflows at once */
    config.payload = NETWORK_LENGTHS;
    s = scenario_of(&config);
    for (uint32_t from = 1; from < 8; from++)
        scenario_write(&s, from, HOST_A, KIB(512));
    scenario_run_until_idle(&s);
    EXPECT_GT(network_lost(s.network, LOST_DATA_QUEUE), 0);
    for (uint32_t from = 1; from < 8; from++) {
        EXPECT_EQ(scenario_completions(&s, from), 1);
        EXPECT_EQ(scenario_counter(&s, from, COUNTER_TIMEOUT_FIRED), 0);
    }
}

SPEC("§24: without trimming, a path that dies is also avoided")
{
    struct network_config config = network_config_default(1);
    struct scenario s;

    config.trims = false;
    config.plane_count = 2;
    config.uplink_count = 8;
    config.payload = NETWORK_LENGTHS;
    s = scenario_of(&config);
    scenario_stream(&s, HOST_A, HOST_B, KIB(256), 4);
    scenario_fail_path(&s, 0, 3, US(200));
    scenario_run_until(&s, MS(2));
    EXPECT_EQ(path_bad_count(scenario_paths(&s, HOST_A, HOST_B)), 1);
    EXPECT_EQ(scenario_counter(&s, HOST_A, COUNTER_TIMEOUT_FIRED), 0);
}
